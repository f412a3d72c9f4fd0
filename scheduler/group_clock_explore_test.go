//go:build explore

package scheduler

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
)

// The frame goroutine changes a clock twice, and two goroutines read its copy (S47). The three values of each clock are
// the number of the change.
func TestExploreAReaderFindsOneClock(t *testing.T) {
	explore.Explore(t, 3, func(p *explore.Program) {
		var v shown
		var over atomic.Int32 // changes
		change := func(n int) { v.put(clock{deadline.Instant(n), deadline.Instant(n), float64(n)}) }
		change(0)
		p.Go("frame", func() {
			for n := range 2 {
				change(n + 1)
				over.Add(1)
			}
		})
		for i := range 2 {
			p.Go(fmt.Sprint("reader", i), func() {
				least := over.Load()
				if c := v.get(); c.at != c.was || float64(c.at) != c.rate || c.at < deadline.Instant(least) {
					p.Fail("the clock %v after change %d", c, least)
				}
			})
		}
	})
}
