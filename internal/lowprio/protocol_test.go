package lowprio

import (
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

func TestProtocol(t *testing.T) {
	const file, hold = "crowd.go", "hold.go"
	explore.Programs(t, nil,
		explore.Patch{Name: "L2: a worker stands back for as long as the clock says", File: hold,
			Old: "	for range left/nap + 1 {\n", New: "	for {\n"},
		explore.Patch{Name: "L2: a worker naps as often as the time held when it began", File: hold,
			Old: "if left = s.holdLeft(now); left <= 0 || !open() {", New: "if !open() {"},
		explore.Patch{Name: "Y3: a window is judged by each who finds it over", File: file,
			Old: "if !c.until.CompareAndSwap(until, next) {", New: "if c.until.Store(next); false {"},
		explore.Patch{Name: "Y3: a crowd that is known begins again", File: file,
			Old: "c.until.CompareAndSwap(0, int64(now.Add(window)))", New: "c.until.Store(int64(now.Add(window)))"},
	)
}
