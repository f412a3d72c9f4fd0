//go:build explore

package workers

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
)

// A goroutine waits for a job, so it may claim the job, and then it sifts the lane (J6). A worker runs what it finds,
// and sleeps when it finds nothing. In one case another job is in the lane. In the other case the job is submitted
// again when it has finished. So a job that is lost, or beside which the worker sleeps, is a deadlock.
func TestExploreSiftingLosesNoJob(t *testing.T) {
	for _, again := range []bool{false, true} {
		name := "another job"
		if again {
			name = "the job again"
		}
		t.Run(name, func(t *testing.T) {
			explore.Explore(t, 2, func(p *explore.Program) {
				c := newCrew(p, deadline.Normal, 1)
				var ran atomic.Int32
				var looked atomic.Bool // a job may be submitted again when nobody waits for it any more
				j := &Job{Func: func(*Worker) { ran.Add(1) }}
				k := &clerk{searcher: searcher{c.worker(0)}}
				k.search = func() (ok bool) {
					k.cur, ok = c.lane.pop()
					return ok
				}
				k.leaving = func() bool { return ran.Load() == 2 }
				k.sit(c.class)
				c.pool.Submit(j)
				if !again {
					c.pool.Submit(&Job{Func: j.Func})
				}
				p.Go("owner", func() {
					if again {
						for !j.Finished() || !looked.Load() {
							explore.Yield()
						}
						c.pool.Submit(j)
					}
					for ran.Load() < 2 {
						ran.Await()
					}
					c.class.wakeAll()
				})
				p.Go("waiter", func() {
					j.lookAtJob(nil)
					looked.Store(true)
				})
				p.Go("worker", func() {
					for k.findOrSleep() {
						if j := k.cur.job(); j.claimFrom(c.class) {
							j.Func(k.Worker)
							j.finish(nil)
						}
					}
				})
				p.End(func() error {
					if n := ran.Load(); n != 2 || !j.Finished() {
						return fmt.Errorf("jobs have run %d times", n)
					}
					return nil
				})
			})
		})
	}
}
