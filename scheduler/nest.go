package scheduler

import (
	"runtime"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/carrier"
	"github.com/frameslice/frameslice/internal/where"
)

// nestLimit is how deep modal loops may lie in each other: each keeps a coroutine and its stack.
const nestLimit = 32

const (
	errNestNil     = "scheduler: Nest with a nil function"
	errNestOutside = "scheduler: Nest outside of a task, or on another goroutine than the task's"
	errNestDeep    = "scheduler: Nest more than 32 deep: tasks that run in modal loops open further ones"
	errNestLock    = "scheduler: Nest under another thread lock than that of the frame goroutine"
	errNestSuspend = "scheduler: a coroutine that suspends itself within its own Nest"
	errNestBusy    = "scheduler: Nest has ended while another goroutine was in a slice of its"
)

// Nest calls f, in which the running task is the host: f is a modal loop (a message box, a file dialog, a
// crash report) that keeps the frames going by itself while the task that it belongs to waits for its end.
//
//	s.Post(deadline.Normal, func() {
//		s.Nest(func() {
//			for box.Open() && s.Context().Err() == nil {
//				s.BeginFrame(deadline.Now())
//				s.RunUntil(deadline.In(4 * time.Millisecond))
//				box.Draw()
//			}
//		})
//	})
//
// Only within a task, a microtask, a callback or OnPanic, on the goroutine that runs it; it panics elsewhere. In
// f all that the frame goroutine may call may be called, between slices as usual; outside of a Nest that still
// panics. The task itself does not go on, nor does anything that lies outside of it: a function or step that
// runs does not run again within, not the next tick of a periodic task either, and a coroutine does not suspend
// itself in f (its Co panics). All else runs: what is queued, in its order and with the budgets that f gives,
// coroutines that are suspended, microtasks (also those that the task has queued: they would wait too long). The
// time in f is none of the task's: it is in no estimate, no Result of the slices outside, and in no histogram.
//
// Nest returns what f returns from: a panic of f's, a Goexit or a cancellation goes on in the task. It may be
// nested, 32 deep. Modal loops end in the order in which the stack has them, the innermost first, whichever is
// done first. Close within f takes effect when the outermost run ends, and begins by canceling Context, as
// which f should look: slices run nothing any more. A RunUntil that f is in while the frame's own slice is over
// keeps that from returning: nothing but f's own loop limits how long.
//
// Where a dialog can run elsewhere (another goroutine, another process), Await its end instead: then the frames
// are the host's own, and nothing is nested. It takes some 8 µs and 1.5 KiB, and each slice in it 100 ns more than
// one outside.
func (s *Scheduler) Nest(f func()) {
	if f == nil {
		panic(errNestNil)
	}
	l := s.nestIn()
	defer s.nestOut(l)
	f()
}

// level is one Nest: what its slices and phases set aside of the run that they lie in. See S32.
type level struct {
	outer *level
	depth int
	c     *coroutine // the coroutine task that nests; nil for anything else
	begun deadline.Instant

	// Of the frames outside: those of f are others.
	framed, frameBegun bool

	// What is set aside while a nested call is in progress.
	slice      slice
	carrier    *coroutine
	firstPanic *PanicError
	reports    []*PanicError
	reporting  bool
	phase      atPhase
	watched    watchedRun
	micros     uint64
}

// nested is the part of a Scheduler that knows of modal loops. The frame goroutine's.
type nested struct {
	nest      *level // the innermost Nest; nil outside of all
	slices    uint32 // begun, nested ones included: their numbers
	reporting bool   // OnPanic is being called
}

// nestIn begins a Nest. The first look is at the caller's own record, and at the token: a goroutine that passes both is
// the one that runs, so the fields read after that are its own.
func (s *Scheduler) nestIn() *level {
	if !where.In(s, where.Task) || s.token.Load() == 0 || s.current == nil && !s.reporting {
		panic(errNestOutside)
	}
	l := &level{outer: s.nest, depth: 1, framed: s.framed, frameBegun: s.frameBegun}
	if s.nest != nil {
		l.depth = s.nest.depth + 1
	}
	if l.depth > nestLimit {
		panic(errNestDeep)
	}
	if carrier.Here().Locked() != s.locked {
		panic(errNestLock) // and no coroutine can be resumed here
	}
	l.begun = s.clock()
	if it := s.current; it != nil {
		s.apart += l.begun.Sub(s.now)
		if t := it.task; t != nil && t.c != nil {
			l.c = t.c
			l.c.nests = true
		}
	}
	s.now = l.begun
	s.nest = l
	s.leave()
	return l
}

// nestOut ends it.
func (s *Scheduler) nestOut(l *level) {
	misused := false
	for !s.token.CompareAndSwap(0, 1) {
		misused = true // wait for the other goroutine: two at once would be the end of everything
		runtime.Gosched()
	}
	s.nest = l.outer
	s.framed, s.frameBegun = l.framed, l.frameBegun
	if l.c != nil {
		l.c.nests = false
	}
	s.now = s.clock()
	s.start = s.start.Add(s.now.Sub(l.begun))
	if s.asked != 0 {
		s.asked = s.asked.Add(s.now.Sub(l.begun))
	}
	s.special = true
	if misused {
		panic(errNestBusy)
	}
}

// setAside makes room for a nested call.
func (s *Scheduler) setAside() {
	l := s.nest
	s.passedBefore += len(s.passed)
	s.restore() // what did not fit into the slice outside may fit into this one
	l.slice, l.carrier, l.firstPanic, l.reports = s.slice, s.carrier, s.firstPanic, s.reports
	l.phase, l.micros, l.reporting = s.atPhase, s.microTotal, s.reporting
	if w := s.watch; w != nil {
		l.watched = w.watchedRun
		w.running = nil
	}
	s.carrier, s.firstPanic, s.reports = nil, nil, nil
	s.atPhase = atPhase{outer: &l.phase}
	s.slicing, s.current, s.reporting, s.apart = false, nil, false, 0
}

// takeUp ends a nested call, however it ended.
func (s *Scheduler) takeUp() {
	l := s.nest
	now, idling := s.now, s.idling
	if c := s.carrier; c != nil {
		s.carrier = l.carrier
		s.give(c)
	}
	s.slice, s.carrier, s.firstPanic, s.reports = l.slice, l.carrier, l.firstPanic, l.reports
	s.atPhase, s.reporting = l.phase, l.reporting
	s.now = now
	s.idling = idling // it is the frame's, not the slice's
	s.microBefore += s.microTotal - l.micros
	s.fresh = false // its frame may be over, and what was passed over in it has been counted
	s.handed, s.isHanded = nil, false
	if w := s.watch; w != nil {
		w.watchedRun = l.watched
	}
	l.slice, l.carrier, l.firstPanic, l.reports, l.phase = slice{}, nil, nil, nil, atPhase{}
}

// sliceWithin is RunUntil in a Nest. The deferred calls are for an OnEvent that panics, though it must not.
func (s *Scheduler) sliceWithin(d deadline.Deadline) (Result, *PanicError) {
	defer s.leave()
	s.setAside()
	defer s.takeUp()
	return s.runSlice(d)
}

// phaseWithin is RunPhase in a Nest.
func (s *Scheduler) phaseWithin(p Phase) (int, *PanicError) {
	defer s.leave()
	s.setAside()
	defer s.takeUp()
	return s.hostPhase(p)
}
