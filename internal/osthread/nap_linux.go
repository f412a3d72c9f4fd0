package osthread

import (
	"time"

	"golang.org/x/sys/unix"
)

func nap(d time.Duration) {
	t := unix.NsecToTimespec(int64(d))
	_ = unix.Nanosleep(&t, nil) // a signal may cut it short: the caller looks at a clock anyway
}
