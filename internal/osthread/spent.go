package osthread

import (
	"os"
	"time"
)

// Spent says where the time of a thread went since the thread began.
type Spent struct {
	CPU   time.Duration // on a processor
	Delay time.Duration // runnable, without a processor
	Minor int64         // page faults
	Major int64         // page faults that had to wait for a disk
}

// A Meter reads what the calling thread has spent. It is quicker if the calls come from one thread. One goroutine at a
// time.
type Meter struct {
	thread int      // that has file
	file   *os.File // the runtime closes it
	fd     uintptr  // of file
	text   [64]byte
}
