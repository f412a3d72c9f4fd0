package scheduler

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/frameslice/frameslice/internal/atomic"

	"github.com/frameslice/frameslice/deadline"
)

// ErrTimeout is the error of an [AwaitTimeout] that took too long. It wraps context.DeadlineExceeded.
var ErrTimeout = fmt.Errorf("scheduler: timed out (%w)", context.DeadlineExceeded)

// Awaitable is something that finishes with a result, such as a future of package workers. [Task.Why] names it by its
// type, or by its method String if it has one.
type Awaitable[T any] interface {
	// Notify calls f once: when the result comes, or at once if it is there. f does not block.
	Notify(f func())
	// Result returns the result once it is there.
	Result() (T, error)
}

// Await suspends the coroutine until a has finished, and returns a's result. If the task is cancelled meanwhile, Await
// does not return (see [Co]); a itself continues. Await allocates nothing. It panics if a is nil or a nil pointer.
func Await[T any](co *Co, a Awaitable[T]) (T, error) {
	mustAwait("Await", a)
	c := co.begin()
	c.noteAwait(a)
	w := c.arm()
	a.Notify(w.fn)
	c.await(w)
	return a.Result()
}

// AwaitTimeout is [Await] for at most d, by the time of the task's group, or else by the scheduler's clock; then it
// returns [ErrTimeout]. If a has finished already, AwaitTimeout returns the result even if d is zero. The timeout does
// not stop a. A coroutine's first AwaitTimeout allocates.
func AwaitTimeout[T any](co *Co, a Awaitable[T], d time.Duration) (T, error) {
	mustAwait("AwaitTimeout", a)
	c := co.begin()
	c.noteAwait(a)
	w := c.arm()
	a.Notify(w.fn)
	if w.state.Load() == wakerFired {
		c.await(w)
		return a.Result()
	}
	c.startTimer(d)
	if !c.await(w) {
		var zero T
		return zero, ErrTimeout
	}
	c.stopTimer()
	return a.Result()
}

// mustAwait panics if a is nil or a nil pointer: a future that was never made. About 2 ns.
func mustAwait[T any](verb string, a Awaitable[T]) {
	if a == nil {
		panic("scheduler: " + verb + " of nil")
	}
	if v := reflect.ValueOf(a); v.Kind() == reflect.Pointer && v.IsNil() {
		panic("scheduler: " + verb + " of a nil " + v.Type().String())
	}
}

// startTimer starts the timer that ends the next wait after d, by the time of the coroutine's group.
func (c *coroutine) startTimer(d time.Duration) {
	t := c.timer
	if t == nil {
		// Immediate: no task of the coroutine's priority may delay the end of the wait.
		t = &Task{Label: "timeout", Priority: deadline.Immediate, c: c}
		t.item.order = timerOrder
		t.Func = func() {
			if c.waker != nil { // else the coroutine is about to unwind
				c.waker.giveUp()
			}
		}
		c.timer = t
	}
	t.Delay = d
	c.s.Submit(t)
}

// The states of a waker.
const (
	wakerIdle   uint32 = iota
	wakerArmed         // fn was handed out; the coroutine still runs
	wakerParked        // the coroutine is suspended, or about to be
	wakerFired         // fn was called
	wakerDead          // the coroutine does not wait any more
)

// waker turns one call of fn, on any goroutine, into the resumption of one wait. A waker belongs to a coroutine, which
// uses it again after each wait that a call of fn has ended. After any other end the waker is dead: fn may still be
// called, or may be about to read which coroutine to resume.
//
// S9. An Await is resumed once. The coroutine sets stateHeld, and then moves the waker from armed to parked. The
// finisher swaps the state to fired, and sends the message if it was parked. If the finisher was first, the coroutine's
// compare-and-swap fails, and the coroutine continues at once. Otherwise the message finds stateHeld.
//
// S18. A wait with a timeout ends once too. Its timer runs on the frame goroutine while the coroutine is suspended, and
// moves the waker from parked to dead with a compare-and-swap, so it never undoes a fired state. Then it sends the
// message. The finisher's swap finds dead, and sends none. The waker is used again only if fn was called.
type waker struct {
	state      atomic.Uint32
	s          *Scheduler
	it         *item // written before state becomes wakerArmed
	generation uint32
	fn         func() // w.fire, made once
}

func (w *waker) fire() {
	// The fields that are read after the swap were written before the coroutine stored wakerParked.
	if w.state.Swap(wakerFired) == wakerParked {
		w.it.resume(&w.s.intake, w.generation)
	}
}

// giveUp ends a wait that has not ended. Frame goroutine, while the coroutine is suspended.
func (w *waker) giveUp() {
	if w.state.CompareAndSwap(wakerParked, wakerDead) {
		w.it.resume(&w.s.intake, w.generation)
	}
}

// arm prepares a wait.
func (c *coroutine) arm() *waker {
	w := c.waker
	if w == nil || w.state.Load() != wakerIdle {
		w = &waker{s: c.s}
		w.fn = w.fire
		c.waker = w
	}
	w.it, w.generation = c.it, generationOf(c.it.word.Load())
	w.state.Store(wakerArmed)
	return w
}

// await suspends c until w has fired and returns true, or until giveUp and returns false.
func (c *coroutine) await(w *waker) bool {
	s, it := c.s, c.it
	if w.state.Load() == wakerFired {
		return c.awaited(w)
	}
	s.stepped(it)
	c.release(stateHeld)
	it.where = inAwait
	s.waiting++
	if !w.state.CompareAndSwap(wakerArmed, wakerParked) {
		// fire came first and found the coroutine not parked, so it sends no message: continue at once.
		it.where = nowhere
		s.waiting--
		it.forceState(stateRun)
		s.current = it
		return c.awaited(w)
	}
	s.note(Suspended, it)
	c.suspend()
	c.awaits = nil
	if c.waker != w {
		return false // dropWaker has taken the waker away: it had not fired
	}
	w.state.Store(wakerIdle)
	return true
}

// noteAwait keeps an awaitable for Why, and the address to find the run of the job.
func (c *coroutine) noteAwait(a any) {
	c.awaits = a
	if c.s.keepsRuns() {
		if v := reflect.ValueOf(a); v.Kind() == reflect.Pointer {
			c.s.watch.awaits = uint64(v.Pointer())
		}
	}
}

// awaited is the end of a wait that did not suspend, because w has fired.
func (c *coroutine) awaited(w *waker) bool {
	c.awaits = nil
	if w := c.s.watch; w != nil {
		w.awaits = 0
	}
	w.state.Store(wakerIdle)
	return true
}
