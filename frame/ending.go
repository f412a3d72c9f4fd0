package frame

import (
	"errors"

	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/carrier"
	"github.com/frameslice/frameslice/internal/park"
)

// ending is the end of the loop, and who waits for which part of it:
//
//   - F31. The closer sets hostOpen when it has closed what the slice in the shadow drains. Later it sets drained, and
//     last done. A caller that takes hostOpen (clears it by a compare-and-swap) closes what belongs to the host, and
//     then sets unwound. The closer does so itself, with two exceptions. The shadow does not, because the host's own
//     work may continue beside it. Nor does a caller with the wrong thread lock (errMoved). These leave hostOpen to a
//     later call.
//   - F32. A call of the frame goroutine that finds the loop closed waits for drained, and Close waits for done. Then
//     hostOpen has been set. If it is still set, the caller takes it. Otherwise another caller has taken it, and this
//     one waits for unwound. So no code of a task runs when a call, or a Close without an error, has returned (F4, F8).
//     A task's deferred call does not wait, since it would wait for itself.
//
// close_explore_test.go runs both.
type ending struct {
	done     park.Event
	drained  park.Event  // the closer has unwound the tasks
	unwound  park.Event  // the host's tasks have been unwound, too
	hostOpen atomic.Bool // the loop is closed except for what only the host's goroutine may close
	err      error       // of closing the pool; set before done

	home   *home
	unwind func() // closes what belongs to the host
}

func newEnding(home *home, unwind func()) ending {
	return ending{
		done: park.NewEvent(), drained: park.NewEvent(), unwound: park.NewEvent(), home: home, unwind: unwind,
	}
}

// isDone reports whether the loop has closed.
func (e *ending) isDone() bool { return e.done.IsSet() }

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
	defer e.unwound.Set()
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
	if !e.unwound.IsSet() && !withinTask() {
		e.unwound.Wait()
	}
}

// over is a call of the frame goroutine that finds the loop closed. It waits until the tasks are unwound, so that none
// of their deferred calls runs beside the frame's own work (F4). It returns false within such a deferred call.
func (e *ending) over() bool {
	if !e.drained.IsSet() {
		if e.home.elsewhere() {
			return false
		}
		e.drained.Wait()
	}
	_ = e.closeHost() // Close returns the error
	return true
}

// errMoved is the error of a Close on another goroutine than that of the frames, if the frames' goroutine is locked to
// its thread. Only that goroutine can unwind the tasks: see carrier.Place.
var errMoved = errors.New("frame: Close: the frames were on another goroutine that is locked to its thread, " +
	"and only that one can unwind their tasks")
