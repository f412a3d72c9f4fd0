package scheduler

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// ShouldYield reports whether the running task should yield or return soon: the slice's deadline has passed, the task
// was cancelled, a draw was requested, or work of a higher priority comes next. It is true in callbacks and microtasks,
// and outside of tasks. It takes about 35 ns: call it every few microseconds.
//
// A task that asks fits where its longest stretch between two answers fits.
func (s *Scheduler) ShouldYield() bool { return !s.mayGoOn() }

// ShouldYield reports whether to suspend soon: see [Scheduler.ShouldYield].
func (co *Co) ShouldYield() bool { return co.running().s.ShouldYield() }

// mayGoOn is the opposite of ShouldYield.
func (s *Scheduler) mayGoOn() bool {
	it := s.current
	if it == nil || !s.slicing || it.word.Load()&laneMask >= phaseLane<<laneShift {
		return false
	}
	if it.word.Load()&flagCancel != 0 || s.closing.Load() {
		return false
	}
	now := s.clock()
	if now >= s.until || s.stopped() {
		return false
	}
	if s.isUnread() {
		s.drain(now)
	}
	if s.drawAsked || s.preempts(it) {
		return false
	}
	s.goOn(now)
	return true
}

// goOn notes that the running task asked and may go on.
func (s *Scheduler) goOn(now deadline.Instant) {
	since := s.asked
	if since == 0 {
		since = s.now.Add(-s.apart)
	}
	s.asked, s.stretch = now, max(s.stretch, now.Sub(since))
}

// unasked returns the longest stretch of the run, which ends at now and took cost, in which the task did not ask
// whether to yield: what is learned of its kind. How long the run was depends on how much time there was.
func (s *Scheduler) unasked(now deadline.Instant, cost time.Duration) time.Duration {
	if s.asked == 0 {
		return cost
	}
	d := max(s.stretch, now.Sub(s.asked))
	s.asked, s.stretch = 0, 0
	return d
}

// preempts reports whether something is ready that goes before the running item.
func (s *Scheduler) preempts(it *item) bool {
	n := s.q.Peek(s.lastRead)
	if n == nil {
		return false
	}
	if t := it.task; t != nil && t.Idle != nil && !t.timedOut {
		return true
	}
	return n.Priority() > s.priorityOf(it) && !s.goesOnBefore(it, n)
}

// goesOnBefore reports whether the next step of the running item would come before n all the same: its place is
// sooner (old work overtakes), and it has not used up what its continuations may use of the slice (requeue), nor
// overdue work its share (candidate). A function has no next step.
func (s *Scheduler) goesOnBefore(it *item, n *node) bool {
	t := it.task
	if s.q.Policy != deadline.ByExpiration || t == nil || t.Step == nil && t.Co == nil || !s.sooner(it, n.Value) {
		return false
	}
	run := time.Duration(s.lastRead-s.now) + s.apart
	used, steps, quota, lateUsed := run, uint32(1), s.contQuota, s.lateUsed
	if t.slice == s.n {
		used += t.usedTime
		steps += t.steps
	}
	if s.currentLate {
		quota = min(quota, s.lateQuota)
		lateUsed += run
	}
	if used >= quota || steps >= contSteps {
		return false
	}
	return s.lateRan == 0 || lateUsed < s.lateQuota || !s.q.Expired(&it.node, s.lastRead)
}
