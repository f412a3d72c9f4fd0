package load

import (
	"runtime"
	"testing"
	"time"
)

// A mode that raises GOMAXPROCS says so in its own environment, and the others do not.
func TestEachModeTellsItsGOMAXPROCS(t *testing.T) {
	c := Config{Compare: true, Modes: []Mode{Idle, Frameslice}, Duration: 20 * time.Millisecond}.WithDefaults()
	before := runtime.GOMAXPROCS(0)
	x := Open(Frameslice, c)
	raised := runtime.GOMAXPROCS(0)
	x.Close()

	s := newSession(c, newRig(c))
	defer s.Close()
	headless(t.Context(), s)
	r := s.Report()
	for i, want := range []int{before, raised} {
		if got := r.Modes[i].Env.GOMAXPROCS; got != want || r.Env.GOMAXPROCS != before {
			t.Errorf("%s: GOMAXPROCS %d, want %d; of the report %d, want %d",
				r.Modes[i].Mode, got, want, r.Env.GOMAXPROCS, before)
		}
	}
}
