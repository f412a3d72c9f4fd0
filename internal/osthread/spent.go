package osthread

import (
	"os"
	"time"
)

// Spent says where the time of a thread went since the thread began.
type Spent struct {
	CPU   time.Duration // on a processor
	Delay time.Duration // runnable, without a processor; negative if unknown: see Meter.Open
	Minor int64         // page faults
	Major int64         // page faults that had to wait for a disk
}

// A Meter reads what the calling thread has spent. Each look is at the thread that the goroutine is on at that moment.
// So the goroutine must not call anything between the calls of one look that may move it. One goroutine at a time.
//
// The kernel tells Delay in a file of its own for each thread. Opening one takes about 8 µs, so no look does: it finds
// Delay unknown, and Open opens the file for the looks to come. A goroutine that is not locked to a thread runs on a
// few threads in turn, so the Meter keeps the files of the last eight.
type Meter struct {
	files   [8]delayFile
	next    int // the file that a further thread replaces
	missing int // the thread that a look found without a file; 0: none
	text    [64]byte
}

// delayFile is the file of a thread with its delay.
type delayFile struct {
	thread int
	file   *os.File // the garbage collector closes it
	fd     uintptr  // of file
}
