package scheduler

import (
	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/regions"
)

// Phase is a point of a frame at which callbacks run: see [Scheduler.Once].
type Phase uint8

const (
	BeforeUpdate Phase = iota // the frame has begun
	BeforeDraw                // between the host's update and its drawing
	AfterDraw                 // the host has drawn, perhaps not yet visibly

	numPhases = iota
)

// String returns the constant's name in words.
func (p Phase) String() string {
	if p >= numPhases {
		return "invalid phase"
	}
	return [...]string{"before update", "before draw", "after draw"}[p]
}

// phaseLane is added to a callback's phase in the lane bits of an item's word: smaller numbers are priorities.
// Microtasks have phaseLane as well, but never go through the inbox.
const phaseLane = deadline.NumPriorities

// phases is the part of a Scheduler that runs callbacks. The frame goroutine's.
//
// A callback of Once or Each is an item, as a posted function is. Its word has a phase in place of the lane, and
// flagSteps if it is a callback of Each. Its submission, cancellation and end follow S1 to S8. Only the list differs.
//
// S13. A phase runs the callbacks that were registered when it began, in the order of registration, each once. A
// callback that is added meanwhile waits for the next phase, and a cancelled one does not run. next points at the
// callback to run next, and limit at the first that was added since the phase began. The phase ends where they meet. A
// callback is out of the list while it runs. A callback of Each goes back before next, which is its old place. If next
// or limit points at another callback that leaves the list, the pointer moves on. So a callback is between next and
// limit if and only if it was there in the beginning, has not run, has not been cancelled, and has not been skipped. A
// callback whose group is paused is skipped, and stays in its place.
type phases struct {
	callbacks [numPhases]list
	hosted    [numPhases]bool // the host calls RunPhase for it
	onces     int             // callbacks of Once that wait

	// Of the phase that runs.
	phaseNow    int // its number plus one
	next, limit *item
	phaseRan    int // callbacks
}

// Once registers f to run once, in the next phase p that begins. It asks for a frame: see DrawRequested. The Handle
// cancels f, but has no priority to set. Any goroutine. Otherwise Once is as [Scheduler.Post].
func (s *Scheduler) Once(p Phase, f func()) Handle { return s.register("Once", p, f, nil, 0) }

// Each registers f to run in every phase p from the next that begins, until its Handle is cancelled or f fails. It does
// not ask for a frame. Otherwise it is as [Scheduler.Once].
func (s *Scheduler) Each(p Phase, f func()) Handle { return s.register("Each", p, f, nil, flagSteps) }

// register is Once and Each, also for a group.
func (s *Scheduler) register(verb string, p Phase, f func(), g *Group, flags word) Handle {
	if f == nil {
		panic("scheduler: " + verb + " with a nil function")
	}
	mustBePhase(p)
	if s.closed.Load() {
		return s.drop()
	}
	it := s.arena.get(noLane)
	if it.fn = f; g != nil {
		it.fore = &g.anchor.item
		flags |= flagMember
	}
	h := s.launch(it, flags|(phaseLane+word(p))<<laneShift)
	if g.isCanceled() {
		h.Cancel()
	}
	return h
}

// addCallback puts a callback that was read from the inbox into its list. lane is the lane in its word.
func (s *Scheduler) addCallback(it *item, lane int) {
	p := lane - phaseLane
	it.where = inOnce + place(2*p)
	if it.word.Load()&flagSteps != 0 {
		it.where++
	} else {
		s.onces++
	}
	s.callbacks[p].push(it)
	if s.phaseNow == p+1 && s.limit == nil {
		s.limit = it
		if s.next == nil {
			s.next = it
		}
	}
}

// removeCallback takes a callback out of its list.
func (s *Scheduler) removeCallback(it *item) {
	i := int(it.where - inOnce)
	if i&1 == 0 {
		s.onces--
	}
	if it == s.limit {
		s.limit = it.fore
	}
	if it == s.next {
		s.next = it.fore
	}
	s.callbacks[i/2].remove(it)
}

// RunPhase runs the callbacks of phase p in the order of registration, with their microtasks, and returns how many ran.
// A phase that the host never runs runs in the first RunUntil of a frame.
//
// Frame goroutine, between slices, once a frame for each phase, in their order. It panics within a task or a callback.
func (s *Scheduler) RunPhase(p Phase) int {
	mustBePhase(p)
	if !s.beginCall("RunPhase") {
		return 0
	}
	s.hosted[p] = true
	n := 0
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
	if s.closing.Load() {
		s.shut()
	}
	s.endCall()
	return n
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
	if regions.On() {
		r := s.meter.Begin(regions.Phase, p.String())
		defer r.End()
	}
	s.phaseNow, s.next, s.limit, s.phaseRan = int(p)+1, s.callbacks[p].head, nil, 0
	for it := s.nextCallback(); it != nil; it = s.nextCallback() {
		if s.carrier == nil {
			s.carrier = s.getCoroutine()
		}
		c := s.carrier
		c.first = it
		c.turn(jobPhase)
		s.putCoroutine(c)
		if len(s.reports) > 0 {
			s.reportAll()
		}
	}
	s.phaseNow, s.next, s.limit = 0, nil, nil
	return s.phaseRan
}

// runCallbacks runs callbacks and microtasks on the carrier, beginning with it, until the phase is over.
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

// nextCallback returns the next callback or microtask, claimed, or nil if the phase is over.
func (s *Scheduler) nextCallback() *item {
	for !s.closing.Load() {
		if it := s.pickMicro(); it != nil {
			return it
		}
		it := s.next
		if it == s.limit {
			return nil
		}
		if s.isPausedCallback(it) {
			s.next = it.fore // it keeps its place
			continue
		}
		s.removeCallback(it)
		it.where = nowhere
		if it.word.Load()&flagMember != 0 && !s.mayRun(it) {
			continue // its group is cancelled, and it has left
		}
		if it.claim() {
			s.phaseRan++
			s.current, s.currentLate = it, false
			s.note(Running, it)
			return it
		}
		s.noteGone(it)
	}
	return nil
}

// calledBack ends a callback's run: a callback of Each goes back to its place.
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
		s.callbacks[p].insert(it, s.next)
	}
}

// microtasks is the part of a Scheduler that runs microtasks. The frame goroutine's.
//
// S14. A frame runs at most microtaskLimit microtasks. The rest waits, in order, for the next frame.
type microtasks struct {
	micros     list
	microLimit int    // per frame
	microRan   int    // in this frame
	microHeld  bool   // the limit was reached in this frame
	microTotal uint64 // ran
}

// Microtask queues f to run right after the running task, step, stretch of a coroutine or callback, even if the slice's
// time is over. From the host's update it runs in the next RunPhase or RunUntil. Beyond 1,000 in a frame microtasks
// wait for the next frame: see Result.Held.
//
// Frame goroutine only, in a task or between slices; elsewhere use Post. Only the race detector finds wrong calls. It
// panics if f is nil. Some 15 ns.
func (s *Scheduler) Microtask(f func()) Handle {
	if f == nil {
		panic("scheduler: Microtask of a nil function")
	}
	if s.closed.Load() {
		return s.drop()
	}
	it := s.arena.get(noLane)
	it.fn = f
	life := lifeOf(it.word.Load()) + 1
	it.word.Store(uint64(life)<<lifeShift | phaseReady | flagMicro | phaseLane<<laneShift)
	it.where = inMicro
	s.micros.push(it)
	s.special = true
	s.note(Queued, it)
	return Handle{s, it, life}
}

// pickMicro returns the next microtask, claimed, or nil if there is none or the frame has reached the limit.
func (s *Scheduler) pickMicro() *item {
	for it := s.micros.head; it != nil; it = s.micros.head {
		if s.microRan >= s.microLimit {
			s.microHeld = true
			return nil
		}
		s.micros.remove(it)
		it.where = nowhere
		if it.claim() {
			s.microRan++
			s.microTotal++
			s.current, s.currentLate = it, false
			s.note(Running, it)
			return it
		}
		s.noteGone(it)
	}
	return nil
}

// newMicroFrame counts from zero for a new frame.
func (s *Scheduler) newMicroFrame() { s.microRan, s.microHeld = 0, false }
