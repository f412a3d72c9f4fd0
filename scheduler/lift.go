package scheduler

import "github.com/frameslice/frameslice/deadline"

// lift gives t at least the priority p of a coroutine that waits for it, and what t itself waits for, and so
// on. A circle ends it, because nothing is lifted twice. It is never undone: t may have other waiters, and
// ends soon.
func (s *Scheduler) lift(t *Task, p deadline.Priority) {
	for t != nil {
		it := &t.item
		w := it.word.Load()
		switch {
		case w&phaseMask == phaseIdle || it.fatal:
			return
		case w&flagNew != 0: // it has not been read from the inbox yet
			if lanePriority(w) < p {
				it.setPriority(s, lifeOf(w), p)
			}
			return
		case s.priorityOf(it) >= p || s.soonEnough(it, p):
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
func (s *Scheduler) soonEnough(it *item, p deadline.Priority) bool {
	return s.q.Policy == deadline.ByExpiration && it.timeout() != 0 &&
		s.q.Expiration(&it.node) <= s.q.Start(&it.node).Add(s.q.Timeouts.Of(p))
}
