//go:build explore

package workers

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
)

// A shift is two workers of a pool that drains, as far as isQuiet knows of them. Each is counted while it is awake. The
// first two of three jobs submit another one, wake the other worker, and leave the job to that worker.
type shift struct {
	quiet
	token   [2]atomic.Bool
	queue   atomic.Int32
	hands   atomic.Int32 // jobs that run
	submits atomic.Int32 // jobs that are to be submitted
	over    atomic.Bool
}

func newShift() *shift {
	s := new(shift)
	s.state.Store(draining)
	s.anyQueued = func() bool { return s.queue.Load() > 0 }
	s.queue.Store(1)
	s.submits.Store(2)
	s.activity.Store(oneMoreActive)
	return s
}

// run takes a job and runs it, on the worker with that index.
func (s *shift) run(index int) {
	n := s.queue.Load()
	s.hands.Add(1) // before the job leaves the queue, so that the closer sees the job in one of the two
	if n == 0 || !s.queue.CompareAndSwap(n, n-1) {
		s.hands.Add(-1)
		return
	}
	if s.submits.Add(-1) >= 0 {
		s.queue.Add(1)
		s.token[1-index].Store(true)
	}
	s.hands.Add(-1)
}

// A pool that drains is quiet only if nothing is queued and nobody runs a job (C2).
func TestExploreQuietMeansQuiet(t *testing.T) {
	explore.Explore(t, 3, func(p *explore.Program) {
		s := newShift()
		for i := range s.token {
			p.Go(fmt.Sprint("worker", i), func() {
				for awake := i == 0; !s.over.Load(); awake = false {
					if !awake {
						for !s.token[i].CompareAndSwap(true, false) {
							s.token[i].Await()
						}
						s.activity.Add(oneMoreActive)
					}
					s.run(i)
					s.activityEnds()
				}
			})
		}
		p.Go("closer", func() {
			for !s.isQuiet() {
				explore.Yield()
			}
			if n, k := s.queue.Load(), s.hands.Load(); n > 0 || k > 0 {
				p.Fail("quiet, with %d jobs queued and %d that run", n, k)
			}
			s.over.Store(true)
			for i := range s.token {
				s.token[i].Store(true)
			}
		})
	})
}

// A pool becomes gone while somebody starts a worker, which has left or has never been there (C3). Another worker
// leaves as soon as the pool is gone. Close returns when all have left.
func TestExploreNobodyOutlastsClose(t *testing.T) {
	for _, there := range []bool{true, false} {
		name := "made"
		if there {
			name = "started again"
		}
		t.Run(name, func(t *testing.T) {
			explore.Explore(t, 1, func(p *explore.Program) {
				c := newCrew(p, deadline.Normal, 1)
				pool, released := c.pool, int32(0)
				pool.dismiss = pool.sendHome // nothing is queued
				start := pool.follow.adapt
				pool.follow.survey, pool.follow.wanted = func() {}, func() int { return 2 }
				if there {
					w := c.class.newWorker(1)
					start = func() { pool.start(w) }
				}
				pool.launch = func(w *Worker) {
					if pool.ended.Load() {
						p.Fail("a worker is started when the pool has ended")
					}
					c.starts[w.index].Store(true)
				}
				pool.release = func() { released = c.class.used.Load() }
				p.Go("Close", func() {
					pool.vanish()
					for !pool.ended.Load() {
						explore.Yield()
					}
				})
				p.Go("worker 0", func() {
					for pool.state.Load() != gone {
						explore.Yield()
					}
					pool.activityEnds()
					pool.countOut()
				})
				p.Go("starter", start)
				p.Go("worker 1", func() { c.work(1) })
				p.End(func() error {
					if used := c.class.used.Load(); used != released || pool.live.Load() != 0 {
						return fmt.Errorf("%d parkers of %d are closed, %d live", released, used, pool.live.Load())
					}
					return nil
				})
			})
		})
	}
}

// A worker takes two jobs at once while the pool becomes gone. It publishes the second job, and would not come to it
// until the first has ended. Either the worker ends the second one, or the closer does (M4).
func TestExploreABatchIsSweptOnce(t *testing.T) {
	explore.Explore(t, 2, func(p *explore.Program) {
		c := newCrew(p, deadline.Normal, 1)
		w, pool := c.worker(0), c.pool
		var jobs [2]Job
		for i := range jobs {
			jobs[i].Func = func(*Worker) {}
			pool.Submit(&jobs[i])
		}
		var first item
		p.Go("worker", func() { first, _ = w.find.refill(c.lane, c.lane.at) })
		p.Go("closer", func() {
			pool.state.Store(gone)
			pool.sweep()
		})
		p.End(func() error {
			for i := range jobs {
				if j := &jobs[i]; j != first.job() && !j.Finished() {
					return fmt.Errorf("job %d has not ended", i)
				}
			}
			return nil
		})
	})
}
