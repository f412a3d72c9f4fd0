package frame

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/internal/carrier"
)

// ErrStop is what f returns to end Run without an error.
var ErrStop = errors.New("frame: stop")

// Close ends the loop and returns when everything has ended. It cancels the tasks, ends the contexts of the jobs of the
// loop's own pool, waits Options.Grace for these jobs, and restores process-wide settings. The error says that jobs
// were dropped, or still run. Afterwards Begin, Slice and End do nothing. Close may be called again.
//
// Frame goroutine, at any point of a frame; any goroutine once the frames are over, as in a deferred Close in main. In
// a task, in a job and during Run, Close is Stop and returns at once.
//
// If the frame goroutine is locked to its thread, Close on another goroutine returns an error. Then the frame
// goroutine's next call of the loop closes it.
func (l *Loop) Close() error {
	if l.home.elsewhere() {
		l.Stop()
		return l.ends.result()
	}
	if l.gate.requestClose() {
		return l.close(false)
	}
	l.endWait()
	l.interrupt()
	if l.gate.others() && (l.home.settled() || !withinTask()) { // not in a job, before the loop knows its goroutine
		t := time.NewTimer(stuckAfter)
		defer t.Stop()
		select {
		case <-l.ends.done:
		case <-t.C:
			return errors.New("frame: Close: the slice in the swap's shadow, or another Close, hangs: " + readsBack)
		}
	}
	err := l.ends.result()
	if l.ends.isDone() {
		err = errors.Join(err, l.ends.closeHost())
	}
	return err
}

// Stop asks the frame goroutine to close the loop, in the next Begin, Slice or End, or in Run. A slice ends after its
// present task, a wait within 20 ms. Stop calls the scheduler's Options.Wake. If no frame may come any more, call Close
// as well. Any goroutine; never blocks. Done tells the end.
func (l *Loop) Stop() {
	l.gate.requestStop()
	l.endWait()
	l.interrupt()
	if wake := l.o.Scheduler.Wake; wake != nil {
		wake()
	}
}

// Closing reports whether Stop or Close was called. Any goroutine; a nanosecond.
func (l *Loop) Closing() bool { return l.gate.isClosing() }

// interrupt ends a slice, and one in the shadow by F25. The gate has noted before that the loop closes.
func (l *Loop) interrupt() {
	l.halt.Store(true)
	if l.shadow != nil {
		l.shadow.interrupt()
	}
}

// Done returns a channel that is closed when the loop has closed. Any goroutine.
func (l *Loop) Done() <-chan struct{} { return l.ends.done }

// close closes the loop, for the caller that F12 names. onShadow tells that this is the goroutine of the slice in the
// shadow. The host's work may go on beside it, so it leaves to the host what belongs to the host.
func (l *Loop) close(onShadow bool) error {
	l.choice.decide(false) // a Wrap that comes now would make a second scheduler, which nobody closes
	if l.o.Pool == nil {
		bridge.Of(l.pool).EndContexts() // so the jobs have Grace to end in
	}
	if onShadow {
		l.shadow.close(true)
		l.settle(0)
	} else if l.shadow != nil {
		l.settle(l.shadow.close(false))
	}
	var err error
	l.ends.hostOpen.Store(true)
	if !onShadow {
		err = l.ends.closeHost()
	}
	close(l.ends.drained)
	l.page.leave()
	l.watch.close() // what follows may take as long as Grace says
	if l.o.Pool == nil {
		ctx, cancel := context.WithTimeout(context.Background(), max(l.o.Grace, 0))
		l.ends.err = l.pool.Close(ctx)
		cancel()
	}
	if l.idle != nil {
		l.idle.close()
		gogc.leave()
	}
	close(l.ends.done)
	return errors.Join(err, l.ends.err)
}

// closeDrain closes the two parts that have coroutines. Only the goroutine that drains may do so.
func (l *Loop) closeDrain() {
	l.sched.Close()
	l.jobs.runner.Close()
}

// errMoved is the error of a Close on another goroutine than that of the frames, if the frames' goroutine is locked to
// its thread. Only that goroutine can unwind the tasks: see carrier.Place.
var errMoved = errors.New("frame: Close: the frames were on another goroutine that is locked to its thread, " +
	"and only that one can unwind their tasks")

// leave gives the token back, and closes the loop if that was asked for meanwhile.
func (l *Loop) leave(phase uint32) {
	if l.gate.leave(phase) {
		l.close(false)
	}
}

// ending is the end of the loop, and who waits for which part of it:
//
//   - F31. The closer sets hostOpen when it has closed what the slice in the shadow drains. Later it closes drained,
//     and last done. A caller that takes hostOpen (clears it by a compare-and-swap) closes what belongs to the host,
//     and then unwound. The closer does so itself, with two exceptions. The shadow does not, because the host's own
//     work may go on beside it. Nor does a caller with the wrong thread lock (errMoved). These leave hostOpen to a
//     later call.
//   - F32. A call of the frame goroutine that finds the loop closed waits for drained, and Close waits for done. Then
//     hostOpen has been set. If it is still set, the caller takes it. Otherwise another caller has taken it, and this
//     one waits for unwound. So no code of a task runs when a call, or a Close without an error, has returned (F4, F8).
//     A task's deferred call does not wait, since it would wait for itself.
//
// close_model_test.go explores both, with eight mutants.
type ending struct {
	done     chan struct{}
	drained  chan struct{} // closed when the closer has unwound the tasks
	unwound  chan struct{} // closed when the host's tasks have been unwound, too
	hostOpen atomic.Bool   // the loop is closed except for what only the host's goroutine may close
	err      error         // of closing the pool; set before done is closed

	home   *home
	unwind func() // closes what belongs to the host
}

func newEnding(home *home, unwind func()) ending {
	return ending{
		done: make(chan struct{}), drained: make(chan struct{}), unwound: make(chan struct{}),
		home: home, unwind: unwind,
	}
}

// isDone reports whether the loop has closed.
func (e *ending) isDone() bool {
	select {
	case <-e.done:
		return true
	default:
		return false
	}
}

// result returns the error of closing, or nil if closing has not ended.
func (e *ending) result() error {
	if e.isDone() {
		return e.err
	}
	return nil
}

// closeHost closes the host's coroutines. Only the host's goroutine may do so, or one with the same thread lock. If the
// host's is free and the caller's locked, a free goroutine does it.
func (e *ending) closeHost() error {
	if !e.hostOpen.Load() {
		e.awaitUnwound()
		return nil
	}
	home, here := e.home.place(), carrier.Here()
	if home.Locked() && here != home {
		return errMoved
	}
	if !e.hostOpen.CompareAndSwap(true, false) {
		e.awaitUnwound()
		return nil
	}
	defer close(e.unwound)
	if home == here || !here.Locked() {
		e.unwind()
		return nil
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		e.unwind()
	}()
	<-ended
	return nil
}

// awaitUnwound waits until another goroutine has closed what belongs to the host (F32).
func (e *ending) awaitUnwound() {
	select {
	case <-e.unwound:
	default:
		if !withinTask() {
			<-e.unwound
		}
	}
}

// over is a call of the frame goroutine that finds the loop closed. It waits until the tasks are unwound, so that none
// of their deferred calls runs beside the frame's own work (F4). It returns false within such a deferred call.
func (e *ending) over() bool {
	select {
	case <-e.drained:
	default:
		if e.home.elsewhere() {
			return false
		}
		<-e.drained
	}
	_ = e.closeHost() // Close returns the error
	return true
}
