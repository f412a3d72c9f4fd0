package scheduler

import (
	"fmt"

	"github.com/frameslice/frameslice/deadline"
)

// State says where a task stands.
type State uint8

// The states of a life. Steps and coroutines may be Queued again or Suspended between two runs.
const (
	Unsubmitted State = iota // or a posted function that is forgotten
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

// Handle refers to one posted function, and may be copied. Any goroutine may call the methods, also after the function
// has ended. The zero Handle is Unsubmitted.
type Handle struct {
	s    *Scheduler
	it   *item
	life uint32
}

// Cancel prevents the run, and reports whether it did: false if the function has started or was cancelled before. Some
// 10 ns.
func (h Handle) Cancel() bool { return h.it != nil && h.it.cancel(h.s, h.life, endCanceled) }

// SetPriority is [Task.SetPriority] for a function, and reports whether it did.
func (h Handle) SetPriority(p deadline.Priority) bool {
	mustBeValid(p)
	return h.it != nil && h.it.setPriority(h.s, h.life, p)
}

// State returns where the function stands. Some time after its end that is Unsubmitted.
func (h Handle) State() State {
	if h.it == nil {
		if h.life != 0 {
			return Canceled // posted after Close
		}
		return Unsubmitted
	}
	if w := h.it.word.Load(); lifeOf(w) == h.life {
		return stateOf(w)
	}
	return Unsubmitted
}

func mustBeValid(p deadline.Priority) {
	if !p.Valid() {
		panic("scheduler: invalid " + p.String())
	}
}
