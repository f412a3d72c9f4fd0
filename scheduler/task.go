package scheduler

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/fault"
)

// ErrCanceled is the outcome of a task that was cancelled. errors.Is(ErrCanceled, context.Canceled) holds.
var ErrCanceled = fmt.Errorf("scheduler: task canceled (%w)", context.Canceled)

// ErrClosed is the outcome of a task that Close cancelled, or that was submitted after Close.
// errors.Is(ErrClosed, ErrCanceled) holds.
var ErrClosed = fmt.Errorf("scheduler: closed (%w)", ErrCanceled)

// ErrGoexit is the outcome of a task that called [runtime.Goexit], which testing.T.FailNow does too.
var ErrGoexit = fault.ErrGoexit

// PanicError is the outcome of a task that panicked.
type PanicError = fault.PanicError

// errShape is what misuse of Submit panics with.
const errShape = "scheduler: Submit of a Task without exactly one of Func, Step and Co"

// State says where a task stands.
type State uint8

// The states. A task moves from Queued to Running, and from there to one of the last three, possibly by way of
// Queued again (between the steps of Step and after Yield) and Suspended.
const (
	Unsubmitted State = iota // never submitted; or a posted function that ended so long ago that it is forgotten
	Queued                   // waits for its turn, or for its delay
	Running
	Suspended // a coroutine that waits for a frame, a task or an Awaitable
	Done      // returned
	Failed    // panicked or called runtime.Goexit
	Canceled  // cancelled, by Cancel or Close
)

var stateNames = [...]string{"unsubmitted", "queued", "running", "suspended", "done", "failed", "canceled"}

// String returns the constant's name in lower case.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return fmt.Sprintf("State(%d)", uint8(s))
}

func stateOf(w word) State {
	switch w & phaseMask {
	case phaseReady:
		return Queued
	case phaseRun:
		return Running
	case phaseHeld:
		return Suspended
	}
	switch ended(w) {
	case endDone:
		return Done
	case endFailed:
		return Failed
	case endCanceled, endClosed:
		return Canceled
	}
	return Unsubmitted
}

// Task is a piece of work for the frame goroutine: specification, handle and storage in one. Fill in the exported
// fields, and pass it to [Scheduler.Submit]; embed it in the thing that it works on and it costs no allocation. It may
// be submitted again once it has ended, and by its own function.
//
// The exported fields are read by the frame goroutine from Submit until the task ends: do not write them in between
// (except from the task's own function). A Task must not be copied after its first Submit.
type Task struct {
	// Label names the task in reports and is its kind for cost estimates. If it is empty, the function is its kind
	// and its name: tasks which run the same function with very different costs should have labels. A label is the
	// name of a kind, not of one task: beyond 1,024 kinds the estimates start afresh.
	Label string

	// Priority is the urgency. The default (zero) value is Normal.
	Priority deadline.Priority

	// Delay is the least time from Submit to the start. The default (zero) value, or a negative one, is none.
	Delay time.Duration

	// Timeout is the time from the start to the expiration. The default (zero) value is that of the priority
	// (Options.Timeouts); SetPriority goes back to that.
	Timeout time.Duration

	// Cost, if positive, is how long a run (a step) takes, and replaces the estimate.
	Cost time.Duration

	// Exactly one of the following is set.

	// Func is a plain function.
	Func func()
	// Step does one piece of work and reports whether there is more. The scheduler decides whether the next step is
	// still in this slice.
	Step func() (more bool)
	// Co is a coroutine: straight-line code that suspends itself by the methods of Co.
	Co func(*Co)

	item     item
	s        atomic.Pointer[Scheduler]
	done     atomic.Pointer[doneChan]
	failure  atomic.Pointer[error]
	waiters  list       // coroutines in Co.Wait; frame goroutine
	waitLife uint32     // the life that they wait for
	c        *coroutine // while it has a stack; frame goroutine
	co       Co
	slice    uint32 // the slice that used and steps refer to; frame goroutine
	steps    uint32
	usedTime time.Duration
}

// doneChan is the channel of one life.
type doneChan struct {
	life uint32
	c    chan struct{}
}

// closedChan is what Done returns for a life that has ended. It is never changed.
var closedChan = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

func (t *Task) shape() word {
	if t.Func == nil {
		return flagSteps
	}
	return 0
}

// Cancel ends the task if it has not run, stops it between two steps, or unwinds the coroutine at the point where it is
// suspended (deferred calls run, in the next slice, as Immediate work). It reports whether this call did it: true means
// that the task's state will be Canceled, unless it panics while it unwinds. A Func that is running is not stopped; if
// it was submitted again meanwhile, that submission is what Cancel cancels.
//
// Any goroutine may call it, at any time, any number of times. It never blocks and takes some 10 ns. Waiting tasks are
// out of the queue with the next message that the frame goroutine reads: at the latest before the next task starts.
func (t *Task) Cancel() bool {
	s := t.s.Load()
	return s != nil && t.item.cancel(s, lifeOf(t.item.word.Load()), endCanceled)
}

// SetPriority changes the priority of a task that has not ended, and reports whether it had not. The task keeps its
// place by submission: it goes where it would be had it been submitted with that priority. It takes effect before the
// next task starts. The field Priority is left alone. Any goroutine may call it; it panics if p is invalid.
func (t *Task) SetPriority(p deadline.Priority) bool {
	mustBeValid(p)
	s := t.s.Load()
	return s != nil && t.item.setPriority(s, lifeOf(t.item.word.Load()), p)
}

// State returns where the task stands. Any goroutine.
func (t *Task) State() State { return stateOf(t.item.word.Load()) }

// Err returns nil if the task has not ended or returned, ErrCanceled, ErrClosed, ErrGoexit or a *PanicError. Any
// goroutine; after <-t.Done() it is the final word.
func (t *Task) Err() error {
	switch ended(t.item.word.Load()) {
	case endCanceled:
		return ErrCanceled
	case endClosed:
		return ErrClosed
	case endFailed:
		if err := t.failure.Load(); err != nil {
			return *err
		}
	}
	return nil
}

// errOf is Err for a life that is just ending.
func (t *Task) errOf(how word) error {
	switch how {
	case endCanceled:
		return ErrCanceled
	case endClosed:
		return ErrClosed
	case endFailed:
		return *t.failure.Load()
	}
	return nil
}

// Done returns a channel that is closed when the current life of the task ends: the run that the last Submit asked for.
// Before the first Submit it returns nil. What the task did happens before the close. Any goroutine; the first call in
// each life allocates. A coroutine uses [Co.Wait] instead: to receive from the channel there would block the frame.
func (t *Task) Done() <-chan struct{} {
	var d *doneChan
	for {
		w := t.item.word.Load()
		if w&phaseMask == phaseIdle {
			if lifeOf(w) == 0 {
				return nil
			}
			return closedChan
		}
		life := lifeOf(w)
		old := t.done.Load()
		if old != nil && old.life == life {
			return old.c
		}
		if d == nil {
			d = &doneChan{c: make(chan struct{})}
		}
		d.life = life
		if !t.done.CompareAndSwap(old, d) {
			continue
		}
		// The life may have ended before it could see d: then whoever takes d out of t.done closes it.
		if w := t.item.word.Load(); lifeOf(w) != life || w&phaseMask == phaseIdle {
			t.closeDone(life)
		}
		return d.c
	}
}

// closeDone closes the channel of a life that has ended. Any goroutine, any number of times.
func (t *Task) closeDone(life uint32) {
	if d := t.done.Load(); d != nil && d.life == life && t.done.CompareAndSwap(d, nil) {
		close(d.c)
	}
}

// Handle refers to one posted function. It is a small value to be copied at will; its methods may be called from any
// goroutine, and stay harmless after the function has ended, however often its storage was used again since. The zero
// Handle refers to nothing: it is Unsubmitted and cannot be cancelled.
type Handle struct {
	s    *Scheduler
	it   *item
	life uint32
}

// Cancel prevents the run, and reports whether it did: false means that the function has started, has ended or was
// cancelled before. It never blocks and takes some 10 ns.
func (h Handle) Cancel() bool { return h.it != nil && h.it.cancel(h.s, h.life, endCanceled) }

// SetPriority changes the priority of a function that has not ended, and reports whether it had not. See
// [Task.SetPriority].
func (h Handle) SetPriority(p deadline.Priority) bool {
	mustBeValid(p)
	return h.it != nil && h.it.setPriority(h.s, h.life, p)
}

// State returns where the function stands. What has ended is forgotten, and then Unsubmitted, when its storage is used
// for another function.
func (h Handle) State() State {
	if h.it == nil {
		if h.life != 0 {
			return Canceled // posted after Close
		}
		return Unsubmitted
	}
	w := h.it.word.Load()
	if lifeOf(w) != h.life {
		return Unsubmitted
	}
	return stateOf(w)
}

func mustBeValid(p deadline.Priority) {
	if !p.Valid() {
		panic("scheduler: invalid " + p.String())
	}
}
