package scheduler

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// BeginFrame says that a frame begins at now, for coroutines in NextFrame. Without such calls each RunUntil is a frame.
// Frame goroutine, between slices.
func (s *Scheduler) BeginFrame(now deadline.Instant) {
	s.acquireToken("BeginFrame")
	s.framed = true
	s.frameBegun = true
	s.forgetPaces()
	s.drawAsked = s.drawAsked && (s.toldPhases[BeforeDraw] || s.toldPhases[AfterDraw])
	s.newMicroFrame()
	if s.frames.head != nil {
		t := s.clock()
		s.releaseFrames(min(now.Add(time.Duration(s.skew)), t))
	}
	s.releaseToken()
}

// Shift moves the start and the expiration of all waiting work by d: for a jump of the clock, which would make
// everything overdue. Frame goroutine, or a task.
func (s *Scheduler) Shift(d time.Duration) {
	s.clock() // read the clock after the jump: work that gets this time is not moved
	s.restoreOverdue()
	before := s.q.Shifted()
	s.q.Shift(d)
	s.shifted.Store(int64(s.q.Shifted()))
	s.rewind(s.q.Shifted() - before) // all shifts together are bounded
	s.delayAgain()
	for _, g := range s.kept {
		s.arm(g) // what was due by the group's time stays due
	}
	s.setAlarm()
}

// Next returns when RunUntil, or a frame, will have something to do. A host that draws on demand sleeps until then or
// until Options.Wake. No work is lost in between. Frame goroutine.
//
// at is now if DrawRequested is true, or if work is ready or waits for the next frame or idle time. If all work is
// delayed, at is the earliest start. Next returns false if all work waits for other work, or none is left.
func (s *Scheduler) Next() (at deadline.Instant, ok bool) {
	if s.closed.Load() {
		return 0, false
	}
	now := s.clock()
	if s.isUnread() || s.DrawRequested() || s.micros.head != nil || s.idles.head != nil {
		return now - s.skew, true
	}
	at, ok = s.nextStart(now)
	return at - s.skew, ok
}

// RunUntil runs tasks until d, or until nothing is ready. The zero Deadline is no limit. At least one ready task starts
// even if d has passed: overdue or Immediate work first. Any other task starts only if it is expected to end by d.
//
// Frame goroutine. It panics within a task, or while another goroutine runs a slice. It takes 120 ns without work,
// about 240 ns beside its work, and allocates nothing.
func (s *Scheduler) RunUntil(d deadline.Deadline) Result {
	if !s.beginCall("RunUntil") {
		return Result{}
	}
	s.beginSlice(d)
	if s.firstOfFrame {
		s.unhostedPhases()
	}
	s.loop()
	r := s.endSlice()
	s.endCall()
	return r
}

// endSlice ends the slice.
func (s *Scheduler) endSlice() Result {
	r := s.oldSlice()
	r.Microtasks, r.Held, r.Draw = int(s.microTotal-s.microBefore), s.microHeld, s.drawAsked
	s.total.add(r)
	s.arena.flush()
	if s.closing.Load() {
		s.shut()
	}
	s.slicing = false
	if s.q.Len() > 0 {
		for _, p := range deadline.Priorities() {
			r.Ready += s.ready(p, s.now)
		}
	}
	if s.ran >= s.most && r.Ready > 0 {
		s.dice.NoteSlice()
	}
	return r
}
