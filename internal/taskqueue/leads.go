package taskqueue

import (
	"github.com/frameslice/frameslice/deadline"
)

// LeadsInTime reports whether n, which was popped, [Queue.Leads], and is not expired, unless it is Immediate: that is
// born so. With nothing else queued it takes some 2 ns, which is what it is for.
func (q *Queue[T]) LeadsInTime(n *Node[T], now deadline.Instant) bool {
	if q.mask != 0 || q.Policy != deadline.ByExpiration || n.where != detached || n.seq == 0 || now == deadline.Never {
		return q.Leads(n, now) && (n.lane() == deadline.Immediate.Lane() || !q.Expired(n, now))
	}
	now = q.inside(now)
	q.clock = max(q.clock, now)
	return n.start <= q.clock && (n.exp > now || n.lane() == deadline.Immediate.Lane() || !n.expired(now))
}
