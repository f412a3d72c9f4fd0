package workers

import (
	"context"
	"errors"

	"github.com/frameslice/frameslice/internal/fault"
	"github.com/frameslice/frameslice/internal/mpmc"
)

// PanicError is a panic of a job: its Value, its Stack as text, and the Label of the job, or else the name of its
// function or call. errors.Is and errors.As see a Value that is an error.
type PanicError = fault.PanicError

// ErrGoexit is the error of a job that ended by runtime.Goexit.
var ErrGoexit = fault.ErrGoexit

// ErrClosed is the error of a job that a closed pool did not run, and the ordinary end of a closed Queue or Stream.
var ErrClosed = mpmc.ErrClosed

// ErrCanceled is the error of a job that was canceled before it started. errors.Is finds context.Canceled in it.
var ErrCanceled error = canceledError{}

type canceledError struct{}

func (canceledError) Error() string { return "workers: job was canceled" }

func (canceledError) Is(target error) bool { return target == context.Canceled }

// ErrFull says that a Queue, a Stream or a bounded Pool has no room, and that the call does not wait for room.
var ErrFull = mpmc.ErrFull

// ErrEmpty says that a Queue or a Stream has nothing to take out now.
var ErrEmpty = mpmc.ErrEmpty

// errNewEra ends a wait so that the waiter looks again, for example because a class has got its first worker or lost
// its last. Users never see it.
var errNewEra = mpmc.ErrStopped

// errOver says that there is no reason to wait any more. Users never see it.
var errOver = errors.New("workers: over")
