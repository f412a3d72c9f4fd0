package frame

import (
	"golang.org/x/sys/unix"

	"github.com/frameslice/frameslice/deadline"
)

// sysWait sleeps in clock_nanosleep until an absolute time of CLOCK_MONOTONIC, which is the clock of deadline.Now. The
// thread wakes by itself: no poller, no timer heap and no other thread is between the interrupt and the frame. The
// thread only needs a P to continue, so the pool leaves one.
type sysWait struct{ ts unix.Timespec }

// until returns false if it could not sleep.
func (w *sysWait) until(now, at deadline.Instant) bool {
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &w.ts) != nil {
		return false
	}
	w.ts = unix.NsecToTimespec(w.ts.Nano() + int64(at.Sub(now)))
	for {
		// The time is absolute, so a signal (the Go runtime preempts with them) costs nothing but another call.
		switch unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &w.ts, nil) {
		case nil:
			return true
		case unix.EINTR:
		default:
			return false
		}
	}
}

// sleeps says that sysWait can sleep.
const sleeps = true

// shadowPossible says that a second goroutine can run while the host waits.
const shadowPossible = true
