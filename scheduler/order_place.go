package scheduler

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// queueDue queues an item with a delay that ends at due: see dueAfter. The delay began with the submission, and not
// when the frame goroutine read the inbox.
func (c *pacing) queueDue(it *item, p deadline.Priority, now, due deadline.Instant, timeout time.Duration) {
	due = due.Add(time.Duration(c.skew) + c.q.Shifted())
	if delay := due.Sub(now); delay > 0 {
		c.place(it, p, now, delay, timeout)
	} else {
		c.place(it, p, max(due, 0), 0, timeout)
	}
}

// place is queue by the time of the item's group, if it has one.
func (c *pacing) place(it *item, p deadline.Priority, now deadline.Instant, delay, timeout time.Duration) {
	if g := c.paceOf(it); g != nil {
		c.placePaced(it, g, p, now, delay, timeout)
		if delay <= 0 {
			c.parkIfStopped(it, now)
		}
		return
	}
	c.queue(it, p, now, delay, timeout)
}

// requeue queues an item that has more to do. The item keeps its place as long as its continuations have not used up
// their part of this slice. After that it goes behind its peers, as if submitted now (S10). The continuations of an
// overdue task may not use more than the share of overdue work, or the task would keep the share to itself (S11).
func (c *pacing) requeue(it *item) {
	t, quota := it.task, c.contQuota
	if c.currentOverdue {
		quota = min(quota, c.overdueQuota)
	}
	if t.usedTime < quota && t.steps < contSteps {
		it.where = inQueue
		c.q.Continue(&it.node)
		if t.later > minTime {
			t.later = minTime // the run was the end of the delay: see delayAgain
		}
		c.parkIfStopped(it, c.now)
		return
	}
	t.usedTime, t.steps = 0, 0
	c.resubmit(it, c.now, 0)
}

// resubmit queues a task that has more to do as if it were submitted at now with that delay.
func (c *pacing) resubmit(it *item, now deadline.Instant, delay time.Duration) {
	c.place(it, it.node.Priority(), now, delay, it.timeout())
}

// moveTo gives an item another priority and its place, and lifts nothing that the item waits for.
func (c *pacing) moveTo(it *item, p deadline.Priority, now deadline.Instant) {
	c.relabel(it, p, now)
	if it.where == inOverdue {
		c.overdueAside.remove(it)
		c.putBack(it)
	}
}

// relabel gives an item another priority, and the timeout that goes with it. An idle task keeps its timeout: it is in
// the queue only to become overdue.
func (c *pacing) relabel(it *item, p deadline.Priority, now deadline.Instant) {
	if it.task != nil && it.task.sentWork() == workIdle {
		c.q.SetUrgency(&it.node, p, now)
		return
	}
	it.plain = it.plain || p != it.node.Priority()
	if it.where == inLater {
		c.relabelLater(it, p)
		return
	}
	c.q.SetPriority(&it.node, p, now)
}
