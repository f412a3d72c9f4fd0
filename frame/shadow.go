package frame

import (
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/carrier"
	"github.com/frameslice/frameslice/internal/fault"
	"github.com/frameslice/frameslice/internal/park"
)

// shadow runs the slice on a goroutine of its own while the host, after Slice, flushes its drawing and waits for the
// display: in the shadow of the swap. Slice hands the baton over. The next Begin asks for it and waits until it is
// back.
//
// All tasks run on this one goroutine, which is never locked to a thread, and so does the scheduler's Close. A
// coroutine may only be resumed under the lock state in which it was made. The host's goroutine may be locked, and a
// mismatch ends the program.
//
// # The baton
//
// The host's side is the goroutine that holds the gate's token. These belong to the baton: the slice field of the Loop,
// the scheduler's frame side (RunUntil, Close), and quit, fault and dead below.
//
//   - F21. The baton is in one of four places: with the host, in give, with the shadow, in back. A second Post of a
//     token would be lost.
//   - F22. The host sends to give only when it has the baton. After that it has no baton until it receives from back.
//   - F23. The shadow sends to back once for each receive from give, whatever the tasks do: panic and Goexit included.
//   - F24. A side without the baton does not touch what belongs to the baton.
//   - F25. Only the host clears stop, before it sends to give. Begin sets stop after that. Close sets closing and then
//     stop, and the host looks at closing after it has cleared stop. So neither request is lost.
//   - F26. The gate's away bit is set before give is sent to. The shadow clears it when its tasks are over, before it
//     sends to back. In that step the shadow may become the one that closes the loop (F12).
//
// A recall (by a DrawFinalScreen that was not expected), and the end of a Run, is like a Begin without a Slice.
//
// Exclusive: tasks run between a receive from give and the send to back. The frame's own work runs between Begin's
// receive from back and Slice's send to give. By F21 and F22 these do not overlap. The tokens order them, so neither
// side needs a lock for what the other has written.
//
// No deadlock: Begin waits only when the baton is out, and by F23 it comes back. A drain looks at stop before each
// task, and by F25 it sees stop. Only a task that waits for the host's next frame breaks that. Begin then panics after
// half a minute and names the cause.
//
// Close: if the baton is away, Close sets closing and stop, and waits unless it is in a task. The shadow clears away,
// or the host clears busy. The later of the two closes by F12; neither can miss the other, as both bits are in one
// word. The shadow closes on its own goroutine at once, and a Begin meanwhile waits for the end. Any other closer has
// the baton, or gets it back, and sends it once more with quit set. So the scheduler is always closed on the shadow's
// goroutine.
//
// shadow_explore_test.go runs F21 to F26, without a Goexit, which stage_test.go has.
//
// Rejected: a mutex held for the slice, because a waiting Begin does not stop the drain. Draining on the pool, because
// a worker may have any lock state, and any job may come first. One goroutine per frame, because that costs 0.3 µs and
// garbage.
type shadow struct {
	gate *gate
	give park.Token
	back park.Token
	stop flag
	asks func() bool // stop.Load, bound once

	// Of the loop, set once.
	drain      func(begin, until deadline.Instant, stop func() bool) // Loop.drain: runs a slice
	closeAll   func() error                                          // Loop.close on the shadow's goroutine
	closeDrain func()                                                // Loop.closeDrain

	who atomic.Uint64 // carrier.Place of the shadow's goroutine: for the watchdog

	begin, until deadline.Instant // of the slice; set before the baton is given away
	least        time.Duration    // that the next Begin leaves to the slice, while there is work

	// The baton's.
	quit  bool              // close the scheduler instead of draining
	fault *fault.PanicError // a task's panic, to be raised on the host's goroutine
	dead  bool              // the goroutine has ended, or was never started

	system systemShare // of the slice

	// The host's.
	out   bool
	timer *time.Timer
}

// A flag is an atomic.Bool: of sync/atomic, as scheduler.Scheduler.StopOn wants, or of a program.
type flag interface {
	Load() bool
	Store(bool)
}

// readsBack is the likely cause of a slice that does not end.
const readsBack = "a task waits for the host's next frame (reading an image back does) or calls Begin; " +
	"such work belongs to Loop.Host"

func newShadow(l *Loop) *shadow {
	stop := new(atomic.Bool)
	s := &shadow{gate: &l.gate, give: park.NewToken(), back: park.NewToken(), stop: stop, asks: stop.Load, dead: true}
	s.system.off = l.tempo.pacer.virtual
	s.timer = time.NewTimer(stuckAfter)
	s.timer.Stop()
	l.sched.StopOn(stop)
	return s
}

// hand gives the baton away for a slice from begin until the deadline, and for share at least. The host has it.
func (s *shadow) hand(begin, until deadline.Instant, share time.Duration) {
	s.begin, s.until, s.least = begin, until, max(share, shadowFloor)
	s.stop.Store(false)
	s.gate.away()
	if s.gate.isClosing() {
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
	s.give.Post()
}

// interrupt asks the drain to end. Any goroutine.
func (s *shadow) interrupt() { s.stop.Store(true) }

// take gets the baton back. held is how long the caller waited for that, and late is how long the slice continued after
// it was asked to end: 0 if the slice ended by itself, or within its least time.
func (s *shadow) take() (held, late time.Duration) {
	if !s.out {
		return 0, 0
	}
	if !s.back.Take() {
		from := deadline.Now()
		if !s.granted() {
			asked := deadline.Now()
			s.interrupt()
			s.wait()
			late = deadline.Now().Sub(asked)
		}
		held = deadline.Now().Sub(from)
	}
	s.out = false
	return held, late
}

// granted waits until the slice has had its least time. It returns true if the baton came back meanwhile.
func (s *shadow) granted() bool {
	left := s.begin.Add(s.least).Sub(deadline.Now())
	if left <= 0 || s.gate.isClosing() {
		return false
	}
	s.timer.Reset(left)
	if !s.back.WaitFor(s.timer) {
		return false
	}
	s.timer.Stop()
	return true
}

// raise panics on the host's goroutine with what a task panicked with, as a slice without a shadow would have.
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
		if s.back.WaitFor(s.timer) {
			s.timer.Stop()
			return
		}
	}
	panic("frame: the slice in the swap's shadow did not end: " + readsBack)
}

// close closes the scheduler on the shadow's goroutine, which then ends. The caller closes the loop (F12). onShadow
// says that the caller is the shadow itself, in its own turn.
func (s *shadow) close(onShadow bool) (late time.Duration) {
	if onShadow {
		s.quit = true
		s.closeDrain()
		return 0
	}
	_, late = s.take()
	s.quit = true
	s.send()
	s.back.Wait()
	s.out = false
	return late
}

// run is the shadow's goroutine.
func (s *shadow) run() {
	s.who.Store(uint64(carrier.Here()))
	for {
		s.give.Wait()
		if s.turn() {
			return
		}
	}
}

// turn is the time from one receive to the next send. It returns true if it is the last.
func (s *shadow) turn() (end bool) {
	defer func() { end = s.finish() }()
	if s.quit {
		s.closeDrain()
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
	s.drain(s.begin, s.until, s.asks)
	ended = true
	return
}

// finish ends the turn: F26, then F23.
func (s *shadow) finish() (end bool) {
	if !s.quit && s.gate.home() {
		_ = s.closeAll()
	}
	end = s.quit
	s.back.Post()
	return end
}
