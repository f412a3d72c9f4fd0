//go:build explore

package par

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
	"github.com/frameslice/frameslice/workers"
)

// A room is a pool as far as a strand knows it. One job fits in, as a strand has one job in the pool at most.
type room struct {
	program *explore.Program
	job     atomic.Pointer[workers.Job]
	asleep  atomic.Bool // a worker; never true here
	closed  atomic.Bool
}

// Submit is that of a Worker, which takes jobs also while the pool closes. When others can see the job, it has not
// returned yet.
func (k *room) Submit(j *workers.Job) {
	if !k.job.CompareAndSwap(nil, j) {
		k.program.Fail("two jobs of a strand are in the pool")
	}
	k.asleep.Load()
}

func (k *room) Go(deadline.Priority, func()) { k.program.Fail("a panic") }

// A gate is the room for submissions from outside.
type gate struct {
	*room
	shut *workers.Pool
}

func (g gate) Submit(j *workers.Job) {
	if g.closed.Load() {
		g.shut.Submit(j)
		return
	}
	g.room.Submit(j)
}

// Goroutines call Go so often, and then run what is in the pool until the strand is idle (ST1, ST2). In some cases the
// pool closes meanwhile.
func TestExploreAStrandRunsOneFunctionAtATime(t *testing.T) {
	shut := workers.New(workers.Options{Workers: -1})
	if err := shut.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		callers, calls, preemptions int
		closes                      bool
	}{{2, 2, 3, false}, {3, 1, 2, false}, {2, 1, 3, true}} {
		t.Run(fmt.Sprintf("%d times %d, closes: %v", c.callers, c.calls, c.closes), func(t *testing.T) {
			explore.Explore(t, c.preemptions, func(p *explore.Program) {
				k := &room{program: p}
				s := NewStrand(shut)
				s.pool = gate{k, shut}
				var running atomic.Int32
				last := make([]int, c.callers)
				for who := range c.callers {
					p.Go(fmt.Sprint("caller", who), func() {
						for i := range c.calls {
							s.Go(deadline.Normal, func() {
								if running.Add(1) != 1 {
									p.Fail("two at a time")
								}
								if last[who] != i {
									p.Fail("out of order, or twice: %d after %d of one caller", i+1, last[who])
								}
								last[who]++
								running.Add(-1)
							})
						}
						for s.head.Load() != nil {
							if k.job.Load() == nil {
								explore.Yield()
							} else if k.job.Swap(nil) != nil {
								s.runNow(k)
							}
						}
					})
				}
				if c.closes {
					p.Go("closer", func() { k.closed.Store(true) })
				}
				p.End(func() error {
					for who, n := range last {
						if n != c.calls && !c.closes {
							return fmt.Errorf("%d of %d functions of caller %d have run", n, c.calls, who)
						}
					}
					if s.now != nil || s.ready != nil || s.head.Load() != nil {
						return fmt.Errorf("an idle strand has %v, %v", s.now, s.ready)
					}
					return nil
				})
			})
		})
	}
}
