package workers_test

import (
	"context"
	"sync/atomic"

	"github.com/frameslice/frameslice/workers"
)

// A spot is where an act is done: in the function of the book b, on the Worker w if that is to be had.
type spot struct {
	w *workers.Worker
	b *book
}

// do does a, and looks whether what it was promised is so.
func (c *course) do(at spot, a *act) {
	switch a.verb {
	case vJob, vAgain, vCancel:
		c.doJob(at, a)
	case vGo:
		c.doGo(at, a)
	case vFuture, vThen, vOther, vIO:
		c.doFuture(at, a)
	case vFork:
		c.doFork(at, a)
	case vLoop:
		c.doLoop(at, a)
	case vGroup:
		c.doGroup(at, a)
	case vBlocking, vGoroutine:
		c.doBlocking(at, a)
	default:
		c.doSmall(at, a)
	}
}

// wait waits for what f waits for, as a says, and reports whether it has seen the end.
func (c *course) wait(a *act, b *book, f func(ctx context.Context) error) {
	if a.wait == waitsNot {
		return
	}
	ctx, cancel := contextFor(a)
	defer cancel()
	err := f(ctx)
	if ctx != nil && ctx.Err() != nil && err == context.Cause(ctx) {
		return
	}
	c.checkEnd(b, err)
}

func (c *course) doJob(at spot, a *act) {
	j := &workers.Job{Priority: a.prio}
	rounds := 1
	if a.verb == vAgain {
		rounds = 1 + a.n%5
	}
	for round := range rounds {
		b := c.book(a, nil)
		b.job = true
		j.Func = func(w *workers.Worker) { _ = c.body(a, b, w) }
		b.err = func() (error, bool) {
			if j.State() != workers.Finished {
				return nil, false
			}
			return j.Err(), true
		}
		notify := a.k%3 == 0
		if notify && a.k%2 == 0 && round == 0 {
			b.wantTold.Add(1)
			j.Notify(func() { b.told.Add(1) })
		}
		switch {
		case at.w != nil && a.n%4 > 0:
			at.w.Submit(j)
		default:
			c.p.Submit(j)
		}
		if notify && a.k%2 == 1 {
			b.wantTold.Add(1)
			j.Notify(func() { b.told.Add(1) })
		}
		if a.verb == vCancel {
			b.canceled.Store(true)
			b.canceled.Store(j.Cancel())
		}
		if a.verb == vJob {
			c.share(&shared{b: b, wait: j.Wait, cancel: j.Cancel, notify: j.Notify})
		}
		if round == rounds-1 {
			c.wait(a, b, j.Wait)
			return
		}
		err := j.Wait(background)
		c.checkEnd(b, err)
		b.err = func() (error, bool) { return err, true }
	}
}

func (c *course) doGo(at spot, a *act) {
	b := c.book(a, nil)
	b.job = true
	f := func() { _ = c.body(a, b, nil) }
	if at.w != nil && a.n%4 > 0 {
		at.w.Go(a.prio, f)
	} else {
		c.p.Go(a.prio, f)
	}
}

func (c *course) doFuture(at spot, a *act) {
	b := c.book(a, nil)
	b.job = true
	f := func(context.Context) (int, error) { return a.id, c.body(a, b, nil) }
	var u *workers.Future[int]
	switch a.verb {
	case vOther:
		b.job, b.other = false, true
		u = workers.Submit(c.p2, a.prio, f)
	case vIO:
		b.job, b.io = false, true
		u = workers.SubmitIO(c.p, f)
	default:
		u = workers.Submit(c.p, a.prio, f)
	}
	look := func(u *workers.Future[int], b *book) {
		b.err = func() (error, bool) {
			select {
			case <-u.Done():
			default:
				return nil, false
			}
			v, err := u.Result()
			if err == nil && v != a.id {
				c.Fail("%v is %d", a, v)
			}
			return err, true
		}
		b.wantTold.Add(1)
		u.Notify(func() { b.told.Add(1) })
	}
	if a.verb != vThen {
		look(u, b)
		c.share(&shared{b: b, wait: func(ctx context.Context) error { _, err := u.Wait(ctx); return err },
			cancel: u.Cancel, notify: u.Notify, u: u})
		if a.k%5 == 0 {
			b.canceled.Store(true)
			u.Cancel()
		}
		c.wait(a, b, func(ctx context.Context) error { _, err := u.Wait(ctx); return err })
		return
	}
	first, steps, last := u, atomic.Int32{}, 1+a.n%3
	var ts []*workers.Future[int]
	for range last {
		u = workers.Then(u, func(_ context.Context, v int) (int, error) { steps.Add(1); c.steps.Add(1); return v, nil })
		ts = append(ts, u)
	}
	if a.k%5 == 0 {
		ts[a.k/5%last].Cancel()
	}
	look(first, b)
	if a.wait == waitsNot {
		return
	}
	ctx, cancel := contextFor(a)
	defer cancel()
	v, err := u.Wait(ctx)
	switch {
	case err == nil && (v != a.id || steps.Load() != int32(last)):
		c.Fail("%v: %d after %d steps of %d", a, v, steps.Load(), last)
	case err == nil:
		c.checkEnd(b, nil)
	}
}

// shared is a job that others than the one who has submitted it know.
type shared struct {
	b      *book
	u      *workers.Future[int]
	wait   func(context.Context) error
	cancel func() bool
	notify func(func())
}

func (c *course) share(s *shared) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shared = append(c.shared, s)
}

// doShared does something with a job that somebody else has submitted. In a job it does not wait, which might
// close a circle.
func (c *course) doShared(at spot, a *act) {
	c.mu.Lock()
	var s *shared
	if n := len(c.shared); n > 0 {
		s = c.shared[max(0, n-1-a.n%4)]
	}
	c.mu.Unlock()
	if s == nil {
		return
	}
	switch a.k % 5 {
	case 0:
		s.b.canceled.Store(true)
		s.cancel()
	case 1:
		s.b.wantTold.Add(1)
		s.notify(func() { s.b.told.Add(1) })
	case 2:
		if s.u != nil {
			v := workers.Then(s.u, func(_ context.Context, v int) (int, error) {
				if !s.b.other {
					c.steps.Add(1)
				}
				return v, nil
			})
			if a.n%3 == 0 {
				v.Cancel()
			}
		}
	default:
		if at.b == nil {
			c.wait(a, s.b, s.wait)
		}
	}
}
