package scheduler

import "github.com/frameslice/frameslice/internal/regions"

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
	if s.hasPhase(p, &s.drawing) || s.micros.head != nil {
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

// unhostedPhases runs, in the first slice of a frame, the phases for which the host never calls RunPhase.
func (s *Scheduler) unhostedPhases() {
	for _, p := range Phases() {
		if s.isUnread() && !s.stopped() {
			s.drain(s.now)
		}
		if !s.hosted[p] && s.hasPhase(p, &s.drawing) && !s.closing.Load() {
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
	s.phaseNow, s.phaseRan = &s.callbacks[p], 0
	s.phaseNow.beginPass()
	for it := s.nextCallback(); it != nil; it = s.nextCallback() {
		c := s.carry(it)
		c.turn(jobPhase)
		s.putCoroutine(c)
		if len(s.reports) > 0 {
			s.reportAll()
		}
	}
	s.phaseNow.endPass()
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
		if it := s.claimMicro(&s.runs); it != nil {
			return it
		}
		it := s.phaseNow.next
		if it == s.phaseNow.limit {
			return nil
		}
		if s.isStopped(it) {
			s.phaseNow.next = it.fore // it keeps its place
			continue
		}
		s.phaseNow.remove(it)
		it.where = nowhere
		if it.word.Load()&flagMember != 0 && !s.mayRun(it) {
			continue // its group is cancelled, and it has left
		}
		if it.claim() {
			s.phaseRan++
			s.current, s.currentOverdue = it, false
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
		s.endGeneration(it, endDone)
	case !it.release(stateReady):
		s.endGeneration(it, endCanceled)
	default:
		s.note(Queued, it)
		p := w&laneMask>>laneShift - phaseLane
		it.where = inOnce + place(2*p) + 1
		s.callbacks[p].putBack(it)
	}
}
