//go:build explore

package workers

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
)

// A watch is a crew whose jobs may wait, with a goroutine in the place of the timer. The clock moves before each look.
// In a bubble, where all time that passes is a wait, the clock only moves while the job sleeps until the next look.
type watch struct {
	*crew
	program   *explore.Program
	clock     atomic.Int64
	computing atomic.Int32 // goroutines that run
	due       atomic.Bool  // the timer is set
	sleeps    atomic.Bool  // a job sleeps until the clock moves
	events    atomic.Int32 // what has happened besides looks
	left      atomic.Int32 // jobs that have not ended
	waiting   int          // how many jobs may wait at once
}

// newWatch returns a watch of a worker, which runs two jobs. If time waits, all time that passes is a wait.
func newWatch(p *explore.Program, timeWaits bool) *watch {
	c := &watch{crew: newCrew(p, deadline.Normal, 1), program: p, waiting: 1}
	c.left.Store(2)
	s := &c.pool.waits
	s.now = func() deadline.Instant { return deadline.Instant(c.clock.Load()) }
	s.later = func() {
		if c.due.Swap(true) {
			p.Fail("the timer is set twice")
		}
	}
	s.computing = func() int { return 0 }
	if !timeWaits {
		s.computing = func() int { return int(c.computing.Load()) }
		c.pool.opt.forced.computing = s.computing
	}
	p.Go("timer", c.timer)
	p.End(func() error {
		if c.due.Load() || c.class.spares.Load() != 0 || c.class.lent.Load() != 0 {
			return fmt.Errorf("in the end %d spares, %d for capped lanes", c.class.spares.Load(), c.class.lent.Load())
		}
		return nil
	})
	return c
}

// timer looks as often after each event as a spare needs.
func (c *watch) timer() {
	for looks, seen := 0, int32(-1); ; {
		if n := c.events.Load(); n != seen {
			looks, seen = 0, n
		}
		switch {
		case looks < raiseLooks && c.due.CompareAndSwap(true, false):
			looks++
			if !c.pool.timeWaits() || c.sleeps.Load() {
				c.clock.Add(int64(lookEvery))
				c.sleeps.Store(false)
			}
			c.pool.waits.lookForWaits(c.pool)
			for _, proven := range c.pool.waits.latest {
				if proven > c.waiting {
					c.program.Fail("%d jobs are said to wait, of %d", proven, c.waiting)
				}
			}
		case c.left.Load() == 0 && !c.due.Load():
			return
		default:
			explore.Yield()
		}
	}
}

// job is the worker's run of a job that waits as f does, or computes if f is nil.
func (c *watch) job(f func()) {
	w := c.worker(0)
	c.computing.Add(1)
	w.beginWaiting(c.pool.waits.now())
	c.events.Add(1)
	if f != nil {
		c.computing.Add(-1)
		c.sleeps.Store(c.pool.timeWaits())
		c.events.Add(1)
		for c.sleeps.Load() {
			c.sleeps.Await()
		}
		f()
		c.computing.Add(1)
	}
	w.endWaiting()
	if c.class.spares.Load() != 0 {
		c.program.Fail("a spare has nobody's place")
	}
	c.computing.Add(-1)
	c.left.Add(-1)
	c.events.Add(1)
}

// untilSpared waits until a spare takes a worker's place.
func (c *watch) untilSpared() {
	for c.class.spares.Load() == 0 {
		c.class.spares.Await()
	}
}

// A job computes while a look comes, which perhaps takes long. The job is not taken for one that waits (WA1).
func TestExploreAJobThatComputesDoesNotWait(t *testing.T) {
	explore.Explore(t, 2, func(p *explore.Program) {
		c := newWatch(p, false)
		c.waiting = 0
		c.left.Store(1)
		c.pool.waits.arm()
		p.Go("worker", func() { c.job(nil) })
		p.Go("delay", func() { c.clock.Add(int64(longWait)) })
	})
}

// Of two jobs one waits until a spare has taken its worker's place, however late a look comes. The other one computes,
// or in a bubble it ends at the instant of a look. When a job has ended there is no spare (WA2, WA3).
func TestExploreAJobThatWaitsGetsASpare(t *testing.T) {
	for _, timeWaits := range []bool{false, true} {
		t.Run(fmt.Sprint("time waits: ", timeWaits), func(t *testing.T) {
			explore.Explore(t, 2, func(p *explore.Program) {
				c := newWatch(p, timeWaits)
				jobs := []func(){nil, c.untilSpared}
				if timeWaits {
					jobs = []func(){c.untilSpared, func() {}}
				} else {
					p.Go("delay", func() { c.clock.Add(int64(longWait)) })
				}
				p.Go("worker", func() {
					for _, f := range jobs {
						c.job(f)
					}
				})
			})
		})
	}
}

// A job of a capped lane may wait, and so may one of another lane in a case. The pool looks, and a spare comes unless
// it is refused. In one case the first job waits for another one of its lane. In the last case it computes, and only
// the other one waits. Somebody is there for the other lanes all the time (WA4).
func TestExploreWaitsLeaveOneWorkerForOthers(t *testing.T) {
	for _, c := range []struct {
		name                   string
		waits, refused, beside bool
	}{
		{name: "waits for another", waits: true}, {name: "waits"},
		{name: "no spare", refused: true}, {name: "computes", beside: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			explore.Explore(t, 1, func(p *explore.Program) {
				o := newOffice(p, 2)
				s, long := &o.pool.waits, -deadline.Instant(longWait)
				s.now, s.later, s.computing = func() deadline.Instant { return 0 }, func() {}, func() int { return 0 }
				if c.refused {
					o.pool.opt.forced.spares = 0
				}
				spare, other := o.class.newWorker(2), o.worker(1)
				o.seat(spare)
				var looked atomic.Bool
				if c.beside {
					s.computing = func() int { return 1 }
					o.pool.opt.forced.computing = s.computing
					other.beginWaiting(long)
				} else {
					looked.Store(true)
				}
				o.lane.push(jobItem(o.brief()), false)
				o.begin(p, func(w *Worker) {
					w.lane = o.lane.at
					w.beginWaiting(long)
					for range raiseLooks {
						s.lookForWaits(o.pool)
					}
					if c.beside {
						o.leave() // the other worker, whose place is the spare's
						looked.Store(true)
					}
					for c.waits && o.begun.Load() == 0 {
						o.begun.Await()
					}
					w.endWaiting()
				})
				p.Go("worker 1", func() {
					for !looked.Load() {
						looked.Await()
					}
					if c.beside {
						other.endWaiting()
						o.serving.Add(1)
					}
					o.main(other)
				})
				p.Go("worker 2", func() {
					for !o.over.Load() {
						if o.starts[2].CompareAndSwap(true, false) {
							o.main(spare)
						} else {
							explore.Yield()
						}
					}
				})
				p.End(o.check)
			})
		})
	}
}
