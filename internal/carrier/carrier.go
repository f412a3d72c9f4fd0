// Package carrier runs foreign functions on a coroutine of the calling goroutine. So neither a panic nor a
// runtime.Goexit in them reaches the frame goroutine, which must go on. (testing.T.FailNow calls runtime.Goexit, too.)
//
// A deferred function can stop a panic, but nothing stops a Goexit on the goroutine that called it. So the function
// runs on a coroutine (iter.Pull). A coroutine has a goroutine of its own, and runs in turns with its resumer, on the
// resumer's thread. A turn takes some 60 ns.
//
// iter.Pull forwards a Goexit to the resumer, which must not happen. So the coroutine's outermost deferred function
// panics with a private value while the Goexit unwinds. iter.Pull recovers that panic, takes it for the coroutine's
// end, and raises it in the resumer, where Run recovers it. The coroutine's goroutine ends as its Goexit demands, so
// nothing leaks.
//
// The deferred function nearest to the foreign one cannot do this. It may have recovered a panic that was raised during
// a Goexit. Then nothing shows the Goexit, which goes on afterwards.
//
// # Threads
//
// A coroutine must be resumed under the thread-lock state (and, if locked, on the thread) of the goroutine that created
// it. Otherwise the runtime throws, which cannot be recovered. Run creates the coroutine when it is first needed. So
// keep a Carrier on one goroutine, and do not lock or unlock that goroutine's thread in between.
package carrier

import (
	"iter"

	"github.com/frameslice/frameslice/internal/fault"
	"github.com/frameslice/frameslice/internal/where"
)

// An Outcome says how a function ended, or that it has not ended yet.
type Outcome uint8

const (
	Returned  Outcome = iota // it returned
	Panicked                 // it panicked: see Panic
	Exited                   // it called runtime.Goexit
	Suspended                // it called Suspend: Resume goes on with it
)

// A Carrier runs functions one after the other on one coroutine. The zero Carrier is ready; Close ends it. It
// must not be copied after first use, and belongs to one goroutine. Creating and ending its coroutine takes
// about 350 ns and six small allocations, a Run after the first about 60 ns and none.
type Carrier struct {
	// At is the coroutine's record, in which its functions run. Set Kind and Owner before the first Run.
	At where.Record

	// Panic is the panic of the last function that ended with Panicked.
	Panic *fault.PanicError

	// Own says that Panic was first caught here, so nobody else has it yet. Otherwise it was raised again here.
	Own bool

	next  func() (Outcome, bool)
	stop  func()
	yield func(Outcome) bool
	f     func()
	label string
	busy  bool // a function is suspended within
}

// goexit is the value with which a dying coroutine reports a Goexit to its resumer.
type goexit struct{ c *Carrier }

// unwind is the value with which Close unwinds a function that is suspended.
type unwind struct{ c *Carrier }

// Run runs f on the coroutine until it ends or suspends. The label names it in a PanicError.
func (c *Carrier) Run(label string, f func()) Outcome {
	if c.busy {
		panic("carrier: Run while a function is suspended")
	}
	c.f, c.label = f, label
	if c.next == nil {
		c.next, c.stop = iter.Pull(c.loop)
	}
	c.busy = true
	return c.resume()
}

// Resume goes on with the function that is suspended.
func (c *Carrier) Resume() Outcome {
	if !c.busy {
		panic("carrier: Resume with nothing suspended")
	}
	return c.resume()
}

// Busy reports whether a function is suspended.
func (c *Carrier) Busy() bool { return c.busy }

// Suspend gives the turn back to Run or Resume, whose result is then Suspended, and returns when Resume is
// called. Only the function that runs on c may call it. If c is closed meanwhile, it does not return: it
// unwinds the function, whose deferred calls run.
func (c *Carrier) Suspend() {
	if !c.yield(Suspended) {
		panic(unwind{c})
	}
}

// Close unwinds a suspended function, if there is one, and ends the coroutine. After that c is ready for use again.
func (c *Carrier) Close() {
	if c.stop == nil {
		return
	}
	defer func() {
		v := recover()
		c.reset()
		if g, ok := v.(goexit); v != nil && !(ok && g.c == c) {
			panic(v)
		}
	}()
	c.stop()
}

func (c *Carrier) reset() {
	c.next, c.stop, c.yield, c.f, c.busy = nil, nil, nil, nil, false
}

// resume takes a turn.
func (c *Carrier) resume() (o Outcome) {
	defer func() {
		if v := recover(); v != nil {
			if g, ok := v.(goexit); !ok || g.c != c {
				panic(v)
			}
			c.reset()
			o = Exited
		}
	}()
	o, _ = c.next()
	if o != Suspended {
		c.busy = false
	}
	return o
}

// loop is the coroutine: one function a turn.
func (c *Carrier) loop(yield func(Outcome) bool) {
	c.At.Enter()
	defer c.At.Leave()
	stopped := false
	defer func() {
		if !stopped {
			panic(goexit{c}) // see the package comment
		}
	}()
	c.yield = yield
	for yield(c.call()) {
	}
	stopped = true
}

// call runs one function. It returns unless the function called Goexit.
func (c *Carrier) call() (o Outcome) {
	returned := false
	defer func() {
		if returned {
			return
		}
		v := recover()
		if v == nil {
			return // a Goexit, which goes on
		}
		if u, ok := v.(unwind); ok && u.c == c {
			o = Suspended // nobody looks at it: the yield that follows reports false
			return
		}
		c.Panic = fault.Capture(c.label, v)
		c.Own = v != any(c.Panic)
		o = Panicked
	}()
	f := c.f
	c.f = nil
	f()
	returned = true
	return Returned
}
