package taskqueue

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// Overdue returns the ready node whose expiration is the earliest, if that is at or before now; otherwise nil. It is
// the head by expiration. Under ByPriority it is the node that strict priority would let starve. There only the
// first continuation of each priority is seen.
func (q *Queue[T]) Overdue(now deadline.Instant) *Node[T] {
	now = q.tell(now)
	var n *Node[T]
	if q.ByPriority {
		n = q.leastOfFirsts(now)
	} else {
		n = q.leader(now)
	}
	if n != nil && n.expired(now) {
		return n
	}
	return nil
}

// Next returns the earliest instant at which something is ready: now if something is already, false if the
// queue is empty. Nodes that are set aside (Defer) count as ready.
func (q *Queue[T]) Next(now deadline.Instant) (at deadline.Instant, ok bool) {
	if q.size == 0 {
		return 0, false
	}
	if q.aside != nil || q.Peek(now) != nil {
		return now, true
	}
	return q.earliestStart().Add(time.Duration(q.offset)), true
}

// Earliest returns the least start of all that is queued, ready or not; Never if the queue is empty. The queue must not
// have continuations under ByPriority, nor nodes that are set aside.
func (q *Queue[T]) Earliest() deadline.Instant {
	if q.size == 0 {
		return deadline.Never
	}
	return q.earliestStart().Add(time.Duration(q.offset))
}

// Expired reports whether n's expiration is at or before now. n may be queued or popped.
func (q *Queue[T]) Expired(n *Node[T], now deadline.Instant) bool {
	return n.expired(q.inside(now))
}

// expired is Expired in internal coordinates.
func (n *Node[T]) expired(now deadline.Instant) bool {
	return n.exp <= now && n.exp.Sub(n.start) < forever
}

// Expiration returns the instant at which n is, or was, overdue; Never if its timeout is. n may be queued or
// popped.
func (q *Queue[T]) Expiration(n *Node[T]) deadline.Instant {
	if n.exp.Sub(n.start) >= forever {
		return deadline.Never
	}
	return n.exp.Add(time.Duration(q.offset))
}

// Start returns the instant at which n was posted or, if it was delayed, at which it is due.
func (q *Queue[T]) Start(n *Node[T]) deadline.Instant { return n.start.Add(time.Duration(q.offset)) }

// IsReady reports whether n, which is queued and not set aside, is ready at now.
func (q *Queue[T]) IsReady(n *Node[T], now deadline.Instant) bool { return n.ready(q.tell(now)) }

// Len returns the number of queued nodes, ready, delayed and set aside.
func (q *Queue[T]) Len() int { return q.size }

// LenOf returns the number of queued nodes of priority p, ready, delayed and set aside. It panics if p is invalid.
func (q *Queue[T]) LenOf(p deadline.Priority) int { return q.count[laneOf(p)] }

// The queue's clock: the caller's instants, and what Shift has moved them by.

// tell moves the queue's clock to the caller's now and returns it, in internal coordinates.
func (q *Queue[T]) tell(now deadline.Instant) deadline.Instant {
	if now == deadline.Never {
		return deadline.Never
	}
	q.clock = max(q.clock, q.inside(now))
	return q.clock
}

// inside converts the caller's i to internal coordinates.
func (q *Queue[T]) inside(i deadline.Instant) deadline.Instant {
	if q.offset == 0 {
		return i
	}
	return i.Add(-time.Duration(q.offset))
}

// Shifted returns the sum of all shifts.
func (q *Queue[T]) Shifted() time.Duration { return time.Duration(q.offset) }

// Shift moves the start and the expiration of everything that is queued, popped or continued by d, in constant time.
// After the clock jumped, a shift by the length of the jump makes the queue behave as if the time had not passed.
//
// A shift forward without a jump is a pause: what was ready is ready again d later. All shifts together are bounded to
// 18 years forward and back.
func (q *Queue[T]) Shift(d time.Duration) {
	was := q.offset
	q.offset = deadline.Instant(min(max(time.Duration(was.Add(d)), -farthest), farthest))
	// Forward, the queue's clock stays, as the caller sees it, whether or not it was told after the jump. Backward, it
	// goes back.
	q.clock = q.clock.Add(-max(q.offset.Sub(was), 0))
}

// Rewind moves the queue's clock back to now, if the clock is ahead: when the time that the caller counts in has gone
// back. A node with a later start waits for it again, where it is: after a Shift the lanes are ahead of the clock, too.
func (q *Queue[T]) Rewind(now deadline.Instant) { q.clock = min(q.clock, q.inside(now)) }
