package scheduler

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// queueDue queues an item with a delay that ends at due: see dueAfter. The delay began with the submission, and not
// when the frame goroutine read the inbox.
func (s *Scheduler) queueDue(it *item, p deadline.Priority, now, due deadline.Instant, timeout time.Duration) {
	due = due.Add(time.Duration(s.skew) + s.q.Shifted())
	if delay := due.Sub(now); delay > 0 {
		s.place(it, p, now, delay, timeout)
	} else {
		s.place(it, p, max(due, 0), 0, timeout)
	}
}

// place is queue by the time of the item's group, if it has one.
func (s *Scheduler) place(it *item, p deadline.Priority, now deadline.Instant, delay, timeout time.Duration) {
	if g := s.paceOf(it); g != nil {
		s.placePaced(it, g, p, now, delay, timeout)
		if delay <= 0 {
			s.parkIfStopped(it, now)
		}
		return
	}
	s.queue(it, p, now, delay, timeout)
}

// timeout returns the task's own timeout: zero if it has none, or has lost it by SetPriority.
func (it *item) timeout() time.Duration {
	if it.plain {
		return 0
	}
	return time.Duration(it.task.sent.timeout.Load())
}

// requeue queues an item that has more to do. The item keeps its place as long as its continuations have not used up
// their part of this slice. After that it goes behind its peers, as if submitted now (S10). The continuations of an
// overdue task may not use more than the share of overdue work, or the task would keep the share to itself (S11).
func (s *Scheduler) requeue(it *item) {
	t, quota := it.task, s.contQuota
	if s.currentLate {
		quota = min(quota, s.lateQuota)
	}
	if t.usedTime < quota && t.steps < contSteps {
		it.where = inQueue
		s.q.Continue(&it.node)
		s.parkIfStopped(it, s.now)
		return
	}
	t.usedTime, t.steps = 0, 0
	s.resubmit(it, s.now, 0)
}

// resubmit queues a task that has more to do as if it were submitted at now with that delay.
func (s *Scheduler) resubmit(it *item, now deadline.Instant, delay time.Duration) {
	s.place(it, it.node.Priority(), now, delay, it.timeout())
}

// wakeUp makes a waiting coroutine ready.
func (s *Scheduler) wakeUp(it *item, now deadline.Instant) {
	s.unlink(it)
	it.force(stateReady)
	s.resubmit(it, now, 0)
}

// reprioritise gives another priority to an item that waits, and lifts the task that the item waits for.
func (s *Scheduler) reprioritise(it *item, p deadline.Priority, now deadline.Instant) {
	s.moveTo(it, p, now)
	if it.where == inWait {
		s.lift(it.task.c.waitsFor, p)
	}
}

// moveTo is reprioritise without the lift.
func (s *Scheduler) moveTo(it *item, p deadline.Priority, now deadline.Instant) {
	s.relabel(it, p, now)
	if it.where == inLate {
		s.late.remove(it)
		s.putBack(it)
	}
}

// relabel gives an item another priority, and the timeout that goes with it. An idle task keeps its timeout: it is in
// the queue only to become overdue.
func (s *Scheduler) relabel(it *item, p deadline.Priority, now deadline.Instant) {
	if it.task != nil && it.task.sentWork() == workIdle {
		s.q.SetUrgency(&it.node, p, now)
		return
	}
	it.plain = it.plain || p != it.node.Priority()
	if it.where == inLater {
		s.relabelLater(it, p)
		return
	}
	s.q.SetPriority(&it.node, p, now)
}

// nextToWake returns which of the coroutines from first to the one before limit wakes next: the first, but any of them
// in a test with a seed.
func (s *Scheduler) nextToWake(first, limit *item) *item {
	if s.dice == nil || first == limit || first.fore == limit {
		return first
	}
	n := 0
	for it := first; it != limit; it = it.fore {
		n++
	}
	it := first
	for range s.dice.Wake(n) {
		it = it.fore
	}
	if it != first {
		s.dice.NoteWake(s.kinds.of(it).Short())
	}
	return it
}

// releaseWaiters wakes the coroutines that wait for t.
func (s *Scheduler) releaseWaiters(t *Task, err error) {
	for it := s.nextToWake(t.waiters.head, nil); it != nil; it = s.nextToWake(t.waiters.head, nil) {
		c := it.task.c
		c.waitErr = err
		s.wakeUp(it, s.now)
	}
}

// lift gives t at least the priority p of a coroutine that waits for t. It goes on with the task that t waits for, and
// so on. A circle of waits ends, because nothing is lifted twice. A lift is never undone: t may have other waiters, and
// ends soon.
func (s *Scheduler) lift(t *Task, p deadline.Priority) {
	for t != nil {
		it := &t.item
		w := it.word.Load()
		switch {
		case w&stateMask == stateIdle || it.fatal:
			return
		case w&flagNew != 0: // it has not been read from the inbox yet
			if lanePriority(w) < p {
				it.setPriority(s, lifeOf(w), p)
			}
			return
		case it.node.Priority() >= p || s.soonEnough(it, p):
			return
		}
		s.moveTo(it, p, s.now)
		t = nil
		if it.where == inWait {
			t = it.task.c.waitsFor
		}
	}
}

// soonEnough reports whether a timeout of its own makes a task overdue before the priority p would.
func (o *order) soonEnough(it *item, p deadline.Priority) bool {
	return !o.q.ByPriority && it.timeout() != 0 &&
		o.q.Expiration(&it.node) <= o.q.Start(&it.node).Add(o.q.Timeouts.Of(p))
}

func (s *Scheduler) releaseFrames(now deadline.Instant) {
	for it := s.nextToWake(s.frames.head, nil); it != nil; it = s.nextToWake(s.frames.head, nil) {
		s.wakeUp(it, now)
	}
}
