//go:build explore

package workers

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
)

// A thief steals a fork, shares two forks within it, and does not continue before each has been taken. The joiner is
// the only one who could take them. So a joiner that sleeps over shared forks, or over a fork that has ended, is a
// deadlock (F1 to F4). In one case the end of an earlier run of the job, which has stored its state, comes to the
// waiters at any time. In the other case somebody posts to the joiner at any time.
func TestExploreJoinersWakeForForks(t *testing.T) {
	for _, late := range []bool{false, true} {
		name := "a post"
		if late {
			name = "an earlier run"
		}
		t.Run(name, func(t *testing.T) {
			explore.Explore(t, 3, func(p *explore.Program) {
				c := newCrew(p, deadline.Normal, 2)
				joiner, thief := c.worker(0), c.worker(1)
				var taken, joined atomic.Int32
				var subs [2]Job
				j := new(Job)
				j.Func = func(w *Worker) {
					if w == joiner {
						return // nobody has stolen it
					}
					for i := range subs {
						subs[i].Func = func(*Worker) { taken.Add(1) }
						w.forks.Push(&subs[i])
						w.offer()
						for int(taken.Load()) <= i {
							taken.Await()
						}
					}
				}
				if late {
					j.set(active)
				}
				thief.setHungry(true) // so that the fork is shared
				p.Go("joiner", func() {
					for late && !j.Finished() {
						explore.Yield()
					}
					joiner.Fork(j)
					joiner.Join(j)
					joined.Store(1)
				})
				p.Go("thief", func() {
					for !thief.find.stealFork() {
						if joined.Load() == 1 {
							return
						}
						explore.Yield()
					}
					thief.setHungry(false)
					j.Func(thief)
					j.finish(nil)
				})
				if late {
					p.Go("earlier", func() { j.finish(nil) })
				} else {
					p.Go("stray", func() { c.class.post(joiner) })
				}
				p.End(func() error {
					if n := taken.Load(); n != 0 && n != 2 {
						return fmt.Errorf("%d of two forks have run", n)
					}
					return nil
				})
			})
		})
	}
}
