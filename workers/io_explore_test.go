//go:build explore

package workers

import (
	"errors"
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/dice"
	"github.com/frameslice/frameslice/internal/explore"
)

// An outing is functions of SubmitIO. The goroutines of the program take the place of those that the pool would start.
type outing struct {
	program *explore.Program
	pool    *Pool
	started [3]atomic.Pointer[Job] // begun, and not on a goroutine yet
	jobs    [3]Job
	each    [3]ioFunc
	running atomic.Int32
	begun   atomic.Int32
	settled atomic.Int32

	until *atomic.Int32 // a function ends when this is at least
	least int32
}

// An ioFunc is the executor of one of the functions.
type ioFunc struct {
	*outing
	ran, ended int
}

func newOuting(p *explore.Program, limit int) *outing {
	o := &outing{program: p, pool: bare()}
	o.until, o.least = &o.begun, int32(limit)
	o.pool.lives.init()
	o.pool.io.init(o.pool, limit)
	o.pool.io.begin = func(j *Job) {
		for i := range o.jobs {
			if &o.jobs[i] == j {
				o.started[i].Store(j)
			}
		}
	}
	for i := range o.jobs {
		o.each[i].outing = o
		o.jobs[i].exec = &o.each[i]
	}
	return o
}

func (f *ioFunc) exec(*Worker) {
	f.ran++
	if n := f.running.Add(1); n > f.pool.io.limit {
		f.program.Fail("%d functions run", n)
	}
	f.begun.Add(1)
	for f.until.Load() < f.least {
		f.until.Await()
	}
	f.running.Add(-1)
}

func (f *ioFunc) execEnded(error) {
	f.ended++
	f.settled.Add(1)
}

func (f *ioFunc) entry() uintptr { return 0 }

// help runs functions until all of n have ended.
func (o *outing) help(n int32) {
	for o.settled.Load() < n {
		idle := true
		for i := range o.started {
			if o.started[i].Load() != nil && o.started[i].Swap(nil) != nil {
				o.pool.io.runIO(&o.jobs[i], dice.Delay{})
				idle = false
			}
		}
		if idle {
			explore.Yield()
		}
	}
}

// Functions are submitted to a pool with one place or two, and each goroutine that has submitted one then runs what has
// begun (IO1, IO2). With two places, two functions wait for one another. In some cases the first function is canceled,
// or the pool closes, and a function ends only when the other has been dropped (IO3, IO5).
func TestExploreNoFunctionWaitsBesideAPlace(t *testing.T) {
	for _, c := range []struct {
		name              string
		functions, places int
		cancels, closes   bool
		preemptions       int
	}{
		{"two in one place", 2, 1, false, false, 2},
		{"two in two places", 2, 2, false, false, 2},
		{"three in two places", 3, 2, false, false, 1},
		{"two in one place, canceler", 2, 1, true, false, 2},
		{"two in one place, closer", 2, 1, false, true, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			explore.Explore(t, c.preemptions, func(p *explore.Program) {
				o := newOuting(p, c.places)
				io, canceled := &o.pool.io, false
				for i := range c.functions {
					p.Go(fmt.Sprint("submission", i), func() {
						io.submitIO(&o.jobs[i])
						o.help(int32(c.functions))
					})
				}
				if c.cancels {
					p.Go("canceler", func() { canceled = o.jobs[0].Cancel() })
				}
				if c.closes {
					o.until, o.least = &o.settled, 1
					p.Go("closer", func() {
						o.pool.state.Store(gone)
						io.dropIO()
					})
				}
				p.End(func() error {
					for i := range c.functions {
						f := &o.each[i]
						if f.ended != 1 || f.ran != 1 && !canceled && !c.closes || i == 0 && canceled && f.ran != 0 {
							return fmt.Errorf("function %d has run %d times, and ended %d times", i, f.ran, f.ended)
						}
					}
					switch {
					case io.places.Load() != 0 || o.pool.callersInside.Load() != 0 ||
						uint32(o.pool.activity.Load()) != 0:
						return fmt.Errorf("%d places are taken", io.places.Load())
					case io.waits.Load() != 0:
						return errors.New("a function waits")
					}
					return nil
				})
			})
		})
	}
}
