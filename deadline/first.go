package deadline

// FirstAt returns the first ready node of priority p, and leaves it queued; nil if there is none. Under
// ByExpiration it does not see work with a timeout of its own, which goes by that and not by its priority.
// It takes constant time (under ByPriority, O(log n) for n nodes with a timeout of their own), and panics if p is
// invalid, as do the other two.
func (q *Queue[T]) FirstAt(p Priority, now Instant) *Node[T] { return q.first(p, now, false) }

// FirstOutside is FirstAt without the nodes of the sets that are Apart. It takes 5 to 20 ns for each of those
// that have a node of that priority.
func (q *Queue[T]) FirstOutside(p Priority, now Instant) *Node[T] { return q.first(p, now, true) }

func (q *Queue[T]) first(p Priority, now Instant, outside bool) *Node[T] {
	last := levelOf(p.lane())
	now = q.tell(now)
	for level := last - 1; level <= last; level++ { // continuations first
		if n := q.firstOfLevel(level, outside); n != nil && n.ready(now) {
			return n
		}
	}
	return nil
}

// firstOfLevel returns the first node of a level, ready or not, but under ByExpiration for those with a timeout of
// their own.
func (q *Queue[T]) firstOfLevel(level uint8, outside bool) *Node[T] {
	n, h := q.heads[2*level&31], q.heads[(2*level+1)&31]
	if h != nil && outside {
		h = q.heapOutside(q.heaps[level], root, nil)
	}
	if n == nil || h != nil && h.before(n) {
		n = h
	}
	if level&1 == 0 || q.Policy != ByPriority {
		return n
	}
	if t := q.heads[(treeHead+level>>1)&31]; t != nil {
		if t = t.leftmost(); n == nil || t.before(n) {
			n = t
		}
	}
	return n
}

// heapOutside returns the first node of the heap's subtree at i that is in no set which is Apart, or best if
// that comes before it.
func (q *Queue[T]) heapOutside(h []entry[T], i int, best *Node[T]) *Node[T] {
	if i >= len(h) || best != nil && best.before(h[i].n) {
		return best
	}
	if n := h[i].n; !n.inSet() || !q.setOf(n).Apart {
		return n
	}
	for c := range arity {
		best = q.heapOutside(h, firstChild(i)+c, best)
	}
	return best
}

// FirstOf returns the first ready node of priority p in g; nil if there is none. It takes constant time.
func (q *Queue[T]) FirstOf(g *Set[T], p Priority, now Instant) *Node[T] {
	last := levelOf(p.lane())
	now = q.tell(now)
	for level := last - 1; level <= last; level++ {
		least := g.rows[freshRow][level].first
		if g.prio == p {
			for old := level & 1; old < levels; old += 2 {
				n := g.rows[oldRow][old].first
				if n != nil && (least == nil || n.before(least)) {
					least = n
				}
			}
		}
		if least != nil && least.ready(now) {
			return least
		}
	}
	return nil
}

// Before reports whether n comes before m in the order of the queue's policy, ready or not.
func (q *Queue[T]) Before(n, m *Node[T]) bool {
	nLevel, nExp := q.rank(n)
	mLevel, mExp := q.rank(m)
	switch {
	case q.Policy == ByExpiration:
		return nExp < mExp || nExp == mExp && n.seq < m.seq
	case nLevel != mLevel:
		return nLevel < mLevel
	}
	return n.before(m)
}

// rank returns n's level and its expiration. Both may have been changed with all of a set, of which only
// the first nodes of buckets know.
func (q *Queue[T]) rank(n *Node[T]) (level uint8, exp Instant) {
	if n.first == isMember && n.inSet() {
		if g := q.setOf(n); n.index != g.stamp {
			level = g.levelIn(oldRow, n.level)
			return level, n.start.Add(q.timeouts[level>>1])
		}
	}
	return n.level, n.exp
}
