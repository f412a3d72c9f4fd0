package scheduler

import (
	"runtime"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/carrier"
	"github.com/frameslice/frameslice/internal/regions"
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

// Nest calls f, a modal loop such as a message box, in which the running task is the host.
//
//	s.Nest(func() {
//		for box.Open() && s.Context().Err() == nil {
//			s.BeginFrame(deadline.Now())
//			s.RunUntil(deadline.In(4 * time.Millisecond))
//			box.Draw()
//		}
//	})
//
// In f the calls of the frame goroutine are legal, and all other work runs. A coroutine must not suspend itself in f.
// The time in f counts in no estimate. A panic, a Goexit or a cancellation in f goes on in the task. Nests may be 32
// deep; the innermost ends first.
//
// Only within a task, a microtask, a callback or OnPanic, on its goroutine; Nest panics elsewhere. Some 8 µs. If the
// dialog can run elsewhere, Await its end instead.
func (s *Scheduler) Nest(f func()) {
	if f == nil {
		panic(errNestNil)
	}
	l := s.nestIn()
	defer s.nestOut(l)
	f()
}

// level is one Nest, with the state that its slices and phases set aside: the state of the run outside.
//
// S32. A run is open if it has begun and not ended. With Nests several runs are open, each in the Nest of the one
// before. An open run goes on only when all that are further in have ended, and never begins again.
//
//   - The token says whose turn it is. Nest gives the token back, so the calls of the frame goroutine are legal in f.
//     It takes the token when f has ended, in a deferred call. So within f and outside of its slices the token is
//     free, and in a slice or phase the token is taken, as outside of all Nests. A call within a task of a nested
//     slice panics.
//   - An item of an open run is in phaseRun and in no list, so nothing can choose it. It is submitted and cancelled as
//     during any run. The coroutines of open runs are running, or have resumed those further in. None is idle or in the
//     queue, so none is resumed. The carrier is put aside, because it may be in an open run, and slices in the Nest
//     take another carrier.
//   - A coroutine cannot suspend itself in its own f, because it would give the turn to a slice that is not the
//     innermost one. Its Co looks at a flag that forbids this. Any slice may resume the other suspended coroutines: the
//     thread is the same, and S12 asks for no more.
//   - The fields of a slice (deadline, quotas, counts, the time of the open run) are put aside when a nested slice or
//     phase begins, and taken up when it ends. What was passed over goes back into the queue, because another slice has
//     other room, and counts as passed over once. The fields of the frame (microtasks run, idle period, requests to
//     draw) and of the scheduler (queue, overdue work, estimates) are shared.
//   - A phase in whose callback a Nest lies keeps its next and limit. addCallback and removeCallback move those of all
//     open phases, so S13 holds for each of them. A callback of Each goes back by its order of registration.
//   - Close within f cancels Context and ends slices at once. The rest happens when the outermost run has ended.
//
// The open run's cost is what it took before and after f, and the slice's start is moved by the time in f. Slices
// outside are over when f returns, if their deadline has passed.
//
// Rejected: RunUntil that nests when a task calls it, because the call is a mistake nearly always. A Nest for slices
// alone: a modal loop has frames. An open coroutine that suspends itself and goes on in the slice outside: that is two
// runs in one stack.
type level struct {
	outer *level
	depth int
	c     *coroutine // the coroutine task that nests; nil for anything else
	begun deadline.Instant

	// Of the frames outside: f has frames of its own.
	framed, frameBegun bool

	// Set aside while a nested call is in progress.
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

// nestIn begins a Nest. It first looks at the caller's own record and at the token. A goroutine that passes both is the
// one that runs, so it may read the other fields.
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
		panic(errNestLock) // no coroutine could be resumed in f
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
	s.room, s.shared = 0, 0 // what shared a reading until now counts for the running task
	s.nest = l
	s.leave()
	return l
}

// nestOut ends the Nest of l.
func (s *Scheduler) nestOut(l *level) {
	misused := false
	for !s.token.CompareAndSwap(0, 1) {
		misused = true // wait for the other goroutine: two at once would break every invariant
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
	s.slicing, s.current, s.reporting, s.apart, s.row = false, nil, false, 0, regions.Region{}
}

// takeUp ends a nested call, however it ended, and gives the token back.
func (s *Scheduler) takeUp() {
	defer s.leave()
	l := s.nest
	now, idling := s.now, s.idling
	if c := s.carrier; c != nil {
		s.carrier = l.carrier
		s.putCoroutine(c)
	}
	s.slice, s.carrier, s.firstPanic, s.reports = l.slice, l.carrier, l.firstPanic, l.reports
	s.atPhase, s.reporting = l.phase, l.reporting
	s.now = now
	s.idling = idling // it is the frame's, not the slice's
	s.microBefore += s.microTotal - l.micros
	s.fresh = false // its frame may be over, and the tasks passed over in it have been counted
	s.handed, s.isHanded = nil, false
	if w := s.watch; w != nil {
		w.watchedRun = l.watched
	}
	l.slice, l.carrier, l.firstPanic, l.reports, l.phase = slice{}, nil, nil, nil, atPhase{}
}
