package scheduler

import "github.com/frameslice/frameslice/deadline"

// enqueue puts a submitted item into the queue.
func (s *Scheduler) enqueue(it *item, p deadline.Priority, now deadline.Instant) {
	t := it.task
	if t == nil {
		if p < deadline.Idle {
			s.addCallback(it, int(deadline.Immediate-p))
			s.note(Queued, it)
			return
		}
		if it.word.Load()&flagDelay != 0 {
			s.queueDue(it, p, now, it.node.Stamped(), 0)
		} else {
			s.place(it, p, now, 0, 0)
		}
		s.note(Queued, it)
		return
	}
	if it.word.Load()&flagSteps != 0 {
		t.behind = 0
	}
	s.kinds.check(t)
	if t.sentWork() == workIdle {
		s.queueIdle(it, p, now)
		s.parkIfStopped(it, now)
		s.note(Queued, it)
		return
	}
	it.plain = p != deadline.Priority(t.sent.prio.Load())
	due := deadline.Instant(t.sent.due.Load())
	if g := s.groupOf(it); due != 0 && g != nil {
		s.queue(it, p, now, 0, it.timeout())
		s.placeLater(it, g, due)
	} else if due != 0 {
		s.queueDue(it, p, now, due, it.timeout())
	} else {
		s.place(it, p, now, 0, it.timeout())
	}
	s.note(Queued, it)
}
