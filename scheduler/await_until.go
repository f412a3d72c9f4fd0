package scheduler

import (
	"context"
	"fmt"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// ErrTimeout is the outcome of an Await that took too long. errors.Is(ErrTimeout, context.DeadlineExceeded)
// holds.
var ErrTimeout = fmt.Errorf("scheduler: timed out (%w)", context.DeadlineExceeded)

// AwaitTimeout is Await for at most d; then it returns ErrTimeout. If a has finished already, it returns the
// result, even if d is zero or less. The timeout ends the wait and not what is awaited: a itself goes on
// unless it is cancelled, and its late notice is ignored. It allocates one Task at the first call of each
// coroutine, and a waker after each timeout.
func AwaitTimeout[T any](co *Co, a Awaitable[T], d time.Duration) (T, error) {
	mustAwait("AwaitTimeout", a)
	c := co.begin()
	w := c.arm()
	a.Notify(w.fn)
	if w.state.Load() != wakerFired {
		t := c.startTimer(d)
		if !c.await(w) {
			var zero T
			return zero, ErrTimeout
		}
		t.Cancel()
		return a.Result()
	}
	c.await(w)
	return a.Result()
}

// startTimer begins the time that the wait which follows may take.
func (c *coroutine) startTimer(d time.Duration) *Task {
	t := c.timer
	if t == nil {
		// Immediate, so that it waits for nobody whom the coroutine, which may be raised meanwhile, would pass.
		t = &Task{Label: "timeout", Priority: deadline.Immediate}
		t.Func = c.timeUp
		c.timer = t
	}
	t.Delay = d
	c.s.Submit(t)
	return t
}

// timeUp is what the timer of AwaitTimeout and WaitTimeout does. It is cancelled when the wait ends otherwise, so it
// means the present one.
func (c *coroutine) timeUp() {
	switch {
	case c.it != nil && c.it.where == inWait:
		c.waitErr = ErrTimeout
		c.s.wakeUp(c.it, c.s.now)
	case c.waker != nil: // else it is about to unwind
		c.waker.giveUp()
	}
}

// WaitTimeout is Wait for at most d; then it returns ErrTimeout. If t has ended already, it returns its Err, even if
// d is zero or less. The timeout ends the wait and not t, which goes on unless it is cancelled, and keeps the priority
// that it was given. It allocates one Task at the first call of each coroutine.
func (co *Co) WaitTimeout(t *Task, d time.Duration) error {
	c := co.begin()
	if !c.turnTo(t) {
		return t.Err()
	}
	return c.waitTimeout(d)
}

// waitTimeout is wait for at most d.
func (c *coroutine) waitTimeout(d time.Duration) error {
	timer := c.startTimer(d)
	err := c.wait()
	timer.Cancel()
	return err
}

// AwaitContext is Await until ctx is done; then it returns context.Cause(ctx). If a has finished already, it
// returns the result, even if ctx is done. Otherwise it is like AwaitTimeout. ctx's deadline is by the system's
// clock, but for that of [Scheduler.WithTimeout]. A nil ctx is context.Background. It allocates.
func AwaitContext[T any](ctx context.Context, co *Co, a Awaitable[T]) (T, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	mustAwait("AwaitContext", a)
	c := co.begin()
	w := c.arm()
	a.Notify(w.fn)
	if ctx.Err() != nil { // do not wait until a goroutine of the context has said so
		w.giveUp()
	}
	stop := context.AfterFunc(ctx, w.giveUp)
	leave := attend(ctx, w)
	// A call of giveUp that has begun may come at any time, so it must not find w in use for another wait.
	defer func() {
		leave()
		if !stop() && c.waker == w {
			c.waker = nil
		}
	}()
	if !c.await(w) {
		var zero T
		return zero, context.Cause(ctx)
	}
	return a.Result()
}

// giveUp ends a wait that has not ended. Any goroutine. Unlike fire it does not know that this is the first
// time, so it must not take back what fire said.
func (w *waker) giveUp() {
	for {
		switch old := w.state.Load(); old {
		case wakerArmed, wakerParked:
			if !w.state.CompareAndSwap(old, wakerDead) {
				continue
			}
			if old == wakerParked {
				w.it.resume(w.s, w.life)
			}
		}
		return
	}
}

// Background runs f elsewhere and returns its result: the coroutine hops off the frame goroutine and back. It
// is Await of what submit returns, which gets the coroutine's present priority. With a pool of workers:
//
//	v, err := scheduler.Background(co, func(p deadline.Priority, f func() (V, error)) *workers.Future[V] {
//		return workers.Submit(pool, p, f)
//	}, load)
//
// If the task is cancelled while it waits, and what submit returned has a method Cancel() bool, that is
// called: what has not started will not.
func Background[T any, A Awaitable[T]](
	co *Co, submit func(deadline.Priority, func() (T, error)) A, f func() (T, error),
) (T, error) {
	if submit == nil || f == nil {
		panic("scheduler: Background with a nil function")
	}
	co.begin()
	a := submit(co.Priority(), f)
	mustAwait("Background", Awaitable[T](a))
	returned := false
	defer func() {
		if c, ok := any(a).(interface{ Cancel() bool }); ok && !returned {
			c.Cancel()
		}
	}()
	v, err := Await(co, a)
	returned = true
	return v, err
}
