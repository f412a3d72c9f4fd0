//go:build explore

package lowprio

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
)

// A worker stands back for a frame that is late, and the clock stands still. If the frame begins, the worker naps once
// more at most. If it does not, the worker stops after as many naps as the time held (L2).
func TestExploreStandingBackEnds(t *testing.T) {
	for _, comes := range []bool{true, false} {
		explore.Explore(t, 4, func(p *explore.Program) {
			const due = deadline.Instant(time.Hour)
			var h Hold
			var began atomic.Bool
			after := 0 // naps since the frame began
			h.Clock = Clock{
				Now: func() deadline.Instant { return due },
				Nap: func(_, _ time.Duration) {
					if began.Load() {
						after++
					}
				},
			}
			h.Expect(due, 3*nap)
			p.Go("worker", func() {
				if h.On() {
					h.Wait(func() bool { return true })
				}
				if after > 1 {
					p.Fail("%d naps after the frame has begun", after)
				}
			})
			if comes {
				p.Go("frame", func() {
					h.FrameBegins()
					began.Store(true)
				})
			}
		})
	}
}
