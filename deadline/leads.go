package deadline

// LeadsInTime reports whether n, which was popped, [Queue.Leads], and is not expired, unless it is Immediate: that is
// born so. With nothing else queued it takes some 2 ns, which is what it is for.
func (q *Queue[T]) LeadsInTime(n *Node[T], now Instant) bool {
	if q.mask != 0 || q.Policy != ByExpiration || n.where != detached || n.seq == 0 || now == Never {
		return q.Leads(n, now) && (n.lane() == Immediate.Lane() || !q.Expired(n, now))
	}
	now = q.inside(now)
	q.clock = max(q.clock, now)
	return n.start <= q.clock && (n.exp > now || n.lane() == Immediate.Lane() || !n.expired(now))
}
