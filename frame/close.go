package frame

import (
	"context"
	"errors"
)

// ErrStop is what f returns to end Run without an error.
var ErrStop = errors.New("frame: stop")

// ErrClosed is returned by Run on a closed loop.
var ErrClosed = errors.New("frame: loop closed")

// Close ends the loop: its tasks are canceled, coroutines unwound, the pool (if it is the loop's own)
// drained for Options.Grace and closed, process-wide settings restored. Afterwards Begin, Slice and End do
// nothing. Idempotent.
//
// It belongs to the frame goroutine, at any point of a frame, and returns when everything has ended. Called
// while one of the loop's calls or Run is under way (from a task, a job, another goroutine) or while the
// slice in the shadow runs, it returns at once, and the loop closes as soon as that has let go of it; Done
// tells. The error is nil, or says that jobs were dropped or still run when the grace was over.
func (l *Loop) Close() error {
	if l.gate.requestClose() {
		return l.close(false)
	}
	if l.shadow != nil {
		l.shadow.interrupt() // B5
	}
	select {
	case <-l.done:
		return l.closeErr
	default:
		return nil
	}
}

// Done returns a channel that is closed when the loop has closed.
func (l *Loop) Done() <-chan struct{} { return l.done }

// close does it, for the one that G2 names. onShadow tells that this is the goroutine of the slice in the
// shadow.
func (l *Loop) close(onShadow bool) error {
	switch {
	case l.shadow == nil:
		l.closeDrain()
	case onShadow:
		l.shadow.close(true)
		l.hostOpen.Store(true) // it has its own goroutine, too: the next call that finds the loop closed closes it
		l.settle(0)
	default:
		l.settle(l.shadow.close(false))
		l.host.Close()
	}
	if l.o.Pool == nil {
		ctx, cancel := context.WithTimeout(context.Background(), max(l.o.Grace, 0))
		l.closeErr = l.pool.Close(ctx)
		cancel()
	}
	l.gc.restore()
	close(l.done)
	return l.closeErr
}

// closeDrain closes what only the goroutine that drains may close: what has coroutines.
func (l *Loop) closeDrain() {
	l.sched.Close()
	l.seat.Close()
}

// closeHost closes what only the host's goroutine may close, after the shadow has closed the rest.
func (l *Loop) closeHost() {
	if l.hostOpen.CompareAndSwap(true, false) {
		l.host.Close()
	}
}
