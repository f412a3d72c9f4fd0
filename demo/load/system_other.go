//go:build !linux

package load

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// newWaiter returns a function that does not return before an instant. Only Linux has an absolute sleep in the system
// that the Go runtime does not turn into a timer of its own.
func newWaiter() func(deadline.Instant) { return timerWait }

// waitName is how newWaiter's function waits, in a report.
const waitName = "timer"

// readMachine does not know the machine's processor time here.
func readMachine() time.Duration { return 0 }
