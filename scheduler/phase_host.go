package scheduler

import (
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// stopping is the part of a Scheduler for hosts whose slices run on a goroutine of their own.
type stopping struct {
	stop *atomic.Bool // StopOn's; nil if nobody stops slices
}

// StopOn makes slices end when stop is true, too, as ShouldYield tells. A slice that begins then starts one task. nil
// ends this. It is for a host whose slices run on another goroutine than its frames. Frame goroutine, between slices.
func (s *Scheduler) StopOn(stop *atomic.Bool) {
	s.enter("StopOn")
	s.stop = stop
	s.leave()
}

// stopped reports whether the host wants the frame back.
func (s *Scheduler) stopped() bool { return s.stop != nil && s.stop.Load() }

// NotePhase ends requests to draw as RunPhase(p) would, and leaves the callbacks to RunUntil: for a host whose slices
// run on another goroutine than its phases. Frame goroutine, between slices.
func (s *Scheduler) NotePhase(p Phase) {
	mustBePhase(p)
	s.enter("NotePhase")
	defer s.leave()
	if s.closed.Load() {
		return
	}
	if s.isUnread() {
		s.now = s.clock()
		s.drain(s.now)
		s.arena.flush()
	}
	s.absorb(p)
}

// NoteHost tells how long the host's frame took: interval from its begin to the next, busy for its own work and its
// slice, of due that it should take. It is for hosts that draw and swap after the slice. Frame goroutine, before
// BeginFrame.
//
// The scheduler learns which kinds of tasks leave work to the host, such as uploads, and runs a new kind once a frame
// at first. Immediate tasks, tasks of less than 20 µs and tasks with a Cost are free.
// Stats.HostCause names the kind with the most late frames.
func (s *Scheduler) NoteHost(interval, busy, due time.Duration) {
	s.enter("NoteHost")
	defer s.leave()
	s.kinds.host.Frame(interval, busy, due)
}

// held reports whether the frame has run enough of the item's kind, as its tasks leave work to the host.
func (s *Scheduler) held(it *item) bool {
	return s.kinds.host.Exhausted() && !it.fatal && s.until != deadline.Never &&
		it.node.Priority() != deadline.Immediate && s.kinds.of(it).Extra.after.Exhausted()
}
