package scheduler

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// choose returns the node to run next, still queued, or nil if nothing is ready or nothing more fits.
func (s *Scheduler) choose() *node {
	s.releaseDue(s.now)
	s.force = s.forcedFirst()
	n := s.candidate()
	if n == nil || s.fits(n) {
		return n
	}
	return s.chooseSlow(n)
}

// candidate returns the first ready node that was not passed over, by the policy and the share of overdue work.
func (s *Scheduler) candidate() *node {
	if it := s.force; it != nil {
		// Passed over in too many frames: first in this frame, but after one overdue task (S11).
		if s.ran == 1 || s.late.head == nil && s.q.Overdue(s.now) == nil {
			return &it.node
		}
	}
	if s.q.ByPriority {
		if s.ran == 0 {
			if n := s.q.Overdue(s.now); n != nil {
				return n
			}
		}
	}
	n := s.firstReady(s.now)
	if n != nil && !s.q.ByPriority && s.lateUsed >= s.lateQuota && s.lateRan > 0 && s.overdue(n) {
		n = s.firstFresh(n)
	}
	return n
}

// firstFresh returns the first ready node that is not overdue and will expire. If there is none, it returns overdue,
// the first overdue node. The overdue nodes come first in the queue, so firstFresh sets them aside, each once, in the
// order of expiration. They stay aside across slices: the queue keeps their places, and s.late keeps their order.
func (s *Scheduler) firstFresh(overdue *node) *node {
	for range sweepLimit {
		n := s.q.Peek(s.now)
		if n == nil {
			return overdue
		}
		if !s.overdue(n) {
			if s.q.Expiration(n) == deadline.Never {
				return overdue
			}
			return n
		}
		s.q.Defer(n)
		s.setLate(n.Value)
	}
	return overdue
}

// setLate adds an item that is set aside to the list of overdue work, in the order of expiration. Its place is usually
// at an end of the list, or behind the item that was added before: work that was passed over comes back in its order.
func (s *Scheduler) setLate(it *item) {
	if it.where == inIdleTimed {
		s.idles.remove(it)
	}
	it.where = inLate
	if h := s.late.head; h != nil && s.sooner(it, h) {
		s.late.insert(it, h)
		return
	}
	var at *item
	b := s.late.tail
	if s.late.last != nil && s.sooner(it, b) { // so its place is ahead of the tail
		for b = s.late.last; !s.sooner(it, b); b = b.fore {
		}
	}
	for ; b != nil && s.sooner(it, b); b = b.back {
		at = b
	}
	s.late.insert(it, at)
}

// chooseSlow is choose when n does not fit.
func (s *Scheduler) chooseSlow(n *node) *node {
	first := n
	for n != nil && !s.fits(n) {
		if s.must(n) {
			s.noteTooBig(n.Value)
			return n
		}
		if len(s.passed) >= heldLimit || len(s.passed) >= passLimit && !s.held(n.Value) {
			n = nil
			break
		}
		s.pass(n)
		n = s.candidate()
	}
	if n == nil && s.ran == 0 && !s.heldByControl(first.Value) {
		s.noteTooBig(first.Value)
		return first // nothing fits: one task runs all the same
	}
	return n
}

// noteTooBig notes whether a task, which is about to run although it does not fit, is too long even for a whole slice
// of this length.
func (s *Scheduler) noteTooBig(it *item) {
	s.tooLong = s.predict(it) > s.length // counted when the task is claimed: see pickSlow
}

// heldByControl reports whether the item waits because the frame shows the host without such items. Then the rule that
// a frame runs at least one task does not hold.
func (s *Scheduler) heldByControl(it *item) bool { return s.kinds.host.Controls() && s.held(it) }

// must reports whether n runs although it does not fit: n is the first overdue task of this slice, or was passed over
// too often.
func (s *Scheduler) must(n *node) bool {
	if s.heldByControl(n.Value) {
		return false
	}
	if s.ran == 0 && s.overdue(n) {
		return true
	}
	return n.Value == s.force
}

// pass sets n aside for the rest of the slice.
func (s *Scheduler) pass(n *node) {
	it := n.Value
	if it.where == inLate {
		s.late.remove(it)
	} else {
		s.q.Defer(n)
	}
	if it.where == inIdleTimed {
		s.idles.remove(it)
	}
	it.where = inPassed
	if len(s.passed) == 0 {
		s.turn = n.Priority()
	}
	s.passed = append(s.passed, it)
}

// restore ends the slice for the tasks that were passed over, and notes the tasks that were passed over too often.
func (s *Scheduler) restore() {
	if len(s.passed) == 0 {
		return
	}
	for _, it := range s.passed {
		if it == nil || !s.firstOfFrame || s.held(it) {
			continue
		}
		s.refused(it)
		if it.skips < s.patience && it.node.Priority() >= s.turn {
			it.skips++
			if it.skips == s.patience {
				s.forced = append(s.forced, it)
			}
		}
	}
	s.takeBack()
}

// fits reports whether n is expected to end within the slice. If no time is left, the first task in order runs all the
// same.
func (s *Scheduler) fits(n *node) bool {
	left := time.Duration(s.until - s.now) // very long if until is Never
	if left <= 0 {
		return true
	}
	it := n.Value
	if s.held(it) {
		return false
	}
	if left >= s.kinds.high && (it.task == nil || it.task.sent.cost.Load() == 0) {
		return true // no kind is expected to take longer
	}
	return s.predict(it) <= left
}

// turns is the part of a slice that counts for patience (S34).
type turns struct {
	turn  deadline.Priority // of the first task that was passed over
	force *item             // the task that must run next, as it was passed over too often; or nil
}

// forcedFirst returns the task that was passed over too often and runs first in this frame, after at most one overdue
// task. It returns nil if there is none.
func (s *Scheduler) forcedFirst() *item {
	if len(s.forced) == 0 || !s.firstOfFrame || s.ran > 1 || s.ran > s.lateRan || s.forcedRan {
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

// noteForced notes that the item is about to run. If it was forced ahead of more urgent work, no other item is forced
// like that in the next patience frames.
func (s *Scheduler) noteForced(it *item) {
	if it != s.force {
		return
	}
	s.forcedRan = true
	if it.node.Priority() < s.mostUrgent() {
		s.leaps = uint16(s.patience) + 1
	}
}

// countLeaps counts a frame down when its first slice begins.
func (s *Scheduler) countLeaps() {
	if s.firstOfFrame && s.leaps > 0 {
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
