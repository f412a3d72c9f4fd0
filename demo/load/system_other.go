//go:build !linux

package load

import "github.com/frameslice/frameslice/deadline"

// newWaiter returns a function that does not return before an instant. Only Linux has an absolute sleep in the system
// that the Go runtime does not turn into a timer of its own. Elsewhere both ways are a timer.
func newWaiter(Wait) func(deadline.Instant) { return timerWait }

// waitName is how w really waits here.
func waitName(Wait) string { return string(WaitTimer) }

// readMachine does not know the machine's processor time here.
func readMachine() MachineTime { return MachineTime{} }
