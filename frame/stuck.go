package frame

import (
	"fmt"
	"os"
	"time"
)

// Stuck is a frame that does not end, for Options.OnStuck. It is read from the stacks of all goroutines.
type Stuck struct {
	// Holder says in words what does not return: "a task", "a callback", "a job", "the host's own work", or "something"
	// if the stacks do not tell.
	Holder string

	// Label names the function that does not return: a task's, a callback's or a job's, the function of Run, or the
	// wrapped game's method. It is empty if the stacks do not tell.
	Label string

	// For is how long the frame has been under way since Begin. For a wrapped game it is since the call of its method.
	For time.Duration

	// Stack is the stack of the frame goroutine, as runtime.Stack has it, and then the stacks of the goroutines that it
	// waits for. The last one hangs. Stack is empty if the frame goroutine was not found.
	Stack []byte
}

// The values of Stuck.Holder.
const (
	heldSomehow    = "something"
	heldByHost     = "the host's own work"
	heldByTask     = "a task"
	heldByCallback = "a callback"
	heldByJob      = "a job"
)

// String returns one line, such as "a frame has not ended for 10s: a task holds it, main.load.func1".
func (s Stuck) String() string {
	text := fmt.Sprintf("a frame has not ended for %v: %v holds it", s.For.Round(time.Millisecond), s.Holder)
	if s.Label != "" {
		text += ", " + s.Label
	}
	return text
}

// complain prints a frame that nobody handles.
func complain(s Stuck) {
	fmt.Fprintf(os.Stderr, "frame: %v\n\n%s\n", s, s.Stack)
}
