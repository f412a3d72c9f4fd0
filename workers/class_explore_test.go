//go:build explore

package workers

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/explore"
)

// A class loses its last worker, gets one, and loses it again, while a goroutine waits for a job with a context that it
// could end. A worker, if there is one, looks for the job once. So a wait that relies on a worker which does not come
// is a deadlock (E2).
func TestExploreNobodySleepsOverWhatNobodyBegins(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, works := range []bool{false, true} {
		t.Run(fmt.Sprint("worker ", works), func(t *testing.T) {
			explore.Explore(t, 3, func(p *explore.Program) {
				pool := bare(deadline.Normal)
				c, l := &pool.classes[ordinary], &pool.lanes[deadline.Normal.Lane()]
				c.want.Store(1)
				j := &Job{Func: func(*Worker) {}}
				pool.Submit(j)
				p.Go("waiter", func() {
					if err := j.Wait(ctx); err != nil || !j.Finished() {
						p.Fail("Wait has returned %v", err)
					}
				})
				p.Go("class", func() {
					c.setWant(0)
					c.setWant(1)
					c.setWant(0)
				})
				if works {
					p.Go("worker", func() {
						if c.want.Load() == 0 {
							return
						}
						if it, ok := l.pop(); ok && it.job().claimFrom(c) {
							j.finish(nil)
						}
					})
				}
			})
		})
	}
}

// No workers are wanted any more, and they leave when they may (E3). In one case a job was submitted before that. In
// the other case one of two workers has a job that nobody else sees until the worker is to leave.
func TestExploreLeavingWorkersLeaveNothing(t *testing.T) {
	for _, private := range []bool{false, true} {
		name, workers, preemptions := "submitted", 1, 3
		if private {
			name, workers, preemptions = "private", 2, 1
		}
		t.Run(name, func(t *testing.T) {
			explore.Explore(t, preemptions, func(p *explore.Program) {
				c := newCrew(p, deadline.Normal, workers)
				ran := 0
				j := &Job{Func: func(*Worker) { ran++ }}
				for i := range workers {
					p.Go(fmt.Sprint("worker", i), c.worker(i).work)
				}
				if private {
					j.prepare(c.pool)
					c.lane.use(useLocal)
					c.worker(1).deques[c.lane.at].Push(jobItem(j))
				}
				p.Go("outside", func() {
					if !private {
						c.pool.Submit(j)
					}
					c.class.resize(0)
				})
				p.End(func() error {
					if ran != 1 {
						return errors.New("the job has not run once")
					}
					return nil
				})
			})
		})
	}
}

// The only worker is not wanted, and then wanted again, while it leaves. If the worker is lost by that, nobody runs the
// job that comes afterwards (E1, C3).
func TestExploreAWorkerThatIsWantedAgainIsThere(t *testing.T) {
	explore.Explore(t, 2, func(p *explore.Program) {
		c := newCrew(p, deadline.Normal, 1)
		j := &Job{Func: func(*Worker) {}}
		p.Go("worker", func() { c.work(0) })
		p.Go("outside", func() {
			c.class.resize(0)
			c.class.resize(1)
			c.pool.Submit(j)
			for !j.Finished() {
				explore.Yield()
			}
			c.pool.vanish()
		})
	})
}
