//go:build explore

package loops

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
	"github.com/frameslice/frameslice/internal/sleep"
)

// Callers run loops of two pieces, one after the other, and helpers join twice. Every piece is done once, within
// its own loop.
func TestExploreALoopEndsWhenAllHaveLeft(t *testing.T) {
	for _, c := range []struct{ callers, loops, helpers, preemptions int }{{1, 2, 1, 5}, {1, 1, 2, 3}, {2, 1, 1, 2}} {
		t.Run(fmt.Sprint(c.callers, " callers, ", c.helpers, " helpers"), func(t *testing.T) {
			explore.Explore(t, c.preemptions, func(p *explore.Program) {
				var set sleep.Set
				var tab Table
				tab.Init(&set)
				var ended atomic.Int32
				done := make([][]int, c.callers*c.loops)
				for i := range c.callers {
					p.Go(fmt.Sprint("caller", i), func() {
						for k := range c.loops {
							within := true
							mine := make([]int, 2)
							done[i*c.loops+k] = mine
							tab.For("For", 2, 1, 1, c.helpers, func(lo, hi int) {
								for ; lo < hi; lo++ {
									if mine[lo]++; !within {
										p.Fail("the caller continued")
									}
								}
								ended.Load() // a step within
								if !within {
									p.Fail("the caller continued")
								}
							})
							within = false
						}
						ended.Add(1)
					})
				}
				for i := range c.helpers {
					p.Go(fmt.Sprint("helper", i), func() {
						for range 2 {
							open := tab.Open()
							for ; open == 0 && int(ended.Load()) < c.callers; open = tab.Open() {
								explore.Yield()
							}
							if l := tab.Join(open); l != nil {
								l.Work()
								l.Leave(false)
							}
						}
					})
				}
				p.End(func() error {
					for i, mine := range done {
						for k, n := range mine {
							if n != 1 {
								return fmt.Errorf("loop %d: piece %d was done %d times", i, k, n)
							}
						}
					}
					return nil
				})
			})
		})
	}
}
