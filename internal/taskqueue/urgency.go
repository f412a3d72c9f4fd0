package taskqueue

import (
	"github.com/frameslice/frameslice/deadline"
)

// SetPriority changes n's priority to p. n keeps its place by submission, and its expiration becomes its
// start plus the timeout of p; a timeout of its own ends with the change. Setting the same priority changes
// nothing. A node that is popped (not queued) takes the new priority along for Continue. It panics if p is
// invalid.
func (q *Queue[T]) SetPriority(n *Node[T], p deadline.Priority, now deadline.Instant) {
	q.setPriority(n, p, now, false)
}

// SetUrgency is SetPriority, but a timeout of n's own stays.
func (q *Queue[T]) SetUrgency(n *Node[T], p deadline.Priority, now deadline.Instant) {
	q.setPriority(n, p, now, n.own)
}

func (q *Queue[T]) setPriority(n *Node[T], p deadline.Priority, now deadline.Instant, own bool) {
	mustBeValid(p)
	was := n.Priority()
	if p == was || n.seq == 0 {
		return
	}
	q.tell(now)
	where := n.where
	if where != detached {
		q.count[was.Lane()]--
		q.count[p.Lane()]++
	}
	if where != detached && where != inAside {
		q.detach(n)
	}
	n.level = levelOf(p.Lane()) &^ (^n.level & 1)
	if n.own = own; !own {
		n.exp = n.start.Add(q.timeouts[p.Lane()])
	}
	if where != detached && where != inAside {
		q.insert(n)
	}
}
