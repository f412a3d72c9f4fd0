package osthread

import (
	"time"

	"golang.org/x/sys/unix"
)

// ProcessTime returns the processor time that this process has used, all threads together. It takes some µs.
func ProcessTime() (time.Duration, error) {
	var ru unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &ru); err != nil {
		return 0, err
	}
	return time.Duration(ru.Utime.Nano() + ru.Stime.Nano()), nil
}

func nap(d time.Duration) {
	t := unix.NsecToTimespec(int64(d))
	_ = unix.Nanosleep(&t, nil) // a signal may cut it short: the caller looks at a clock anyway
}
