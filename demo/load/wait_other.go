//go:build !linux

package load

import "github.com/frameslice/frameslice/deadline"

// newWaiter returns a function that returns not before an instant, and one that ends its use. Only Linux has
// an absolute sleep in the system that the Go runtime does not turn into a timer of its own; elsewhere both
// ways are a timer.
func newWaiter(Wait) (wait func(deadline.Instant), done func()) { return timerWait, func() {} }

// waitName is how w really waits here.
func waitName(Wait) string { return string(WaitTimer) }
