package scheduler

// microtasks is the part of a Scheduler that runs microtasks. The frame goroutine's.
//
// S14. A frame runs at most microtaskLimit microtasks. The rest waits, in order, for the next frame.
type microtasks struct {
	micros     round
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
// panics if f is nil. About 15 ns.
func (s *Scheduler) Microtask(f func()) Handle {
	if f == nil {
		panic("scheduler: Microtask of a nil function")
	}
	if s.closed.Load() {
		return s.drop()
	}
	it := s.arena.get(noLane)
	it.fn = f
	generation := generationOf(it.word.Load()) + 1
	it.word.Store(uint64(generation)<<generationShift | stateReady | flagMicro | phaseLane<<laneShift)
	it.where = inMicro
	s.micros.push(it)
	s.slowPath = true
	s.note(Queued, it)
	return Handle{s, it, generation}
}

// claimMicro returns the next microtask, claimed, or nil if there is none or the frame has reached the limit.
func (m *microtasks) claimMicro(r *runs) *item {
	for it := m.micros.head; it != nil; it = m.micros.head {
		if m.microRan >= m.microLimit {
			m.microHeld = true
			return nil
		}
		m.micros.remove(it)
		it.where = nowhere
		if it.claim() {
			m.microRan++
			m.microTotal++
			r.current, r.currentOverdue = it, false
			r.note(Running, it)
			return it
		}
		r.noteGone(it)
	}
	return nil
}

// newMicroFrame counts from zero for a new frame.
func (m *microtasks) newMicroFrame() { m.microRan, m.microHeld = 0, false }
