package scheduler

import (
	"reflect"
	"sync/atomic"
)

// Awaitable is something that finishes, on whatever goroutine, with a result: a future of package workers,
// for example.
type Awaitable[T any] interface {
	// Notify arranges that f is called once when the result is there: by the goroutine that finishes, or at
	// once. f does not block and may be called anywhere.
	Notify(f func())
	// Result returns the result once it is there.
	Result() (T, error)
}

// Await suspends the coroutine until a has finished, and returns its result. The frame goes on meanwhile;
// the coroutine keeps its priority and then waits for its turn as if it had been submitted when a finished.
// If a has finished already, Await returns at once. It allocates nothing itself.
//
// When the task is cancelled while it awaits, Await does not return (see Co), and a's late notice is
// ignored: a itself goes on unless it is cancelled too. If a is nil, or a nil pointer, as a future that was never made,
// Await and its like panic with their name before they wait.
func Await[T any](co *Co, a Awaitable[T]) (T, error) {
	mustAwait("Await", a)
	c := co.begin()
	w := c.arm()
	a.Notify(w.fn)
	c.await(w)
	return a.Result()
}

// mustAwait panics before anything waits for nothing. A nil pointer is nothing, too: what it does is most often a fault
// in a package of which the caller has not thought. Some 2 ns.
func mustAwait[T any](who string, a Awaitable[T]) {
	if a == nil {
		panic("scheduler: " + who + " of nil")
	}
	if v := reflect.ValueOf(a); v.Kind() == reflect.Pointer && v.IsNil() {
		panic("scheduler: " + who + " of a nil " + v.Type().String())
	}
}

// The states of a waker.
const (
	wakerIdle   uint32 = iota
	wakerArmed         // fn was handed out; the coroutine still runs
	wakerParked        // the coroutine is suspended, or about to be
	wakerFired         // fn was called
	wakerDead          // the coroutine does not wait any more
)

// waker turns one call of fn, on any goroutine, into the resumption of one wait. It belongs to a coroutine
// and is used again for each wait that ended by fn being called; one that was abandoned is dead for good,
// because fn may still be called, or have yet to look whom it resumes (S9). So is one whose Notify panicked, which is
// armed for ever: only an idle one is used again.
type waker struct {
	state atomic.Uint32
	s     *Scheduler
	it    *item  // written before state becomes wakerArmed
	life  uint32 //
	fn    func() // w.fire, made once
}

func (w *waker) fire() {
	// What is read after the swap was written before the coroutine stored wakerParked.
	if w.state.Swap(wakerFired) == wakerParked {
		w.it.resume(w.s, w.life)
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
	w.it, w.life = c.it, lifeOf(c.it.word.Load())
	w.state.Store(wakerArmed)
	return w
}

// await suspends c until w has fired, and reports true; or until giveUp, and reports false.
func (c *coroutine) await(w *waker) bool {
	s, it := c.s, c.it
	if w.state.Load() >= wakerFired {
		return c.awaited(w)
	}
	s.stepped(it)
	if !it.release(phaseHeld) {
		s.current = it
		c.quit()
	}
	it.where = inAwait
	s.waiting++
	if !w.state.CompareAndSwap(wakerArmed, wakerParked) {
		// It fired (or gave up) just now, and saw that nobody was parked: go on at once.
		it.where = nowhere
		s.waiting--
		it.force(phaseRun)
		s.current = it
		return c.awaited(w)
	}
	s.note(Suspended, it)
	c.suspend()
	if c.waker != w {
		return false // unlink found that it had not fired
	}
	w.state.Store(wakerIdle)
	return true
}

// awaited is the end of a wait that did not suspend.
func (c *coroutine) awaited(w *waker) bool {
	if w.state.CompareAndSwap(wakerFired, wakerIdle) {
		return true
	}
	c.waker = nil // fn may still be called
	return false
}

// dropWaker makes sure that a wait which did not end well is never resumed.
func (c *coroutine) dropWaker() {
	if w := c.waker; w != nil && w.state.Load() != wakerIdle && w.state.Swap(wakerDead) != wakerFired {
		c.waker = nil
	}
}
