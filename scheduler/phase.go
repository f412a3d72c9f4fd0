package scheduler

import (
	"fmt"

	"github.com/frameslice/frameslice/deadline"
)

// Phase is a point of a frame at which callbacks run: see [Scheduler.Once] and [Scheduler.Each].
type Phase uint8

const (
	BeforeUpdate Phase = iota // the frame has begun, the host's update has not
	BeforeDraw                // the host's update is done, its drawing has not begun
	AfterDraw                 // the host has drawn; what it drew need not be visible yet

	numPhases = iota
)

// String returns the constant's name in words.
func (p Phase) String() string {
	switch p {
	case BeforeUpdate:
		return "before update"
	case BeforeDraw:
		return "before draw"
	case AfterDraw:
		return "after draw"
	}
	return "invalid phase"
}

// phaseLane is where a callback's phase begins in the lane bits of an item's word: behind the priorities. It
// is the code of microtasks too, which are never read from the inbox.
const phaseLane = deadline.NumPriorities

// phases is the part of a Scheduler that runs callbacks. The frame goroutine's.
type phases struct {
	callbacks [numPhases]list
	hosted    [numPhases]bool // the host calls RunPhase for it
	onces     int             // callbacks of Once that wait
	eaches    uint32          // callbacks of Each so far: their order, which must last as long as they do

	atPhase
}

// atPhase is a phase that runs: next is the callback to run next, limit the first one that was registered since
// it began, phaseNow its number plus one, phaseRan how many ran.
type atPhase struct {
	phaseNow    int
	next, limit *item
	phaseRan    int
	outer       *atPhase // that in whose callback this one runs, by Nest
}

// Once registers f to run in the next phase p that begins, once. It asks for a frame: Next says now and
// DrawRequested is true until the phase has come. The Handle cancels it, within the same phase too, from an
// earlier callback. What is registered while phase p runs waits for that of the next frame.
//
// Any goroutine, also a task or a callback. It never blocks, takes some 20 ns, and does not allocate once as
// many functions as wait now have waited before. After Close it returns a Handle that is Canceled. It panics
// if f is nil or p invalid. Callbacks have no priority: Handle.SetPriority returns false.
func (s *Scheduler) Once(p Phase, f func()) Handle { return s.register("Once", p, f, 0) }

// Each registers f to run in every phase p from the next one that begins, until its Handle is cancelled,
// which it may do itself. A callback that panics or calls Goexit is reported like a task, has failed and
// does not run again; the others do. It does not ask for a frame. Otherwise it is as Once.
func (s *Scheduler) Each(p Phase, f func()) Handle { return s.register("Each", p, f, flagSteps) }

func (s *Scheduler) register(verb string, p Phase, f func(), flag word) Handle {
	if f == nil {
		panic("scheduler: " + verb + " with a nil function")
	}
	mustBePhase(p)
	if s.closed.Load() {
		return s.drop()
	}
	it := s.arena.get(noLane)
	it.fn = f
	life := lifeOf(it.word.Load()) + 1
	it.word.Store(uint64(life)<<lifeShift | phaseReady | flagInbox | flagNew | flag |
		(phaseLane+word(p))<<laneShift)
	s.push(it)
	return Handle{s, it, life}
}

func mustBePhase(p Phase) {
	if p >= numPhases {
		panic(fmt.Sprintf("scheduler: invalid Phase(%d)", uint8(p)))
	}
}

// hook puts a callback that was read from the inbox into its list. lane is that of its word.
func (s *Scheduler) hook(it *item, lane int) {
	p := lane - phaseLane
	it.where = inOnce + place(2*p)
	if it.word.Load()&flagSteps != 0 {
		it.where++
		s.eaches++
	} else {
		s.onces++
	}
	it.order = s.eaches
	s.callbacks[p].push(it)
	for r := &s.atPhase; r != nil; r = r.outer {
		if r.phaseNow == p+1 && r.limit == nil {
			r.limit = it
			if r.next == nil {
				r.next = it
			}
		}
	}
}

// unhook takes a callback out of its list.
func (s *Scheduler) unhook(it *item) {
	i := int(it.where - inOnce)
	if i&1 == 0 {
		s.onces--
	}
	for r := &s.atPhase; r != nil; r = r.outer {
		if it == r.limit {
			r.limit = it.fore
		}
		if it == r.next {
			r.next = it.fore
		}
	}
	s.callbacks[i/2].remove(it)
}

// RunPhase runs the callbacks of phase p, in the order of registration, and after each of them the
// microtasks. It returns how many callbacks ran. Frame goroutine, between slices, once per frame and phase,
// in the order of the phases. BeforeDraw and AfterDraw also say what RequestDraw and [Co.AfterDraw] wait
// for. It panics if called within a task or a callback, and with Options.Rethrow as RunUntil does.
//
// A phase for which the host never calls RunPhase is run by the first RunUntil of each frame, so that no
// callback is lost, only late (or, of AfterDraw, early).
//
// Without callbacks it takes some 15 ns. Callbacks run one after the other whatever they take: they are part
// of the frame's own work, not of a slice.
func (s *Scheduler) RunPhase(p Phase) int {
	mustBePhase(p)
	s.enter("RunPhase")
	if s.closed.Load() {
		s.leave()
		return 0
	}
	if (s.slices < lockChecks || raceEnabled) && !s.sameThread() {
		s.leave()
		panic(errMoved)
	}
	s.hosted[p] = true
	var n int
	var err *PanicError
	if s.nest != nil {
		n, err = s.phaseWithin(p)
	} else {
		n, err = s.hostPhase(p)
		s.leave()
	}
	if err != nil && s.rethrow {
		panic(err)
	}
	return n
}

// hostPhase is RunPhase with the token.
func (s *Scheduler) hostPhase(p Phase) (n int, err *PanicError) {
	if s.isUnread() {
		s.now = s.clock()
		s.drain(s.now)
	}
	s.absorb(p)
	if s.hasPhase(p) || s.micros.head != nil {
		s.now = s.clock()
		n = s.runPhase(p)
	}
	s.arena.flush()
	if s.closing.Load() && s.nest == nil {
		s.shut()
	}
	err = s.firstPanic
	s.firstPanic = nil
	return n, err
}

func (s *Scheduler) hasPhase(p Phase) bool {
	return s.callbacks[p].head != nil || p == AfterDraw && s.draws.head != nil
}

// latePhases runs, in the first slice of a frame, the phases for which the host never calls RunPhase.
func (s *Scheduler) latePhases() {
	for p := range Phase(numPhases) {
		if s.isUnread() && !s.stopped() {
			s.drain(s.now)
		}
		if !s.hosted[p] && s.hasPhase(p) && !s.closing.Load() {
			s.runPhase(p)
			s.now = s.clock()
		}
	}
}

// runPhase runs the callbacks of p that are registered now. Frame goroutine.
func (s *Scheduler) runPhase(p Phase) int {
	if p == AfterDraw {
		s.drawn()
	}
	s.phaseNow, s.next, s.limit, s.phaseRan = int(p)+1, s.callbacks[p].head, nil, 0
	for it := s.nextCallback(); it != nil; it = s.nextCallback() {
		if s.carrier == nil {
			s.carrier = s.take()
		}
		c := s.carrier
		c.first = it
		c.turn(jobPhase)
		s.give(c)
		if len(s.reports) > 0 {
			s.reportAll()
		}
	}
	s.phaseNow, s.next, s.limit, s.apart = 0, nil, nil, 0
	return s.phaseRan
}

// runCallbacks runs callbacks and microtasks, beginning with it, until the phase is over. It is on the
// carrier.
func (s *Scheduler) runCallbacks(it *item) {
	for it != nil {
		it.fn()
		s.current = nil
		if s.watch != nil {
			s.timeCallback()
		}
		s.calledBack(it)
		it = s.nextCallback()
	}
}

// nextCallback returns the next callback or microtask, claimed, or nil if the phase is over. A callback is
// out of its list while it runs: what is next is remembered, and kept right by unhook.
func (s *Scheduler) nextCallback() *item {
	for !s.closing.Load() {
		if it := s.pickMicro(); it != nil {
			return it
		}
		it := s.next
		if it == s.limit {
			return nil
		}
		s.unhook(it)
		it.where = nowhere
		if it.claim() {
			s.phaseRan++
			s.current, s.currentLate = it, false
			s.note(Running, it)
			return it
		}
	}
	return nil
}

// calledBack ends a callback's run: that of Each goes back to its place.
func (s *Scheduler) calledBack(it *item) {
	switch w := it.word.Load(); {
	case w&flagSteps == 0:
		s.end(it, endDone)
	case !it.release(phaseReady):
		s.end(it, endCanceled)
	default:
		s.note(Queued, it)
		p := w&laneMask>>laneShift - phaseLane
		it.where = inOnce + place(2*p) + 1
		at, before := s.next, s.callbacks[p].tail
		if at != nil {
			before = at.back
		}
		for before != nil && int32(before.order-it.order) > 0 { // they ran in a Nest of its, and are back
			at, before = before, before.back
		}
		s.callbacks[p].insert(it, at)
	}
}
