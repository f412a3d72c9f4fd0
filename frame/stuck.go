package frame

import (
	"fmt"
	"os"
	"time"
)

// Holder is what has the frame goroutine, or the goroutine that it waits for.
type Holder uint8

const (
	HeldSomehow    Holder = iota // the stacks do not tell
	HeldByHost                   // the frame's own work, between the loop's calls: Run's function, a wrapped game's
	HeldByTask                   // a task, in the slice
	HeldByCallback               // a callback of a phase, or a microtask after one
	HeldByJob                    // a job of the pool that the slice runs, or that what waits for it runs
)

// String returns "something", "the host's own work", "a task", "a callback" or "a job".
func (h Holder) String() string {
	switch h {
	case HeldSomehow:
		return "something"
	case HeldByHost:
		return "the host's own work"
	case HeldByTask:
		return "a task"
	case HeldByCallback:
		return "a callback"
	case HeldByJob:
		return "a job"
	}
	return "invalid holder"
}

// Stuck is a frame that does not end, for Options.OnStuck. What it says is read from the stacks.
type Stuck struct {
	// Holder is what does not return.
	Holder Holder

	// Label names the function that does not return: that of the task, the callback or the job, the one that Run was
	// given, the wrapped game's method. It is empty where the stack does not tell, as between the calls of a host.
	Label string

	// For is for how long the frame has been under way, from its Begin on; of a wrapped game, the call of its method.
	For time.Duration

	// Stack is the stack of the frame goroutine, as runtime.Stack has it, and then those of the goroutines on which
	// the work is that it waits for: of the slice in the shadow, and of tasks and jobs, which have coroutines. The
	// last one is the one that hangs. It is empty if it was not found. Where the frames have moved to another
	// goroutine within the last Watchdog, and it is the host's own work that hangs, it may be of the one before.
	Stack []byte
}

// String returns one line, such as "a frame has not ended for 10s: a task holds it, main.load.func1".
func (s Stuck) String() string {
	text := fmt.Sprintf("a frame has not ended for %v: %v holds it", s.For.Round(time.Millisecond), s.Holder)
	if s.Label != "" {
		text += ", " + s.Label
	}
	return text
}

// complain prints what nobody handles.
func complain(s Stuck) {
	fmt.Fprintf(os.Stderr, "frame: %v\n\n%s\n", s, s.Stack)
}
