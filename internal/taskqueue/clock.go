package taskqueue

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

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

// Shift moves the start and the expiration of everything that is queued, popped or continued by d, in constant time.
// After the clock jumped, a shift by the length of the jump makes the queue behave as if the time had not passed.
//
// A shift forward without a jump is a pause: what was ready is ready again d later. All shifts together are bounded to
// 18 years forward and back.
func (q *Queue[T]) Shift(d time.Duration) {
	was := q.offset
	q.offset = deadline.Instant(min(max(time.Duration(was.Add(d)), -farthest), farthest))
	// Forward, the caller's clock stands, whether it was told to the queue after the jump or before.
	// Backward, it goes back.
	q.clock = q.clock.Add(-max(q.offset.Sub(was), 0))
}
