// Package carrier runs foreign functions on a coroutine of the calling goroutine. So neither a panic nor a
// runtime.Goexit in them reaches the frame goroutine, which must continue. (testing.T.FailNow calls runtime.Goexit,
// too.)
//
// A deferred function can stop a panic, but nothing stops a Goexit on the goroutine that called it. So the function
// runs on a coroutine (iter.Pull). A coroutine has a goroutine of its own, and runs in turns with its resumer, on the
// resumer's thread. A turn takes about 60 ns. A [Carrier] runs a function in one turn; a [Coroutine] may yield.
//
// # Threads
//
// A coroutine must be resumed under the thread-lock state (and, if locked, on the thread) of the goroutine that created
// it. Otherwise the runtime throws, which cannot be recovered. Run creates the coroutine when it is first needed. So
// keep a Carrier on one goroutine, and do not lock or unlock that goroutine's thread in between.
package carrier

import "github.com/frameslice/frameslice/internal/fault"

// An Outcome says how a function ended, or that it has not ended yet.
type Outcome uint8

const (
	Returned  Outcome = iota // it returned
	Panicked                 // it panicked: see Panic
	Exited                   // it called runtime.Goexit
	Suspended                // it waits for its next turn, where a caller takes turns with it; never Run's
)

// A Carrier runs functions one after the other on one coroutine. The zero Carrier is ready; Close ends it. It
// must not be copied after first use, and belongs to one goroutine. Creating and ending its coroutine takes
// about 350 ns and a few small allocations, a Run after the first about 60 ns and none.
type Carrier struct {
	Coroutine

	// Panic is the panic of the last function that ended with Panicked.
	Panic *fault.PanicError

	// Own says that Panic was first caught here, so nobody else has it yet. Otherwise it was raised again here.
	Own bool

	f     func()
	label string
	out   Outcome
	busy  bool
}

// Run runs f on the coroutine until it ends. The label names it in a PanicError.
func (c *Carrier) Run(label string, f func()) Outcome {
	if c.busy {
		panic("carrier: Run within a Run")
	}
	c.f, c.label = f, label
	if !c.Alive() {
		c.Start(c)
	}
	c.busy = true
	exited := c.Turn()
	c.busy = false
	if exited {
		return Exited
	}
	return c.out
}

// Busy reports whether a function runs.
func (c *Carrier) Busy() bool { return c.busy }

// Close ends the coroutine. After that c is ready for use again.
func (c *Carrier) Close() {
	if c.Alive() {
		c.Stop()
	}
}

// Do is the coroutine's job: it runs one function, and returns unless the function called Goexit.
func (c *Carrier) Do() {
	returned := false
	defer func() {
		if returned {
			return
		}
		if v := recover(); v != nil { // otherwise a Goexit, which continues
			c.Panic = fault.Capture(c.label, v)
			c.Own = v != any(c.Panic)
			c.out = Panicked
		}
	}()
	f := c.f
	c.f = nil
	f()
	returned = true
	c.out = Returned
}
