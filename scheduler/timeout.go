package scheduler

import (
	linked "container/list"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// WithTimeout is context.WithTimeout by the scheduler's clock: the context is done, with the error and the cause
// context.DeadlineExceeded, in the first slice in which d has passed, when a task that ends it has its turn: as
// Immediate work, which comes behind what has expired before, so where that fills slices it is a later one. With the
// cause ErrClosed it is done soon after Close is called, as there are no slices any more: a goroutine of its own sees
// to that, so it need not be done when Close returns, nor in the deferred calls of coroutines that Close unwinds
// (Context is). It is for AwaitContext where the clock is not the system's (Options.Clock), and where a pause of the
// game or a jump of the clock (Shift) is not to count. So its Deadline is the parent's, if that has one: when d will
// have passed by the system's clock nobody knows. Any goroutine; call cancel as soon as what it is for has ended, or
// the context is kept until d has passed. A coroutine that is in AwaitContext of it (not of a context that is derived
// from it) goes on in that very slice. A nil parent is context.Background. It allocates.
func (s *Scheduler) WithTimeout(parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if parent == nil {
		parent = context.Background()
	}
	ctx, stop := context.WithCancelCause(parent)
	c := &timedContext{Context: ctx, s: s, stop: stop, done: make(chan struct{})}
	closed := context.AfterFunc(s.life, func() {
		stop(ErrClosed)
		c.settle()
	})
	ended := context.AfterFunc(ctx, c.settle)
	c.leave = func() { closed(); ended() }
	c.task = Task{Label: "timeout", Priority: deadline.Immediate, Delay: d, Func: func() {
		// They first, in their order: the end has goroutines of the context's own do the same in any order. None of
		// them goes on before this function has ended, so each finds the context done.
		for e := c.wakers.Front(); e != nil; e = e.Next() {
			e.Value.(*waker).giveUp()
		}
		c.timed.Store(true)
		c.end(context.DeadlineExceeded)
	}}
	s.Submit(&c.task)
	return c, func() {
		c.task.Cancel()
		c.end(context.Canceled)
	}
}

// timedContext is what WithTimeout returns. The context within has the parent's values, ends with the parent and knows
// the cause. But its error can be no other than the parent's or Canceled, and what is derived from it would have that.
// So this one has an end of its own, which follows that of the one within: at once, if it is asked for.
type timedContext struct {
	context.Context
	s      *Scheduler
	task   Task
	wakers linked.List // of the coroutines in AwaitContext of it; frame goroutine
	stop   context.CancelCauseFunc
	leave  func()      // lets go of the scheduler's context and of the one within
	timed  atomic.Bool // d has passed

	done    chan struct{}
	mu      sync.Mutex
	err     error       // not nil if done is closed
	derived linked.List // the functions that end what is derived from it
}

// end ends the context, with that cause if it has none.
func (c *timedContext) end(cause error) {
	c.leave()
	c.stop(cause)
	c.settle()
}

// settle ends this context if the one within has ended, and what is derived from it.
func (c *timedContext) settle() {
	err := c.Context.Err()
	if err == nil {
		return
	}
	if c.timed.Load() && context.Cause(c.Context) == context.DeadlineExceeded { // a parent may have that cause, too
		err = context.DeadlineExceeded
	}
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err = err
	close(c.done)
	c.mu.Unlock()
	for e := c.derived.Front(); e != nil; e = e.Next() { // they are not touched any more
		e.Value.(func())()
	}
	c.derived.Init() // who keeps this context does not keep them
}

// Done is that of a context.Context.
func (c *timedContext) Done() <-chan struct{} {
	c.settle()
	return c.done
}

// Err is that of a context.Context.
func (c *timedContext) Err() error {
	c.settle()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// AfterFunc is what package context asks for, lest each context that is derived from this one has a goroutine which
// waits for the end. (If there is a WithValue between them it has.) It may hold a lock that f takes.
func (c *timedContext) AfterFunc(f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		go f()
		return func() bool { return false }
	}
	e := c.derived.PushBack(f)
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.err != nil {
			return false
		}
		c.derived.Remove(e)
		return true
	}
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
