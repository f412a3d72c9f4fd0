package taskqueue

// laneWalk bounds the search for a place inside a lane. Stamps from other goroutines are out of order by a few places.
// A node further from its place goes to the level's heap, which takes any order.
const laneWalk = 8

// before reports whether n precedes m in their level: by start and submission or, among continuations, by the
// order in which they yielded.
func (n *Node[T]) before(m *Node[T]) bool {
	if n.start != m.start && !n.cont() {
		return n.start < m.start
	}
	return n.seq < m.seq
}

// laneInsert puts n, which is ready, into its level's lane, or into the level's heap if its place in the lane
// is too far from both ends.
func (q *Queue[T]) laneInsert(n *Node[T]) {
	level := n.level
	tail := q.tails[level&15]
	if tail == nil {
		n.where = inLane
		q.tails[level&15] = n
		q.heads[2*level&31] = n
		q.mask |= 1 << (2 * level & 31)
		return
	}
	if tail.before(n) {
		n.where = inLane
		n.a = tail
		tail.b = n
		q.tails[level&15] = n
		return
	}
	q.laneInsertSlow(n)
}

func (q *Queue[T]) laneInsertSlow(n *Node[T]) {
	level := n.level
	if head := q.heads[2*level]; n.before(head) {
		n.where = inLane
		n.b = head
		head.a = n
		q.heads[2*level] = n
		return
	}
	// n is behind the head and before the tail, so the walk ends on a node of the lane.
	m := q.tails[level].a
	for range laneWalk {
		if m.before(n) {
			n.where = inLane
			n.a, n.b = m, m.b
			m.b.a = n
			m.b = n
			return
		}
		m = m.a
	}
	q.heapPush(n)
}

// lanePop takes n, the first node of a lane, out of it.
func (q *Queue[T]) lanePop(n *Node[T]) {
	level := n.level
	next := n.b
	q.heads[2*level&31] = next
	if next == nil {
		q.tails[level&15] = nil
		q.mask &^= 1 << (2 * level & 31)
	} else {
		next.a = nil
		n.b = nil
	}
	n.where = detached
}

func (q *Queue[T]) laneRemove(n *Node[T]) {
	if n.a == nil {
		q.lanePop(n)
		return
	}
	n.a.b = n.b
	if n.b != nil {
		n.b.a = n.a
	} else {
		q.tails[n.level] = n.a
	}
	n.a, n.b = nil, nil
}

func (q *Queue[T]) asidePush(n *Node[T]) {
	n.where = inAside
	n.b = q.aside
	if n.b != nil {
		n.b.a = n
	}
	q.aside = n
}

func (q *Queue[T]) asideRemove(n *Node[T]) {
	if n.a != nil {
		n.a.b = n.b
	} else {
		q.aside = n.b
	}
	if n.b != nil {
		n.b.a = n.a
	}
	n.a, n.b = nil, nil
}
