package frame

import (
	"fmt"
	"os"
	"time"
)

// Stuck is a frame that does not end.
type Stuck struct {
	// Holder says what does not return: "a task", "a callback", "a job", "the host's own work", or "something" unknown.
	Holder string

	// Label names the function that does not return, or is empty.
	Label string

	// For is the time since Begin, or since the call of a wrapped game's method.
	For time.Duration

	// Stack has the stack of the frame goroutine, then those of the goroutines that it waits for. The last one hangs.
	// It is empty if the frame goroutine was not found.
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

// String returns one line for logs, with Holder, Label and For.
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
