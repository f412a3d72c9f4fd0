package taskqueue

import (
	"github.com/frameslice/frameslice/deadline"
)

// FirstAt returns the first ready node of priority p, and leaves it queued; nil if there is none. Under
// ByExpiration it does not see work with a timeout of its own, which goes by that and not by its priority.
// It takes constant time (under ByPriority, O(log n) for n nodes with a timeout of their own), and panics if p is
// invalid.
func (q *Queue[T]) FirstAt(p deadline.Priority, now deadline.Instant) *Node[T] {
	last := levelOf(laneOf(p))
	now = q.tell(now)
	for level := last - 1; level <= last; level++ { // continuations first
		if n := q.firstOfLevel(level); n != nil && n.ready(now) {
			return n
		}
	}
	return nil
}

// firstOfLevel returns the first node of a level, ready or not, but under ByExpiration for those with a timeout of
// their own.
func (q *Queue[T]) firstOfLevel(level uint8) *Node[T] {
	n, h := q.heads[2*level&31], q.heads[(2*level+1)&31]
	if n == nil || h != nil && h.before(n) {
		n = h
	}
	if level&1 == 0 || q.Policy != deadline.ByPriority {
		return n
	}
	if t := q.heads[(treeHead+level>>1)&31]; t != nil {
		if t = t.leftmost(); n == nil || t.before(n) {
			n = t
		}
	}
	return n
}
