package frame

import (
	"context"
	"errors"
	"time"

	"github.com/frameslice/frameslice/internal/bridge"
)

// ErrStop is what f returns to end Run without an error.
var ErrStop = errors.New("frame: stop")

// Close ends the loop and returns when everything has ended. It cancels the tasks, ends the contexts of the jobs of the
// loop's own pool, waits Options.CloseTimeout for these jobs, and restores process-wide settings. The error says that
// jobs were dropped, or still run. Afterwards Begin, Slice and End do nothing. Close may be called again.
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
	if l.gate.others() && (l.home.placeKnown() || !withinTask()) { // not in a job, before the loop knows its goroutine
		t := time.NewTimer(stuckAfter)
		defer t.Stop()
		if !l.ends.done.WaitFor(t) {
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
func (l *Loop) Done() <-chan struct{} { return l.ends.done.Done() }

// close closes the loop, for the caller that F12 names. onShadow tells that this is the goroutine of the slice in the
// shadow. The host's work may continue beside it, so it leaves to the host what belongs to the host.
func (l *Loop) close(onShadow bool) error {
	l.choice.decide(false) // a Wrap that comes now would make a second scheduler, which nobody closes
	if l.o.Pool == nil {
		bridge.Of(l.pool).EndContexts() // so the jobs have CloseTimeout to end in
	}
	if onShadow {
		l.shadow.close(true)
		l.endShadowRecord(0)
	} else if l.shadow != nil {
		l.endShadowRecord(l.shadow.close(false))
	}
	var err error
	l.ends.hostOpen.Store(true)
	if !onShadow {
		err = l.ends.closeHost()
	}
	l.ends.drained.Set()
	l.page.unlisten()
	l.watch.close() // what follows may take as long as CloseTimeout says
	if l.o.Pool == nil {
		ctx, cancel := context.WithTimeout(context.Background(), max(l.o.CloseTimeout, 0))
		l.ends.err = l.pool.Close(ctx)
		cancel()
	}
	if l.idle != nil {
		l.idle.close()
		gogc.leaveGOGC()
	}
	l.ends.done.Set()
	return errors.Join(err, l.ends.err)
}

// closeDrain closes the two parts that have coroutines. Only the goroutine that drains may do so.
func (l *Loop) closeDrain() {
	l.sched.Close()
	l.jobs.runner.Close()
}

// leaveOrClose gives the token back, and closes the loop if that was asked for meanwhile.
func (l *Loop) leaveOrClose(state uint32) {
	if l.gate.leaveCall(state) {
		l.close(false)
	}
}
