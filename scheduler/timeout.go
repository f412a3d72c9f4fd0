package scheduler

import (
	linked "container/list"
	"context"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// WithTimeout is context.WithTimeout by the scheduler's clock: the context is done, with the cause
// context.DeadlineExceeded, in the first slice in which d has passed, when a task that ends it has its turn: as
// Immediate work, which comes behind what has expired before, so where that fills slices it is a later one. With the
// cause ErrClosed it is done soon after Close is called, as there are no slices any more: a goroutine of its own sees
// to that, so it need not be done when Close returns, nor in the deferred calls of coroutines that Close unwinds
// (Context is). It is for AwaitContext where the clock is not the system's (Options.Clock), and where a pause of the
// game or a jump of the clock (Shift) is not to count. Any goroutine; call cancel as soon as what it is for has ended,
// or the context is kept until d has passed. A coroutine that is in AwaitContext of it (not of a context that is
// derived from it) goes on in that very slice. A nil parent is context.Background. It allocates.
func (s *Scheduler) WithTimeout(parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if parent == nil {
		parent = context.Background()
	}
	ctx, stop := context.WithCancelCause(parent)
	c := &timedContext{Context: ctx, s: s}
	leave := context.AfterFunc(s.life, func() { stop(ErrClosed) })
	c.task = Task{Label: "timeout", Priority: deadline.Immediate, Delay: d, Func: func() {
		leave()
		// They first, in their order: stop has goroutines of the context's own do the same in any order. None of them
		// goes on before this function has ended, so each finds the context done.
		for e := c.wakers.Front(); e != nil; e = e.Next() {
			e.Value.(*waker).giveUp()
		}
		stop(context.DeadlineExceeded)
	}}
	s.Submit(&c.task)
	return c, func() {
		c.task.Cancel()
		leave()
		stop(context.Canceled)
	}
}

// timedContext is what WithTimeout returns.
type timedContext struct {
	context.Context
	s      *Scheduler
	task   Task
	wakers linked.List // of the coroutines in AwaitContext of it; frame goroutine
}

// Err returns context.DeadlineExceeded if that is the cause, which the embedded context does not.
func (c *timedContext) Err() error {
	err := c.Context.Err()
	if err != nil && context.Cause(c.Context) == context.DeadlineExceeded {
		return context.DeadlineExceeded
	}
	return err
}

// attend has c give up w when its time is over, in the slice in which it is, and not when a goroutine of the context
// has come to tell. giveUp may be called as often as one likes.
func attend(ctx context.Context, w *waker) (leave func()) {
	c, ok := ctx.(*timedContext)
	if !ok || c.s != w.s {
		return func() {}
	}
	e := c.wakers.PushBack(w)
	return func() { c.wakers.Remove(e) }
}
