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

// IdleTime tells an idle callback how long it may take. It is valid during the callback's run.
type IdleTime struct {
	s        *Scheduler
	end      deadline.Instant
	timedOut bool
}

// TimedOut reports whether the callback runs because its timeout has passed.
func (i IdleTime) TimedOut() bool { return i.timedOut }

// Remaining returns what is left of the idle time: until the slice ends or the next delayed task is due, at most 50 ms.
// It is 0 if TimedOut, or once the callback should return.
func (i IdleTime) Remaining() time.Duration {
	if i.timedOut || i.s == nil || i.s.ShouldYield() {
		return 0
	}
	end, s := i.end, i.s
	if at, ok := s.q.Next(s.lastRead); ok {
		end = min(end, at-s.skew) // perhaps a task that was delayed meanwhile, by the callback itself for example
	}
	return max(end.Sub(s.lastRead-s.skew), 0)
}

// WhenIdle queues f to run once, when a slice has time left and nothing else is ready. After timeout, counted from when
// the frame goroutine reads of f, f is overdue Normal work. Zero or less is no timeout: f may never run. Any goroutine.
// It allocates the Task. It panics if f is nil.
//
// Idle callbacks queued by idle callbacks wait for the next frame.
func (s *Scheduler) WhenIdle(timeout time.Duration, f func(IdleTime)) *Task {
	if f == nil {
		panic("scheduler: WhenIdle with a nil function")
	}
	t := &Task{Idle: f, Timeout: timeout}
	s.Submit(t)
	return t
}

// queueIdle puts an idle callback into the list, for idle time. With a timeout the callback goes into the queue too,
// and is overdue there once the timeout has passed. Whichever starts the callback takes it out of the other.
func (s *Scheduler) queueIdle(it *item, p deadline.Priority, now deadline.Instant) {
	it.where = inIdle
	it.task.timedOut = true // unless pickIdle starts it
	s.idles.push(it)
	s.idleCount++
	if s.idling && s.idleLimit == nil {
		s.idleLimit = it
	}
	if d := time.Duration(it.task.sent.timeout.Load()); d > 0 {
		it.where = inIdleTimed
		s.q.Push(&it.node, p, now, d, -1) // overdue at once
		return
	}
	s.q.Push(&it.node, p, now, 0, 0) // so that the node knows the priority
	s.q.Remove(&it.node)
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
		if s.ran == 0 || time.Duration(it.task.sent.cost.Load()) <= left {
			s.unlink(it)
			if it.claim() {
				it.task.timedOut = false
				s.ran++
				s.current, s.currentLate = it, false
				s.note(Running, it)
				return it
			}
			s.leaveGroup(it) // as in pickSlow
		}
		it = next
	}
	return nil
}

// runIdle calls an idle callback, on the carrier.
func (s *Scheduler) runIdle(t *Task) {
	i := IdleTime{s: s, end: s.now - s.skew, timedOut: t.timedOut}
	if !t.timedOut {
		end := s.idleEnd
		if at, ok := s.q.Next(s.now); ok {
			end = min(end, at)
		}
		i.end = end - s.skew
	}
	t.Idle(i)
}
