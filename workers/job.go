package workers

import (
	"context"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/fault"
	"github.com/frameslice/frameslice/internal/latch"
	"github.com/frameslice/frameslice/internal/mpmc"
)

// A Job is work for a pool, and its own handle. The caller owns it, fills in the exported fields and submits it. When
// it has finished and nobody waits for it, the caller may change it and submit it again. A goroutine that knows of the
// end sees all that the job wrote.
type Job struct {
	// Label names the kind of work, in statistics and errors and for the prediction of its cost. The default (empty)
	// means the function. Use few constants, each for jobs that take about the same time.
	Label string

	// Priority is the lane. The default (zero) value is deadline.Normal.
	Priority deadline.Priority

	// Cost is how long Func will take, for RunUntil. The default (zero) value is what earlier jobs of the kind took.
	Cost time.Duration

	// Func is the work. Its Worker is valid until Func returns. Func must undo a runtime.LockOSThread before it ends,
	// waits, joins or yields. In a browser, where all goroutines share one thread, it must not lock at all.
	Func func(w *Worker)

	state   atomic.Uintptr // a state, with the class if it is queued: J4
	thief   atomic.Int32   // of a fork: 1 + the index of the worker that stole it, or 0
	exec    executor       // instead of Func, for futures
	pool    *Pool
	err     error
	waiters atomic.Pointer[waiter] // callbacks for its end
	latch   latch.Latch
	yielder *caller          // while it may yield in RunUntil
	since   deadline.Instant // when it was submitted, with Options.Profile
	waits   bool             // it may wait for something outside: see SubmitWaiting
	io      bool             // of SubmitIO
	run     atomic.Uint32    // the number of its run, or 0: see Notify
}

// Finished reports whether j has ended, one way or another: see Err.
func (j *Job) Finished() bool { return j.at() == finished }

// Err returns how j ended: nil, a *PanicError, ErrGoexit, ErrCanceled or ErrClosed. It panics unless j has
// finished.
func (j *Job) Err() error {
	if j.at() != finished {
		panic("workers: Err of a job that has not finished")
	}
	return j.err
}

// Cancel ends j with ErrCanceled if it has not started, and reports whether it did.
func (j *Job) Cancel() bool {
	for {
		switch j.at() {
		case queued:
			if j.move(queued, settling) {
				j.lane().staleAdded(1)
				j.finish(ErrCanceled)
				return true
			}
		case apart:
			if j.leaveApart(settling) {
				j.finish(ErrCanceled)
				return true
			}
		case looking:
			atomic.Gosched()
		default:
			return false
		}
	}
}

// PanicError is a panic of a job: its Value, its Stack as text, and the Label of the job, or else the name of its
// function or call. errors.Is and errors.As see a Value that is an error.
type PanicError = fault.PanicError

// ErrGoexit is the error of a job that ended by runtime.Goexit.
var ErrGoexit = fault.ErrGoexit

// ErrClosed is the error of a job that a closed pool did not run, and the ordinary end of a closed Queue or par.Stream.
var ErrClosed = mpmc.ErrClosed

// ErrCanceled is the error of a job that was canceled before it started. errors.Is finds context.Canceled in it.
var ErrCanceled error = canceledError{}

type canceledError struct{}

func (canceledError) Error() string { return "workers: job was canceled" }

func (canceledError) Is(target error) bool { return target == context.Canceled }

// ErrFull says that a Queue or a par.Stream has no room, and that the call does not wait for room.
var ErrFull = mpmc.ErrFull

// ErrEmpty says that a Queue or a par.Stream has nothing to take out now.
var ErrEmpty = mpmc.ErrEmpty
