package scheduler

import (
	"github.com/frameslice/frameslice/deadline"
)

// turns is the part of a slice that counts for patience (S34).
type turns struct {
	turn  deadline.Priority // of the first task that was passed over
	force *item             // what runs first, if the next task is to be one that was forced
}

// forcedFirst returns the task that was passed over too often and runs first in this frame, after at most one overdue
// task. It returns nil if there is none.
func (s *Scheduler) forcedFirst() *item {
	if len(s.forced) == 0 || !s.fresh || s.ran > 1 || s.ran > s.lateRan || s.forcedRan {
		return nil
	}
	if s.leaps == 0 {
		return s.forced[0]
	}
	top := s.mostUrgent()
	for _, it := range s.forced {
		if it.node.Priority() >= top {
			return it
		}
	}
	return nil
}

// noteForced notes that it is about to run. If it was forced ahead of more urgent work, the next frames are theirs.
func (s *Scheduler) noteForced(it *item) {
	if it != s.force {
		return
	}
	s.forcedRan = true
	if it.node.Priority() < s.mostUrgent() {
		s.leaps = uint16(s.patience) + 1
	}
}

// countLeaps counts a frame when a slice begins.
func (s *Scheduler) countLeaps() {
	if s.fresh && s.leaps > 0 {
		s.leaps--
	}
}

// mostUrgent returns the highest priority of ready work.
func (s *Scheduler) mostUrgent() deadline.Priority {
	for _, p := range deadline.Priorities() {
		if s.q.LenOf(p) > 0 && s.q.LenReady(p, s.now, readyLimit) > 0 {
			return p
		}
	}
	return deadline.Idle
}
