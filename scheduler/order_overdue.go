package scheduler

import (
	"slices"

	"github.com/frameslice/frameslice/deadline"
)

// overdueList has the overdue work that is set aside, the most overdue first.
type overdueList struct {
	list
	last *item // the last one added, or its place; nil if that is not known
}

func (l *overdueList) remove(it *item) {
	if l.last == it {
		l.last = it.back
	}
	l.list.remove(it)
}

func (l *overdueList) insert(it, at *item) {
	l.list.insert(it, at)
	l.last = it
}

// unpass forgets that the item, which leaves the queue, was passed over in this slice. Its entry in the list becomes
// nil, and still counts. The item may soon belong to another goroutine, or be passed over again in its next generation.
func (o *order) unpass(it *item) {
	if i := slices.Index(o.passed, it); i >= 0 {
		o.passed[i] = nil
	}
}

// sooner reports whether a comes before b in the queue by expiration.
func (o *order) sooner(a, b *item) bool {
	x, y := o.q.Expiration(&a.node), o.q.Expiration(&b.node)
	return x < y || x == y && a.node.Order() < b.node.Order()
}

// soonEnough reports whether a timeout of its own makes a task overdue before the priority p would.
func (o *order) soonEnough(it *item, p deadline.Priority) bool {
	return !o.q.ByPriority && it.timeout() != 0 &&
		o.q.Expiration(&it.node) <= o.q.Start(&it.node).Add(o.q.Timeouts.Of(p))
}

// takeBack returns the tasks that were passed over to their places in the queue: they may fit now.
func (o *order) takeBack() {
	if len(o.passed) == 0 {
		return
	}
	if o.q.ByPriority {
		o.q.Recall()
	}
	for i := len(o.passed) - 1; i >= 0; i-- { // from the last, so that each place is near the front
		it := o.passed[i]
		if it == nil {
			continue // it ran after all, or was cancelled
		}
		o.passed[i] = nil
		it.where = inQueue
		if !o.q.ByPriority {
			o.putBack(it)
		}
	}
	o.passed = o.passed[:0]
}

// isOverdue reports whether n's expiration has passed. Immediate work is born expired, and is not overdue.
func (o *order) isOverdue(n *node) bool {
	return o.q.Expired(n, o.now) && n.Priority() != deadline.Immediate
}

// putBack returns an item that is set aside in the queue to its place there, in the order of expiration only.
func (o *order) putBack(it *item) {
	it.where = inQueue
	o.q.Remove(&it.node)
	o.q.Continue(&it.node)
}

// restoreOverdue returns all overdue work that is set aside to its place in the queue.
func (o *order) restoreOverdue() {
	for it := o.overdueAside.tail; it != nil; it = o.overdueAside.tail {
		o.overdueAside.remove(it)
		o.putBack(it)
	}
}

// takeOverdue takes overdue work out that is set aside.
func (o *order) takeOverdue(it *item) {
	o.unqueue(it)
	o.overdueAside.remove(it)
}

// takePassed takes an item out that does not fit into this slice.
func (o *order) takePassed(it *item) {
	o.unqueue(it)
	o.unpass(it)
}

// firstReady returns the first ready node by the policy, those included that are set aside as overdue work.
func (o *order) firstReady(now deadline.Instant) *node {
	n := o.q.Peek(now)
	if h := o.overdueAside.head; h != nil && (n == nil || o.sooner(h, n.Value)) {
		n = &h.node
	}
	return n
}
