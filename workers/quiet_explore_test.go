//go:build explore

package workers

import (
	"context"
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
)

// A closedPool is a pool in which a job is queued, and perhaps a worker is within another one. The worker of a job that
// calls Close has nothing else to do.
type closedPool struct {
	*Pool
	lane     *lane
	over     atomic.Bool // the worker's job has ended
	old      Job         // what is queued
	returned atomic.Int32
	within   int32
}

func newClosedPool(within int, works bool) *closedPool {
	c := &closedPool{within: int32(within)}
	c.Pool = bare(deadline.Normal)
	c.lane = &c.lanes[deadline.Normal.Lane()]
	c.dismiss = c.reap
	c.runOrphans = func(context.Context, bool) {}
	c.state.Store(draining)
	c.old.Func = func(*Worker) {}
	c.old.prepare(c.Pool)
	c.lane.push(jobItem(&c.old), false)
	if works {
		within++
	} else {
		c.over.Store(true)
	}
	for range within {
		c.live.Add(1)
		c.activity.Add(oneMoreActive)
	}
	return c
}

// work is the worker's goroutine.
func (c *closedPool) work() {
	c.over.Store(true)
	for c.state.Load() != gone {
		if it, ok := c.lane.pop(); ok {
			if j := it.job(); j != nil && j.claimFrom(c.lane.class) {
				j.finish(nil)
			}
			continue
		}
		c.activityEnds()
		for c.state.Load() != gone && !c.lane.filled() {
			explore.Yield()
		}
		c.activity.Add(oneMoreActive)
	}
	c.activityEnds()
	c.countOut()
}

// close is a Close. Within a job it ends the job when all such closes have returned.
func (c *closedPool) close(p *explore.Program, inside bool) {
	if err := c.closeFrom(context.Background(), inside); err != nil {
		p.Fail("%v", err)
	}
	if !c.over.Load() || !c.old.Finished() {
		p.Fail("Close has returned before all jobs have ended")
	}
	if !inside {
		return
	}
	for n := c.returned.Add(1); n < c.within; n = c.returned.Load() {
		c.returned.Await()
	}
	c.activityEnds()
	c.countOut()
}

// The pool is gone, and the last goroutine leaves that runs a job beside two closes within jobs. The first of the two
// that finds this tells the other, which cannot find it any more when the first has returned (C4).
func TestExploreTheFirstCloseThatFindsThePoolQuietTellsTheOther(t *testing.T) {
	explore.Explore(t, 3, func(p *explore.Program) {
		pool := newClosedPool(2, false)
		pool.reap()
		pool.callerEnters()
		pool.state.Store(gone)
		for i := range 2 {
			p.Go(fmt.Sprint("within", i), func() { pool.close(p, true) })
		}
		p.Go("caller", pool.callerLeaves)
	})
}

// A Close whose context is done drops the queued job, unless the worker or another Close is faster. Others wait, within
// jobs and outside, and a job is submitted by a goroutine that has found the pool running (C1, C4). A Close that waits
// for good is a deadlock.
func TestExploreCloseWaitsForAllJobs(t *testing.T) {
	for _, c := range []struct {
		within, outside         int
		givesUp, submits, works bool
		orphans                 bool // nobody but a Close runs the jobs
		preemptions             int
	}{
		{within: 1, givesUp: true, works: true, preemptions: 2},
		{outside: 1, givesUp: true, submits: true, preemptions: 2},
		{within: 1, givesUp: true, submits: true, preemptions: 2},
		{within: 2, givesUp: true, preemptions: 2},
		{within: 2, works: true, preemptions: 1},
		{outside: 1, works: true, preemptions: 2},
		{within: 1, outside: 1, works: true, preemptions: 1},
		{within: 1, outside: 1, givesUp: true, preemptions: 2},
		{outside: 1, submits: true, orphans: true, preemptions: 3},
		{outside: 2, orphans: true, preemptions: 2},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			explore.Explore(t, c.preemptions, func(p *explore.Program) {
				pool := newClosedPool(c.within, c.works)
				if c.orphans {
					pool.runOrphans = pool.runAllOrphans
				}
				for i := range c.within {
					p.Go(fmt.Sprint("within", i), func() { pool.close(p, true) })
				}
				for i := range c.outside {
					p.Go(fmt.Sprint("outside", i), func() { pool.close(p, false) })
				}
				if c.givesUp {
					done, cancel := context.WithCancel(context.Background())
					cancel()
					p.Go("gives up", func() { pool.runDown(done, false) })
				}
				if c.submits {
					p.Go("submitter", func() { pool.lane.inject(funcItem(func() {}), false) })
				}
				if c.works {
					p.Go("worker", pool.work)
				}
			})
		})
	}
}

// Two closes are within jobs. One of them gives up when the pool is gone, and its job then waits for the other Close,
// for which the pool is never quiet again. So the first to find the pool quiet must remember that (C4).
func TestExploreAQuietPoolIsRemembered(t *testing.T) {
	explore.Explore(t, 2, func(p *explore.Program) {
		pool := newClosedPool(2, false)
		pool.within = 1 // of those that return
		pool.reap()
		p.Go("within", func() { pool.close(p, true) })
		p.Go("within, gives up", func() {
			pool.closersInJobs.Add(1)
			pool.runDown(context.Background(), true)
			pool.closersInJobs.Add(-1)
			for pool.returned.Load() == 0 {
				pool.returned.Await()
			}
			pool.activityEnds()
			pool.countOut()
		})
	})
}
