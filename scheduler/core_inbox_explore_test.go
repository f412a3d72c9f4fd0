//go:build explore

package scheduler

import (
	"fmt"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/explore"
	"github.com/frameslice/frameslice/internal/park"
)

// still returns a scheduler in which no time passes.
func still(p *explore.Program, wake func()) *Scheduler {
	s := New(Options{Wake: wake, Clock: func() deadline.Instant { return deadline.Instant(time.Second) }})
	p.Cleanup((*internals)(s).Discard)
	return s
}

// Two producers post two functions each, and the host sleeps where nothing is to do (S1, S2, S4, S7). Bundles have two
// messages here, and a goroutine that sleeps for good is a deadlock.
func TestExploreTheInboxLosesNoMessageAndNoWake(t *testing.T) {
	explore.Explore(t, 2, func(p *explore.Program) {
		wake := park.NewToken()
		s := still(p, wake.Post)
		var got [2]int
		for i := range got {
			p.Go(fmt.Sprint("producer", i), func() {
				for k := range 2 {
					s.Post(deadline.Normal, func() {
						if got[i]++; got[i] != k+1 {
							p.Fail("function %d of producer %d runs as number %d", k, i, got[i]-1)
						}
					})
				}
			})
		}
		p.Go("host", func() {
			for all := [2]int{2, 2}; got != all; {
				if _, more := s.Next(); more {
					s.RunUntil(deadline.Deadline{})
				} else {
					wake.Wait()
				}
			}
		})
	})
}
