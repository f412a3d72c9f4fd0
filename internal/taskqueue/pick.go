package taskqueue

import (
	"math/bits"

	"github.com/frameslice/frameslice/deadline"
)

// leader returns the ready node with the least (exp, seq) by expiration. now is internal.
func (q *Queue[T]) leader(now deadline.Instant) *Node[T] {
	var least *Node[T]
	for m := q.mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		n := q.heads[i&31]
		if i == treeHead {
			if n = treeLeast(n, now); n == nil {
				continue
			}
		} else if n.start > now {
			continue
		}
		if least == nil || n.exp < least.exp || n.exp == least.exp && n.seq < least.seq {
			least = n
		}
	}
	return least
}

// leastOfFirsts returns the ready node with the least (exp, seq) of those that are the first of their level, and of
// those with a timeout of their own.
func (q *Queue[T]) leastOfFirsts(now deadline.Instant) *Node[T] {
	var least *Node[T]
	for m := q.mask &^ (treeBit - 1); m != 0; m &= m - 1 {
		least = sooner(least, treeLeast(q.heads[bits.TrailingZeros32(m)&31], now))
	}
	for m := q.mask & (treeBit - 1); m != 0; {
		i := bits.TrailingZeros32(m)
		n := q.heads[i&31]
		if h := q.heads[(i|1)&31]; h != nil && h.before(n) {
			n = h
		}
		if m &^= 3 << (i &^ 1); n.ready(now) {
			least = sooner(least, n)
		}
	}
	return least
}

// leastByPriority returns the first ready node of the most urgent level that has one. now is internal.
func (q *Queue[T]) leastByPriority(now deadline.Instant) *Node[T] {
	if q.mask >= treeBit {
		for level := range uint8(levels) {
			if n := q.firstOfLevel(level); n != nil && n.ready(now) {
				return n
			}
		}
		return nil
	}
	for m := q.mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		n := q.heads[i&31]
		// If this is a lane, its level's heap, the next bit, may hold an earlier node.
		if h := q.heads[(i|1)&31]; h != nil && h.before(n) {
			n = h
		}
		if n.ready(now) {
			return n
		}
	}
	return nil
}

// ready reports whether n's time has come. In a lane or a heap, nothing is ready if the first is not.
func (n *Node[T]) ready(now deadline.Instant) bool { return n.start <= now || n.cont() }

// earliestStart returns the least start of all. Each source has its first node by start at its head, but trees.
func (q *Queue[T]) earliestStart() deadline.Instant {
	at := deadline.Never
	for m := q.mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		n := q.heads[i&31]
		if i >= treeHead {
			n = n.leftmost()
		}
		at = min(at, n.start)
	}
	return at
}

// LenReady returns the number of nodes of priority p that are ready at now, those set aside included. It panics if p is
// invalid.
//
// Counting visits the delayed nodes that are due and the nodes with a timeout of their own, about 5 ns each, and at
// most limit of them. If there are more, the other delayed nodes are left out, and the other nodes with a timeout of
// their own count as ready.
func (q *Queue[T]) LenReady(p deadline.Priority, now deadline.Instant, limit int) int {
	lane := laneOf(p)
	now = q.tell(now)
	ready := q.count[lane]
	for n := q.tails[levelOf(lane)]; n != nil && n.start > now; n = n.a {
		ready-- // after a Shift
	}
	for _, level := range [2]int{2 * lane, 2*lane + 1} {
		h := q.heaps[level]
		ready += q.heapDue(h, root, now, &limit) - max(len(h)-root, 0)
		if w := q.wheels[level]; w != nil {
			ready -= w.live
		}
	}
	if q.mask >= treeBit {
		ready -= treeWaiting(q.heads[q.treeOf(lane)&31], now, lane, &limit)
	}
	return ready
}

// heapDue counts the due nodes of the subtree at i, which are all at its top. It subtracts their number from limit.
func (q *Queue[T]) heapDue(h []entry[T], i int, now deadline.Instant, limit *int) int {
	if i >= len(h) || *limit <= 0 || !h[i].n.ready(now) {
		return 0
	}
	*limit--
	due := 1
	if h[i].n.where == inFront {
		due += q.slotDue(h[i].n, now, limit)
	}
	for c := range arity {
		due += q.heapDue(h, firstChild(i)+c, now, limit)
	}
	return due
}

// treeWaiting counts the nodes of a lane that are not due. It subtracts its visits from limit.
func treeWaiting[T any](n *Node[T], now deadline.Instant, lane int, limit *int) int {
	waiting := 0
	for ; n != nil && *limit > 0; *limit-- {
		if n.start > now {
			waiting += treeWaiting(n.b, now, lane, limit)
			if n.lane() == lane {
				waiting++
			}
			n = n.a
			continue
		}
		n = n.b
	}
	return waiting
}

// firstOfLevel returns the first node of a level, ready or not. By expiration it leaves out nodes with a timeout
// of their own.
func (q *Queue[T]) firstOfLevel(level uint8) *Node[T] {
	n, h := q.heads[2*level&31], q.heads[(2*level+1)&31]
	if n == nil || h != nil && h.before(n) {
		n = h
	}
	if level&1 == 0 || !q.ByPriority {
		return n
	}
	if t := q.heads[(treeHead+level>>1)&31]; t != nil {
		if t = t.leftmost(); n == nil || t.before(n) {
			n = t
		}
	}
	return n
}
