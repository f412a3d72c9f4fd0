//go:build explore

package frame

import (
	"runtime"
	"testing"

	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
)

// The host makes a frame, whose slice is still away when the frames are over. Then two goroutines close the loop, or
// one does so and another one asks for a Report. In some cases a task has stopped the loop (F31, F32). In the last ones
// the host is locked to its thread, and closes the loop itself: a Close elsewhere may not unwind the host's tasks.
func TestExploreCloseReturnsWhenEverythingHasEnded(t *testing.T) {
	for name, c := range map[string]struct {
		stops, report, locked bool
		preemptions           int
	}{
		"two close":                            {preemptions: 2},
		"two close, a task stops":              {stops: true, preemptions: 1},
		"a report":                             {report: true, preemptions: 2},
		"a report, a task stops":               {report: true, stops: true, preemptions: 1},
		"the host is locked":                   {locked: true, preemptions: 2},
		"the host is locked, and a task stops": {locked: true, stops: true, preemptions: 2},
	} {
		t.Run(name, func(t *testing.T) {
			explore.Explore(t, c.preemptions, func(p *explore.Program) {
				s := newStage(p)
				closes := func() {
					if err := s.closes(); err != nil {
						p.Fail("%v", err)
					}
				}
				var over atomic.Bool
				if c.stops {
					s.tasks = func(int) { s.Stop() }
				}
				p.Go("host", func() {
					if c.locked {
						runtime.LockOSThread()
						defer runtime.UnlockOSThread()
						s.home.settlePlace(false)
					}
					s.frames(1)
					if over.Store(true); c.locked {
						closes()
					}
				})
				p.Go("shadow", s.shadow.run)
				after := func(f func()) func() {
					return func() {
						for !over.Load() {
							over.Await()
						}
						f()
					}
				}
				p.Go("close", after(closes))
				switch {
				case c.report:
					p.Go("report", after(func() {
						for s.gate.word.Load()&gateClosed == 0 { // before, Report is a call like End
							s.gate.word.Await()
						}
						if s.ends.over(); s.state.Load() != allEnded {
							p.Fail("the counts of what is being unwound are read: %x", s.state.Load())
						}
					}))
				case !c.locked:
					p.Go("another", after(closes))
				}
				p.End(s.ended)
			})
		})
	}
}
