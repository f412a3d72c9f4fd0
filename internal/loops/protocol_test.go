package loops

import (
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

func TestProtocol(t *testing.T) {
	const file = "loops.go"
	explore.Programs(t, []explore.Patch{{File: file, Old: "const spins = 2000", New: "const spins = 1"}},
		explore.Patch{Name: "WL1: a helper joins a closed loop", File: file,
			Old: "if s&closed != 0 {", New: "if false {"},
		explore.Patch{Name: "WL1: a helper looks, and then counts itself, in two steps", File: file,
			Old: "l.state.CompareAndSwap(s, s+1) {", New: "l.state.Add(1) > 0 {"},
		explore.Patch{Name: "WL1: a helper does not count itself", File: file,
			Old: "l.state.CompareAndSwap(s, s+1) {", New: "l.state.CompareAndSwap(s, s) {"},
		explore.Patch{Name: "WL1: a loop that ends stays open", File: file,
			Old: "l.state.Or(closed) != 0 {", New: "l.state.Load() != 0 {"},
		explore.Patch{Name: "WL1: a loop is given back while helpers are within", File: file,
			Old: "	if l.state.Or(closed) != 0 {", New: "	t.busy.And(^l.bit)\n	if l.state.Or(closed) != 0 {"},
		explore.Patch{Name: "WL2: the caller sets parked, whatever the count is by now", File: file,
			Old: "l.state.CompareAndSwap(s, s|parked) {", New: "l.state.Or(parked) != 0 {"},
		explore.Patch{Name: "WL2: the last helper sends the token though the caller has not parked", File: file,
			Old: "l.state.Add(-1) == closed|parked {", New: "l.state.Add(-1)|parked == closed|parked {"},
		explore.Patch{Name: "WL2: each helper sends the token", File: file,
			Old: "l.state.Add(-1) == closed|parked {", New: "l.state.Add(-1) >= closed|parked {"},
		explore.Patch{Name: "two callers take one loop", File: file,
			Old: "!t.busy.CompareAndSwap(busy, busy|bit) {", New: "t.busy.Or(bit) == 0 && false {"},
		explore.Patch{Name: "two goroutines take one piece", File: file,
			Old: "l.next.CompareAndSwap(lo, lo+size) {", New: "l.next.Add(size) > 0 {"},
	)
}
