package scheduler

import "sync/atomic"

// stopping is the part of a Scheduler for hosts whose slices run on a goroutine of their own, beside the host's.
type stopping struct {
	stop *atomic.Bool // StopOn's; nil if nobody stops slices
}

// StopOn makes a slice end when stop is true, too: when the running task ends, which ShouldYield tells,
// as it tells an idle callback. It is for a host whose slices run on a goroutine of their own, while another one may
// come to want the frame back. A slice that begins when stop is true starts one task, like one without any time, and
// no idle callback. A slice that reads a long inbox, or works on the members of a group, ends between two portions of
// some 100 µs, be it without having started a task. Microtasks that wait then are run, as when the deadline has passed.
//
// stop is read before each task and never written: clearing it is the host's, between slices. nil takes it back.
// Frame goroutine, between slices.
func (s *Scheduler) StopOn(stop *atomic.Bool) {
	s.enter("StopOn")
	s.stop = stop
	s.leave()
}

// stopped reports whether the host wants the frame back.
func (s *Scheduler) stopped() bool { return s.stop != nil && s.stop.Load() }

// NotePhase says that the frame has come to phase p, and runs nothing: the requests to draw that RunPhase(p) would
// have taken back are taken back, and the callbacks of p wait for the next RunUntil, as they do with a host that never
// calls RunPhase for it. It is for a host that runs its phases on one goroutine and its slices on another: callbacks
// must run where the slices do. Frame goroutine, between slices; 10 ns, and what it takes to read the inbox.
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
