package scheduler

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// claimNext returns the next item to run, claimed, or nil if the slice is over. This function is the common case:
// slowPath is not set, there is time for any known task, and the first task of the queue is not overdue.
func (s *Scheduler) claimNext() *item {
	left := time.Duration(s.until - s.now) // very long if until is Never
	if s.slowPath || !s.inbox.isEmpty() || left <= 0 || left < s.kinds.high || s.now >= s.alarmAt ||
		s.closing.Load() || s.stopped() {
		return s.claimNextSlow()
	}
	n, expired := s.q.Head(s.now)
	if n == nil {
		return s.claimNextSlow()
	}
	it := n.Value
	if s.brief = s.room > 0 && s.isBrief(it); s.shared > 0 && !s.brief {
		return s.claimNextSlow()
	}
	w := it.word.Load()
	if w&(stateMask|flagNew|flagMember|flagOwnCost) != stateReady || it.where != inQueue || it.skips != 0 ||
		expired && s.isOverdue(n) || !it.word.CompareAndSwap(w, w&^stateMask|stateRun) {
		return s.claimNextSlow()
	}
	it.where = nowhere
	if !it.isPosted() && n.Timed() {
		s.fetch(n)
	}
	s.q.Remove(n)
	s.ran++
	s.current, s.currentOverdue = it, false
	return it
}

// fetch brings the Tasks that come after n into the cache, some at a time. n is a Task that has come due. The queue has
// loaded the cache lines of their items, and fetch loads the line before each.
func (o *order) fetch(n *node) {
	var next [8]*node
	for _, n := range next[:o.q.Ahead(n, next[:])] {
		if t := n.Value.task; t != nil && t.done.Load() != nil {
			o.touched++
		}
	}
}

// claimNextSlow claims the next item in all cases that claimNext leaves to it.
func (s *Scheduler) claimNextSlow() *item {
	s.readShared()
	s.slowPath, s.brief = true, false
	read := false
	for {
		if s.micros.head != nil && !s.closing.Load() {
			if it := s.claimMicro(&s.runs); it != nil {
				return it
			}
		}
		if s.isUnread() {
			if s.ran > 0 && s.stopped() {
				return nil
			}
			s.row.End()
			s.drain(s.now)
			read = true
		}
		if s.sliceOver() {
			return nil
		}
		s.tooLong = false
		s.releaseDue(s.now)
		n := s.nextRunnable()
		if n == nil {
			if s.inbox.isEmpty() || s.now >= s.until || read && s.stopped() {
				return s.claimIdle()
			}
			s.now = s.clock() // the inbox was filled again, and delays may have ended
			continue
		}
		it := n.Value
		if it.word.Load()&flagMember != 0 && !s.mayRun(it) {
			continue
		}
		overdue := s.isOverdue(n)
		s.unlink(it)
		if !it.claim() {
			s.noteGone(it)
			s.leaveGroup(it) // cancelled: if Close comes before the message about that, nobody reads the message
			continue
		}
		if s.tooLong {
			s.tooBig++
		}
		s.ran++
		s.noteStarvedRun(it)
		s.current, s.currentOverdue = it, overdue
		if overdue {
			s.expired++
			s.overdueRan++
		}
		s.slowPath = s.needsSlowPath()
		s.note(Running, it)
		return it
	}
}

// needsSlowPath reports whether the next task may be another than the first of the queue, or whether events are
// watched. Code that makes needsSlowPath true sets slowPath, and only claimNextSlow clears slowPath. So the common case
// looks at one field.
func (s *Scheduler) needsSlowPath() bool {
	return len(s.starved) > 0 || s.overdueAside.head != nil || s.overdueRan > 0 || s.q.ByPriority ||
		s.micros.head != nil || s.unread != nil || s.drawAsked ||
		s.clockStalled >= flatLimit || s.watch != nil || s.dice != nil || s.kinds.host.Exhausted()
}

// goesOn reports whether a task with more to do continues at once, because claimNext would return it again. If
// so, its next run has begun. For other goroutines both runs are one, and a cancellation is seen after it. goesOn does
// not go through the queue, which saves 20 ns of 63.
func (s *Scheduler) goesOn(it *item) bool {
	t, w := it.task, it.word.Load()
	left := time.Duration(s.until - s.now) // very long if until is Never
	switch {
	case s.slowPath || left <= 0 || s.now >= s.alarmAt || !s.inbox.isEmpty():
	case w&(flagCancel|flagMember|flagAgain) != 0:
	case s.closing.Load() || s.stopped() || t.usedTime >= s.contQuota || t.steps >= contSteps:
	case (left < s.kinds.high || w&flagOwnCost != 0) && !s.fits(&it.node):
	case !s.q.LeadsInTime(&it.node, s.now):
	default:
		s.brief = s.room > 0 && s.isBrief(it)
		s.ran++
		s.current, s.currentOverdue = it, false
		return true
	}
	s.readShared()
	return false
}

// claimIdle returns the next idle callback, claimed, or nil. No ready task fits.
func (s *Scheduler) claimIdle() *item {
	if s.idles.head == nil || len(s.passed) > 0 || s.drawAsked || s.stopped() {
		return nil
	}
	if !s.idles.open {
		s.idles.beginPass()
	}
	if s.idleEnd == 0 {
		s.idleEnd = min(s.until, s.now.Add(idlePeriod))
	}
	left := s.idleEnd.Sub(s.now)
	if left < idleFloor {
		return nil
	}
	for it := s.idles.head; it != nil && it != s.idles.limit; {
		next := it.fore
		if s.ran == 0 || time.Duration(it.task.sent.cost.Load()) <= left {
			s.unlink(it)
			if it.claim() {
				it.task.overdue = false
				s.ran++
				s.current, s.currentOverdue = it, false
				s.note(Running, it)
				return it
			}
			s.noteGone(it)
			s.leaveGroup(it) // as in claimNextSlow
		}
		it = next
	}
	return nil
}

// nextStart is Next of the queue with the delayed members of groups.
func (c *pacing) nextStart(now deadline.Instant) (at deadline.Instant, ok bool) {
	c.releaseDue(now)
	at, ok = c.q.Next(now)
	if c.alarmAt != deadline.Never && (!ok || c.alarmAt < at) {
		return c.alarmAt, true
	}
	return at, ok
}
