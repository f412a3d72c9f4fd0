//go:build explore

package workers

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
)

// A chain is a Future, and another that Then makes of it. The functions return 1 and 2.
type chain struct {
	pool  *Pool
	first *Future[int]
	then  atomic.Pointer[Future[int]]
	ran   int
}

func newChain() *chain {
	c := &chain{pool: bare(deadline.Normal)}
	c.pool.lives.init()
	c.first = &Future[int]{f: func(context.Context) (int, error) { return 1, nil }}
	c.first.ctx.job.exec = c.first
	c.first.ctx.job.prepare(c.pool)
	return c
}

func (c *chain) link() *Future[int] {
	c.then.Store(Then(c.first, func(_ context.Context, v int) (int, error) {
		c.ran++
		return v + 1, nil
	}))
	return c.then.Load()
}

func (c *chain) linked() *Future[int] {
	for c.then.Load() == nil {
		c.then.Await()
	}
	return c.then.Load()
}

// work is a worker of the lane until the second Future has ended.
func (c *chain) work() {
	for u := c.then.Load(); u == nil || !u.ctx.job.Finished(); u = c.then.Load() {
		if it, ok := c.pool.lanes[deadline.Normal.Lane()].pop(); !ok {
			explore.Yield()
		} else if j := it.job(); j.claimFrom(&c.pool.classes[ordinary]) {
			j.exec.exec(nil)
			j.finish(nil)
		}
	}
}

// A future ends while another is made of it, and then canceled, run by a worker, or waited for where there are no
// workers (J3). The worker has run the first future. A wait runs that unless another goroutine has begun it. In the
// last case the first future does not end before the wait.
func TestExploreALinkEndsOnce(t *testing.T) {
	for _, c := range []struct {
		name                        string
		begun, ends, cancels, waits bool
		preemptions                 int
	}{
		{"worker", true, true, false, false, 3},
		{"worker, canceler", true, true, true, false, 2},
		{"waiter", true, true, false, true, 3},
		{"waiter, canceler", true, true, true, true, 2},
		{"waiter, canceler, of what nobody has begun", false, false, true, true, 2},
		{"waiter, canceler, of what does not end", true, false, true, true, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			explore.Explore(t, c.preemptions, func(p *explore.Program) {
				f := newChain()
				if c.begun {
					f.first.ctx.job.claim()
				}
				canceled := false
				p.Go("linker", func() {
					u := f.link()
					if !c.waits {
						return
					}
					v, err := u.Wait(nil)
					if !u.ctx.job.Finished() || v != 2 && err == nil {
						p.Fail("Wait has returned %d, %v; finished: %v", v, err, u.ctx.job.Finished())
					}
				})
				if c.ends {
					p.Go("source", func() {
						f.first.exec(nil)
						f.first.ctx.job.finish(nil)
						if !c.waits {
							f.work()
						}
					})
				}
				if c.cancels {
					p.Go("canceler", func() { canceled = f.linked().Cancel() })
				}
				p.End(func() error {
					v, err := f.then.Load().Result()
					switch {
					case canceled && (err != ErrCanceled || f.ran != 0):
						return fmt.Errorf("canceled, and ran %d times: %v", f.ran, err)
					case !canceled && (err != nil || v != 2 || f.ran != 1):
						return fmt.Errorf("ran %d times: %d, %v", f.ran, v, err)
					case f.pool.lives.asked.Load() != 0:
						return errors.New("a context is left")
					}
					return nil
				})
			})
		})
	}
}
