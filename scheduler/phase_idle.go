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
	idles round // a pass is the idle period of a frame
}

// queueIdle puts an idle callback into the list, for idle time. With a timeout the callback goes into the queue too,
// and is overdue there once the timeout has passed. Whichever starts the callback takes it out of the other.
func (o *order) queueIdle(it *item, p deadline.Priority, now deadline.Instant) {
	it.where = inIdle
	it.task.overdue = true // unless claimIdle starts it
	o.idles.push(it)
	if d := time.Duration(it.task.sent.timeout.Load()); d > 0 {
		it.where = inIdleTimed
		o.q.Push(&it.node, p, now, d, -1) // overdue at once
	} else {
		o.q.Push(&it.node, p, now, 0, 0) // so that the node knows the priority
		o.q.Remove(&it.node)
	}
}

// takeIdleTimed takes an idle callback out of the list and out of the queue.
func (o *order) takeIdleTimed(it *item) {
	o.unqueue(it)
	o.idles.remove(it)
}
