package scheduler

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// idleTime is the part of a Scheduler that runs idle callbacks. The frame goroutine's.
//
// S15. An idle callback runs once: in idle time or after its timeout. Idle time is when nothing is ready, not even a
// task that does not fit, at least 100 µs are left, and no draw is requested. A callback with a timeout is in the list
// and in the queue, and whatever takes it out of one takes it out of the other. In one frame only those callbacks run
// that were queued before the first of them began. (In one slice, if the host does not call BeginFrame.) After the
// timeout the callback is overdue work, so S11 bounds its wait.
type idleTime struct {
	idles     list
	idleCount int   // in idles
	idleLimit *item // the first that was queued since the idle period of this frame began
}

// queueIdle puts an idle callback into the list, for idle time. With a timeout the callback goes into the queue too,
// and is overdue there once the timeout has passed. Whichever starts the callback takes it out of the other.
func (s *Scheduler) queueIdle(it *item, p deadline.Priority, now deadline.Instant) {
	it.where = inIdle
	it.task.timedOut = true // unless pickIdle starts it
	s.addIdle(it)
	s.stamp(it)
	if d := time.Duration(it.task.sent.timeout.Load()); d > 0 {
		it.where = inIdleTimed
		s.q.Push(&it.node, p, now, d, -1) // overdue at once
		return
	}
	s.q.Push(&it.node, p, now, 0, 0) // so that the node knows the priority
	s.q.Remove(&it.node)
}

// addIdle puts an idle callback at the end of the list.
func (s *Scheduler) addIdle(it *item) {
	s.idles.push(it)
	s.idleCount++
	if s.idling && s.idleLimit == nil {
		s.idleLimit = it
	}
}

// unidle takes an idle callback out of the list, but not of the queue.
func (s *Scheduler) unidle(it *item) {
	if it == s.idleLimit {
		s.idleLimit = it.fore
	}
	s.idles.remove(it)
	s.idleCount--
}

// pickIdle returns the next idle callback, claimed, or nil. No ready task fits.
func (s *Scheduler) pickIdle() *item {
	if s.idles.head == nil || len(s.passed) > 0 || s.drawAsked || s.stopped() {
		return nil
	}
	if !s.idling {
		s.idling = true
		s.idleLimit = nil
	}
	if s.idleEnd == 0 {
		s.idleEnd = min(s.until, s.now.Add(idlePeriod))
	}
	left := s.idleEnd.Sub(s.now)
	if left < idleFloor {
		return nil
	}
	for it := s.idles.head; it != nil && it != s.idleLimit; {
		next := it.fore
		if s.paused && it.word.Load()&flagMember != 0 && s.park(it) {
			it = next
			continue
		}
		if s.ran == 0 || time.Duration(it.task.sent.cost.Load()) <= left {
			s.unlink(it)
			if it.claim() {
				it.task.timedOut = false
				s.ran++
				s.current, s.currentLate = it, false
				s.note(Running, it)
				return it
			}
			s.noteGone(it)
			s.leaveGroup(it) // as in pickSlow
		}
		it = next
	}
	return nil
}

// runIdle calls an idle callback, on the carrier.
func (s *Scheduler) runIdle(t *Task) {
	end := s.now
	if !t.timedOut {
		end = s.idleEnd
		if at, ok := s.nextStart(s.now); ok {
			end = min(end, at)
		}
	}
	t.Idle(deadline.At(end-s.skew), t.timedOut)
}
