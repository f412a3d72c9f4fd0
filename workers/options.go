package workers

import (
	"fmt"
	"math"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/park"
	"github.com/frameslice/frameslice/internal/sleep"
)

// Pin says what binds an ordinary worker to the machine. The zero Pin leaves the worker to Go's scheduler. With
// RaiseProcs and no Background, as in the preset Balanced, a worker that is bound has a P of its own, and sleeps in a
// system call.
type Pin uint8

const (
	// PinThread locks each worker to an OS thread. Use one such worker for a library that must be called from one
	// thread: see the example.
	PinThread Pin = iota + 1

	// PinCPU locks each worker to an OS thread, and the thread to a processor near the frame's. Ordinary workers take
	// fast cores and background workers slow cores. Linux and Windows. Elsewhere, and where the system refuses, it is
	// PinThread, with a note in Stats.
	//
	// A process or a C thread that a job starts inherits the binding (not on Windows) and the low priority. To avoid
	// that, start it on a goroutine and wait within Worker.Blocking.
	PinCPU
)

// maxWorkers is the greatest number of Workers, and of Background workers.
const maxWorkers = sleep.Max

// Options configures a Pool. The zero Options is good for most. In a testing/synctest bubble a pool lets virtual time
// pass, and only goroutines of the bubble may use it.
type Options struct {
	// Workers is how many workers run at the priority of the process. The default (zero) value is GOMAXPROCS-1, and
	// follows GOMAXPROCS and the CPU quota of the container. Negative means none: jobs then run in RunUntil, Wait
	// and Close. At most 64.
	Workers int

	// Background is how many further workers have a thread of the lowest OS priority. The default (zero) value is none.
	// Negative means one for each processor that the CPU quota grants. At most 64.
	//
	// Set Background in a game: long jobs then run beside the frame. Where threads cannot be lowered there are none,
	// and Stats has a note. Where other programs keep all processors busy, on Linux background workers continue with
	// ordinary priority, so that collections need not wait for them.
	Background int

	// RaiseProcs raises GOMAXPROCS while the pool is open: by one for each background worker and a few for their
	// helpers. The default (zero) value is not to. Set it together with Background, so that the frame does not wait for
	// a P. With Pin and no Background it adds one for each ordinary worker. With neither it adds one if there are
	// workers and no CPU quota, so that sound and timers need not wait for the end of a job. The last pool to close
	// restores the old value. Go does not follow the container's CPU limit meanwhile.
	RaiseProcs bool

	// Pin binds ordinary workers to threads or processors. The default (zero) value is not to.
	Pin Pin

	// OnPanic is called with the panic of a function that was passed to Go, on its goroutine. The default (nil) value
	// lets the panic end the process.
	OnPanic func(*PanicError)

	// IO is how many functions of SubmitIO may run at once. The default (zero) value is 64. Raise it for a server of
	// many slow connections, lower it where each function holds much memory.
	IO int

	// Profile makes the pool record what Pool.Profile returns. The default (zero) value is not to. A negative value
	// records all but single runs: it costs about 200 ns for each job, and an allocation for each Go. With a positive
	// value each worker, and all other goroutines together, keep so many of their latest runs, too, and CPU profiles
	// have the label "job". At most 1<<20; a run takes 80 bytes.
	Profile int

	forced forced
}

// forced is what tests choose in place of the pool.
type forced struct {
	park     park.Kind         // how workers sleep, unless it is park.Auto
	timeouts deadline.Timeouts // after how long a waiting lane goes first
	spares   int               // in place of maxSpares; negative means none

	computing func() int // how many goroutines run or could run, in place of what Go tells
}

// check panics if a field has a value that it must not have, while the caller of New is on the stack.
func (o *Options) check() {
	for _, f := range []struct {
		name             string
		value, low, high int
	}{
		{"Workers", o.Workers, math.MinInt, maxWorkers},
		{"Background", o.Background, math.MinInt, maxWorkers},
		{"Pin", int(o.Pin), 0, int(PinCPU)},
		{"Profile", o.Profile, math.MinInt, 1 << 20},
		{"IO", o.IO, 0, math.MaxInt32},
	} {
		switch {
		case f.value < f.low:
			panic(fmt.Sprintf("workers: New with Options.%s of %d, less than %d", f.name, f.value, f.low))
		case f.value > f.high:
			panic(fmt.Sprintf("workers: New with Options.%s of %d, more than %d", f.name, f.value, f.high))
		}
	}
}
