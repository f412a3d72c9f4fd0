package lowprio

import (
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

func TestProtocol(t *testing.T) {
	const file = "crowd.go"
	explore.Programs(t, nil,
		explore.Patch{Name: "Y3: a window is judged by each who finds it over", File: file,
			Old: "if !c.until.CompareAndSwap(until, next) {", New: "if c.until.Store(next); false {"},
		explore.Patch{Name: "Y3: a crowd that is known begins again", File: file,
			Old: "c.until.CompareAndSwap(0, int64(now.Add(window)))", New: "c.until.Store(int64(now.Add(window)))"},
	)
}
