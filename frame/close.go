package frame

import (
	"context"
	"errors"
	"time"

	"github.com/frameslice/frameslice/internal/carrier"
	"github.com/frameslice/frameslice/internal/where"
)

// ErrStop is what f returns to end Run without an error.
var ErrStop = errors.New("frame: stop")

// ErrClosed is returned by Run on a closed loop: a mistake and no cancellation, so errors.Is(ErrClosed,
// context.Canceled) does not hold. (Tasks that the loop's end has canceled have scheduler.ErrClosed, of which it
// does.)
var ErrClosed = errors.New("frame: loop closed")

// Close ends the loop: its tasks are canceled, coroutines unwound, the pool (if it is the loop's own)
// drained for Options.Grace and closed, process-wide settings restored. Afterwards Begin, Slice and End do
// nothing. Functions and tasks that wait for a run are dropped, and those posted later, too: Stats.Dropped of the
// scheduler and Report.Dropped count them. Idempotent; it returns when everything has ended. The error is nil, or
// says that jobs were dropped or still run when the grace was over.
//
// It belongs to the frame goroutine, at any point of a frame, and, when the frames are over, to anyone: a
// deferred Close in main after the host's loop has returned is right, also where main is locked to its thread
// and the frames were on another goroutine. While another goroutine's frames go on, call Stop instead: Close
// would unwind the tasks beside the frame's own work. From a task or a job, during Run, and while another of
// the loop's calls is under way, Close is Stop, and returns at once; Done tells.
//
// Frames on a goroutine that is locked to its thread are the exception: only that goroutine can unwind what
// it has begun. Close from another one does the rest and returns an error; what is left ends when the frame
// goroutine calls the loop again.
func (l *Loop) Close() error {
	if l.within() {
		l.Stop()
		return l.result()
	}
	if l.gate.requestClose() {
		return l.close(false)
	}
	l.endWait()
	l.interrupt()
	if l.gate.others() && !(l.place.Load() == 0 && withinTask()) { // a job, before the loop knows who it is
		t := time.NewTimer(stuckAfter)
		defer t.Stop()
		select {
		case <-l.done:
		case <-t.C:
			return errors.New("frame: Close: the slice in the swap's shadow, or another Close, hangs: " + readsBack)
		}
	}
	err := l.result()
	if l.isDone() {
		err = errors.Join(err, l.closeHost())
	}
	return err
}

// Stop asks the frame goroutine to close the loop, which it does in its next Begin, Slice, End or, with Run,
// before the next frame, from which Run then returns. A slice ends after the task in progress, and a wait of Run or
// of Options.Pace at once, or within 20 ms (WaitSyscall). What still waits for a run is dropped: see Close. A wrapped
// game goes on without slices. Any goroutine; never blocks. Done tells when the loop has closed; where no frame may
// come any more, Close must follow. It calls the scheduler's Options.Wake, so that a host that sleeps (Rest) comes to
// its next Begin.
func (l *Loop) Stop() {
	l.gate.requestStop()
	l.endWait()
	l.interrupt()
	if wake := l.o.Scheduler.Wake; wake != nil {
		wake()
	}
}

// Closing reports whether Stop or Close was called: whether the loop closes as soon as it may, or has closed. It is for
// a modal loop that drives frames itself (Nest), which has to end first; Run asks by itself. Any goroutine; a
// nanosecond.
func (l *Loop) Closing() bool { return l.gate.isClosing() }

// interrupt ends a slice, in the shadow by B5. It comes after the gate has noted that the loop closes.
func (l *Loop) interrupt() {
	l.halt.Store(true)
	if l.shadow != nil {
		l.shadow.interrupt()
	}
}

// Done returns a channel that is closed when the loop has closed.
func (l *Loop) Done() <-chan struct{} { return l.done }

func (l *Loop) isDone() bool {
	select {
	case <-l.done:
		return true
	default:
		return false
	}
}

// result returns what closing ended with, or nil if it has not ended.
func (l *Loop) result() error {
	if l.isDone() {
		return l.closeErr
	}
	return nil
}

// What ends, and who waits for it:
//
//   - E1. Whoever closes sets owed when it has closed what the slice in the shadow drains, and before it closes
//     drained, and then done. Who takes owed away, by a compare-and-swap, closes what is the host's, and then unwound.
//     That is the one who closes itself, but for the shadow, beside which the host's own work may go on, and where a
//     thread lock is in the way (errMoved): these leave it to a later call.
//   - E2. A call of the frame goroutine that finds the loop closed waits for drained, and Close for done. Then owed has
//     been set: if it is set, they take it, and if not, another one has, and they wait for unwound. So when a call, or
//     a Close without an error, has returned nothing runs of the tasks (F4, F8). The deferred calls of tasks do not
//     wait for themselves.
//
// close_model_test.go explores them, with eight mutants. (The model found that who did not get owed did not wait, so of
// two calls of Close after a slice in the shadow that had closed the loop one returned too early.)
//
// close does it, for the one that G2 names. onShadow tells that this is the goroutine of the slice in the
// shadow; the host's work may go on beside it, so what belongs to the host is left to the host.
func (l *Loop) close(onShadow bool) error {
	l.decide(false) // a Wrap that comes now would make a second scheduler, which nobody closes
	if onShadow {
		l.shadow.close(true)
		l.settle(0)
	} else if l.shadow != nil {
		l.settle(l.shadow.close(false))
	}
	var err error
	l.owed.Store(true)
	if !onShadow {
		err = l.closeHost()
	}
	close(l.drained)
	l.page.leave()
	l.dog.close() // what follows may take as long as Grace says
	if l.o.Pool == nil {
		ctx, cancel := context.WithTimeout(context.Background(), max(l.o.Grace, 0))
		l.closeErr = l.pool.Close(ctx)
		cancel()
	}
	if l.idle != nil {
		l.idle.close()
		gogc.leave()
	}
	close(l.done)
	return errors.Join(err, l.closeErr)
}

// closeDrain closes what only the goroutine that drains may close: what has coroutines.
func (l *Loop) closeDrain() {
	l.sched.Close()
	l.seat.Close()
}

// errMoved is Close's where the runtime does not allow it: see carrier.Place.
var errMoved = errors.New("frame: Close: the frames were on another goroutine that is locked to its thread, " +
	"and only that one can unwind their tasks")

// closeHost closes what only the host's goroutine may close, or one with the same thread lock: its
// coroutines. A locked goroutine has a free one do it for it.
func (l *Loop) closeHost() error {
	if !l.owed.Load() {
		l.awaitUnwound()
		return nil
	}
	home, here := carrier.Place(l.place.Load()), carrier.Here()
	if home.Locked() && here != home {
		return errMoved
	}
	if !l.owed.CompareAndSwap(true, false) {
		l.awaitUnwound()
		return nil
	}
	defer close(l.unwound)
	f := l.closeDrain
	if l.shadow != nil {
		f = l.host.Close
	}
	if home == here || !here.Locked() {
		f()
		return nil
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		f()
	}()
	<-ended
	return nil
}

// awaitUnwound waits until another goroutine has closed what was owed (E2).
func (l *Loop) awaitUnwound() {
	select {
	case <-l.unwound:
	default:
		if !withinTask() {
			<-l.unwound
		}
	}
}

// over is a call of the frame goroutine that finds the loop closed: it waits until the tasks are unwound, so
// that no deferred call of theirs runs beside the frame's own work (F4). It returns false within one.
func (l *Loop) over() bool {
	select {
	case <-l.drained:
	default:
		if l.within() {
			return false
		}
		<-l.drained
	}
	_ = l.closeHost() // Close tells
	return true
}

// settleIn notes where coroutines will be made, before the first is; a Run moves it, as far as it may.
func (l *Loop) settleIn(run bool) {
	p := carrier.Place(l.place.Load())
	if p == 0 || run && !p.Locked() {
		l.place.Store(uint64(carrier.Here()))
	}
}

// refuseTask panics in a task of the slice in the shadow, where the gate does not tell: the token is not the slice's.
// A task of the host's own may drive frames by Nest: within that it is the host.
func (l *Loop) refuseTask(call string) {
	if l.gate.isAway() && l.within() && !(l.gate.isNested() && l.withinNest()) {
		panic("frame: " + call + " in a task")
	}
}

// within reports whether the calling goroutine runs a task or a job, as far as that matters to the loop: a
// job of another loop's pool may run this one's frames. It takes some ns.
func (l *Loop) within() bool {
	if !withinTask() {
		return false
	}
	home := carrier.Place(l.place.Load())
	return home != 0 && !home.Same(carrier.Here())
}

// withinTask reports whether the calling goroutine runs a task, or a job, of whatever loop.
func withinTask() bool { return where.In(nil, where.Task, where.Job, where.Worker) }

// withinNest reports whether the calling goroutine is in the function of a Nest, and not in a task that runs in that.
func (l *Loop) withinNest() bool { return where.In(l, where.Nest) }
