package frame

import (
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/carrier"
	"github.com/frameslice/frameslice/internal/fault"
)

// shadow runs the slice on a goroutine of its own while the host, after Slice, flushes its drawing and
// waits for the display: in the shadow of the swap. Slice hands the baton over; the next Begin asks for it
// and waits until it is back.
//
// All draining happens on this one goroutine, which is never locked to a thread, even the scheduler's
// Close: coroutines may only be resumed under the lock state in which they were made, the host's goroutine
// may be locked, and a mismatch is a crash that cannot be recovered.
//
// # The baton
//
// The host's side is whoever holds the gate's token. What belongs to the baton: the slice field of the
// Loop, the scheduler's frame side (RunUntil, Close), and quit, fault and dead below.
//
//   - B1. The baton is in one of four places: with the host, in give, with the shadow, in back. Both
//     channels hold one.
//   - B2. The host sends to give only when it has the baton; after that it has not, until it receives from
//     back.
//   - B3. The shadow sends to back once for each receive from give, whatever the tasks do: panic and Goexit
//     included.
//   - B4. Who has not the baton does not touch what belongs to it.
//   - B5. stop is cleared only by the host, before it sends to give. Begin sets it after; Close sets
//     closing and then stop, and the host looks at closing after it has cleared stop, so neither request is
//     lost.
//   - B6. The gate's away bit is set before give is sent to, and cleared by the shadow when its drain is
//     over, before it sends to back. In that step the shadow may become the one that closes the loop (G2).
//
// To the baton a recall (by a DrawFinalScreen that was not expected), and the end of a Run or a Nest, is a Begin that
// no Slice follows.
//
// Exclusive: tasks run between a receive from give and the send to back, the frame's own work between
// Begin's receive from back and Slice's send to give. By B1 and B2 these do not overlap, and the channels
// order them, so neither side needs a lock for what the other has written.
//
// No deadlock: Begin waits only when the baton is out (the host's own bit), and by B3 it comes back: a
// drain looks at stop before each task, and by B5 it sees it. (Normally it has ended by its
// own deadline long before.) A task that itself waits for the host's next frame breaks that, and nothing
// but its end can help; Begin then panics after half a minute and says so.
//
// Close: if the baton is away, Close only sets closing and stop, and waits unless it is in a task. The
// shadow's clearing of away, or the host's of busy, whichever comes last, meets G2 and closes; neither
// can be missed as both are in the gate's one word. A close by the shadow runs on its own goroutine at
// once, and a Begin meanwhile waits for its end: the coroutines' deferred calls are tasks' work. A close
// by anyone else finds the baton at home or on its way there, and sends it once more with quit set, so
// that the scheduler is closed on the shadow's goroutine all the same.
//
// Rejected: a mutex held for the slice (it says who has it not, but neither that it was handed over nor in
// which order, and a waiting Begin does not stop the drain); draining on the pool (any worker, so any lock
// state, and behind any job); one goroutine per frame (0.3 µs more and garbage).
type shadow struct {
	l    *Loop
	give chan struct{}
	back chan struct{}
	stop atomic.Bool
	asks func() bool   // stop.Load, bound once
	who  atomic.Uint64 // carrier.Place of the shadow's goroutine: for the watchdog

	begin, until deadline.Instant // of the slice; set before the baton is given away

	// The baton's.
	quit  bool              // close the scheduler instead of draining
	fault *fault.PanicError // a task's panic, to be raised on the host's goroutine
	dead  bool              // the goroutine has ended, or was never started

	// The host's.
	out   bool
	timer *time.Timer
}

// stuckAfter is half of how long Begin waits for a task before it calls that a deadlock. Twice, so that a
// process which a debugger has stopped is not accused on the spot.
const stuckAfter = 15 * time.Second

// readsBack is the likely cause.
const readsBack = "a task waits for the host's next frame (reading an image back does) or calls Begin; " +
	"such work belongs to Loop.Host"

func newShadow(l *Loop) *shadow {
	s := &shadow{l: l, give: make(chan struct{}, 1), back: make(chan struct{}, 1), dead: true}
	s.asks = s.stop.Load
	s.timer = time.NewTimer(stuckAfter)
	s.timer.Stop()
	l.sched.StopOn(&s.stop)
	return s
}

// hand gives the baton away for a slice from begin until the deadline. The host has it.
func (s *shadow) hand(begin, until deadline.Instant) {
	s.begin, s.until = begin, until
	s.stop.Store(false)
	s.l.gate.away()
	if s.l.gate.isClosing() {
		s.stop.Store(true) // a Close that came before may have set it before we cleared it
	}
	s.send()
}

func (s *shadow) send() {
	if s.dead {
		s.dead = false
		go s.run()
	}
	s.out = true
	s.give <- struct{}{}
}

// interrupt asks the drain to end. Any goroutine.
func (s *shadow) interrupt() { s.stop.Store(true) }

// take gets the baton back, and returns how long that took: the lateness of the slice.
func (s *shadow) take() (late time.Duration) {
	if !s.out {
		return 0
	}
	select {
	case <-s.back:
	default:
		if !s.granted() {
			from := deadline.Now()
			s.interrupt()
			s.wait()
			late = deadline.Now().Sub(from)
		}
	}
	s.out = false
	return late
}

// recall ends the slice before the next frame: more of the host's own work has come.
func (l *Loop) recall() {
	if !l.gate.enter("DrawFinalScreen", 1<<phaseBetween, false) {
		l.over()
		return
	}
	defer l.leave(phaseBetween)
	l.takeBack()
}

// granted waits until the slice has had the least that a frame gives, for hosts which come back at once:
// tasks would starve there. It returns true if the baton came back meanwhile.
func (s *shadow) granted() bool {
	left := s.begin.Add(shadowFloor).Sub(deadline.Now())
	if left <= 0 || s.l.gate.isClosing() {
		return false
	}
	s.timer.Reset(left)
	select {
	case <-s.back:
		s.timer.Stop()
		return true
	case <-s.timer.C:
		return false
	}
}

// shadowFloor is the least slice in the shadow.
const shadowFloor = 500 * time.Microsecond

// raise raises what a task panicked with, on the host's goroutine, as a slice without a shadow would have.
func (s *shadow) raise() {
	if f := s.fault; f != nil {
		s.fault = nil
		panic(f)
	}
}

// wait receives from back, or panics when that takes too long to be anything but a deadlock.
func (s *shadow) wait() {
	for range 2 {
		s.timer.Reset(stuckAfter)
		select {
		case <-s.back:
			s.timer.Stop()
			return
		case <-s.timer.C:
		}
	}
	panic("frame: the slice in the swap's shadow did not end: " + readsBack)
}

// close closes the scheduler on the shadow's goroutine, and ends that. The caller closes the loop (G2);
// onShadow tells that it is the shadow itself, in its own turn.
func (s *shadow) close(onShadow bool) (late time.Duration) {
	if onShadow {
		s.quit = true
		s.l.closeDrain()
		return 0
	}
	late = s.take()
	s.quit = true
	s.send()
	<-s.back
	s.out = false
	return late
}

// run is the shadow's goroutine.
func (s *shadow) run() {
	s.who.Store(uint64(carrier.Here()))
	for {
		<-s.give
		if s.turn() {
			return
		}
	}
}

// turn is one possession of the baton. It returns true if there will be no other.
func (s *shadow) turn() (end bool) {
	defer func() { end = s.finish() }()
	if s.quit {
		s.l.closeDrain()
		return
	}
	ended := false
	defer func() {
		if ended {
			return
		}
		if v := recover(); v != nil {
			s.fault = fault.Capture("slice in the shadow", v)
		} else {
			s.dead = true // Goexit: the next hand starts another goroutine
		}
	}()
	s.l.drain(s.begin, s.until, s.asks)
	ended = true
	return
}

// finish ends the turn: B6, then B3.
func (s *shadow) finish() (end bool) {
	if !s.quit && s.l.gate.home() {
		s.l.close(true)
	}
	end = s.quit
	s.back <- struct{}{}
	return end
}
