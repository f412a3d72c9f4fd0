package scheduler

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/taskqueue"
)

// order is the part of a Scheduler that has what is ready or delayed, and chooses which item runs next. It stands on
// runs, for the time that is left and what an item is expected to take. The frame goroutine's.
type order struct {
	runs         // see core_run.go
	idleTime     // see phase_idle.go
	q            taskqueue.Queue[*item]
	overdueAside overdueList // overdue work that is set aside in the queue, the most overdue first
	passed       []*item     // work passed over in this slice, in order
	starved      []*item     // work that was passed over too often
	patience     uint8
	share        float64 // of a slice, for overdue work
	leaps        uint16  // frames until starved work may run ahead of what is more urgent
	takeOut      takeOuts
}

// queue puts an item into the queue as if it were submitted at now.
func (o *order) queue(it *item, p deadline.Priority, now deadline.Instant, delay, timeout time.Duration) {
	it.where = inQueue
	o.q.Push(&it.node, p, now, delay, timeout)
}

// timeout returns the task's own timeout: zero if it has none, or has lost it by SetPriority.
func (it *item) timeout() time.Duration {
	if it.plain {
		return 0
	}
	return time.Duration(it.task.sent.timeout.Load())
}

// ready returns how many items of priority p may run at now; of those that were delayed it counts at most readyLimit.
func (o *order) ready(p deadline.Priority, now deadline.Instant) int {
	if o.q.LenOf(p) == 0 {
		return 0
	}
	return o.q.LenReady(p, now, readyLimit)
}

// unlink takes an item out of the queue and the lists that hold it.
func (o *order) unlink(it *item) {
	if it.where == inQueue {
		o.unqueue(it)
	} else if take := o.takeOut[it.where]; take != nil {
		take(it)
	}
	it.where = nowhere
}

// takeOuts are the functions that take an item out of where it waits, by its place. A place without one, and the queue,
// need none. Each function is beside what fills its list.
type takeOuts [inOnce + 2*place(numPhases)]func(it *item)

// unqueue takes an item out of the queue, and forgets how often the item was passed over.
func (o *order) unqueue(it *item) {
	o.q.Remove(&it.node)
	if it.skips >= o.patience {
		o.unstarve(it)
	}
	it.skips = 0
}

// unstarve forgets that the item was passed over too often.
func (o *order) unstarve(it *item) {
	for i, f := range o.starved {
		if f == it {
			last := len(o.starved) - 1
			copy(o.starved[i:], o.starved[i+1:])
			o.starved[last] = nil
			o.starved = o.starved[:last]
			break
		}
	}
	it.skips = 0
}
