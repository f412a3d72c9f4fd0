package load

import (
	"golang.org/x/sys/unix"

	"github.com/frameslice/frameslice/deadline"
)

// newWaiter returns a function that returns not before an instant, and one that ends its use.
//
// The system call is entered like any other: while it blocks, the Go scheduler may take this thread's P, and
// on its return the goroutine needs one. That is the situation of a program that waits in a driver's buffer
// swap.
func newWaiter(w Wait) (wait func(deadline.Instant), done func()) {
	if w == WaitTimer {
		return timerWait, func() {}
	}
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts) != nil {
		return timerWait, func() {}
	}
	shift := ts.Nano() - int64(deadline.Now()) // both count the same clock
	return func(t deadline.Instant) {
		at := unix.NsecToTimespec(int64(t) + shift)
		for unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &at, nil) == unix.EINTR {
		}
	}, func() {}
}

// waitName is how w really waits here.
func waitName(w Wait) string { return string(w) }
