package taskqueue

import (
	"github.com/frameslice/frameslice/deadline"
)

// Set is a set of nodes of one [Queue] whose priority can be changed as one, in constant time: the tasks of a
// scene, for example. The zero Set is empty and ready for use. Like the queue it lives on one goroutine, and
// it must not be copied.
//
// The queue returns the nodes of a set in the same order as if they were in none; only SetPriorityOf is
// different, and Push and Pop take longer: some 40 ns more, and O(log s) of them where s sets have nodes.
//
// The structure: a set has a bucket for each level, and each bucket a lane and a tree, the latter for what is
// delayed or came out of order. The first node of each bucket stands for all of it in the heap of the queue's
// level, so a pick sees nothing new. There are two rows of buckets: the fresh ones, whose level is that of
// their nodes, and the old ones, whose nodes have the priority that SetPriorityOf asked for last, whatever
// the level that they were pushed with. SetPriorityOf puts each fresh lane behind its old one, where all of
// it belongs, and gives the at most ten first nodes of the old buckets their new places in the heaps.
type Set[T any] struct {
	_ noCopy

	anchor Node[T] // the nodes of the set point here, and its index says where the set is in Queue.sets
	rows   [2][levels]bucket[T]
	prio   deadline.Priority // of the old row
	stamp  int32             // counts the changes
	size   int               // nodes that point here
}

// bucket holds nodes of one row and level.
type bucket[T any] struct {
	head, tail *Node[T] // the lane
	tree       *Node[T] // a treap by (start, seq), with the ranks of the queue's tree
	first      *Node[T] // the first of all; it is also in the heap of the queue's level
	n          int
}

// The rows of a Set.
const (
	freshRow = iota
	oldRow
)

// What Node.first says: that the node is a member of a set, or firstMark plus row*levels plus level of a bucket whose
// first node it is; 0 for all that is in no set.
const (
	isMember  = 1
	firstMark = 2
)

// Len returns the number of nodes of the set that are queued.
func (g *Set[T]) Len() int { return g.size }

// Enter makes n a member of g until it leaves the queue again: from now on if it is queued, else from the next
// Push or Continue. A node that is queued with a timeout of its own is in no set, and Enter leaves it alone:
// SetPriorityOf does not concern it. It panics if g has nodes of another queue.
func (q *Queue[T]) Enter(g *Set[T], n *Node[T]) {
	g.mustBeOf(q)
	queued := n.where != detached && n.where != inAside
	switch {
	case n.own && n.where != detached || n.least == &g.anchor:
		return
	case queued:
		q.detach(n)
	}
	if n.first != 0 {
		q.leave(n)
	}
	q.enter(g, n)
	if queued {
		q.insert(n)
	}
}

func (q *Queue[T]) enter(g *Set[T], n *Node[T]) {
	if g.size == 0 {
		g.anchor.index = int32(len(q.sets))
		q.sets = append(q.sets, g)
	}
	g.size++
	n.least, n.first = &g.anchor, isMember
}

// mustBeOf panics if g has nodes, and of another queue.
func (g *Set[T]) mustBeOf(q *Queue[T]) {
	if i := uint(g.anchor.index); g.size > 0 && (i >= uint(len(q.sets)) || q.sets[i] != g) {
		panic("taskqueue: a Set with nodes of another Queue")
	}
}

// leave takes n, which is not queued any more, out of its set.
func (q *Queue[T]) leave(n *Node[T]) {
	i := n.least.index
	g := q.sets[i]
	n.least, n.first = nil, 0
	if g.size--; g.size > 0 {
		return
	}
	last := len(q.sets) - 1
	q.sets[i] = q.sets[last]
	q.sets[i].anchor.index = i
	q.sets[last] = nil
	q.sets = q.sets[:last]
}

// setOf returns the set of a member.
func (q *Queue[T]) setOf(n *Node[T]) *Set[T] { return q.sets[n.least.index] }

// inSet reports whether n is in a bucket.
func (n *Node[T]) inSet() bool { return n.where == inSetLane || n.where == inSetTree }

// PriorityOf returns n's priority. It is [Node.Priority], but for a node in a set: that one may have been
// changed with all of the set.
func (q *Queue[T]) PriorityOf(n *Node[T]) deadline.Priority {
	if n.first == isMember && n.inSet() {
		if g := q.setOf(n); n.index != g.stamp {
			return g.prio
		}
	}
	return n.Priority()
}

// SetPriorityOf changes the priority of all nodes of g that are queued, and have not been set aside by
// [Queue.Defer], to p, as [Queue.SetPriority] does for each. It takes constant time, and O(log n) for each
// node that was pushed with a delay or out of order since the last change. It panics if p is invalid, or if g has
// nodes of another queue.
func (q *Queue[T]) SetPriorityOf(g *Set[T], p deadline.Priority, now deadline.Instant) {
	mustBeValid(p)
	g.mustBeOf(q)
	q.tell(now)
	for level := range uint8(levels) {
		fresh, old := &g.rows[freshRow][level], &g.rows[oldRow][level]
		if fresh.n == 0 && (old.n == 0 || g.prio == p) {
			continue
		}
		q.count[level>>1] -= fresh.n
		q.count[g.prio.Lane()] -= old.n
		q.count[p.Lane()] += fresh.n + old.n
		q.dismiss(g, freshRow, level)
		q.dismiss(g, oldRow, level)
		old.take(fresh)
	}
	g.stamp++
	g.prio = p
	for level := range uint8(levels) {
		q.promote(g, oldRow, level)
	}
}

// take moves all of a fresh bucket to the old one of its level. Its lane begins after the end of the other.
func (b *bucket[T]) take(fresh *bucket[T]) {
	if fresh.head != nil {
		if b.tail == nil {
			b.head = fresh.head
		} else {
			b.tail.b, fresh.head.a = fresh.head, b.tail
		}
		b.tail = fresh.tail
	}
	b.tree = union(b.tree, fresh.tree)
	b.n += fresh.n
	*fresh = bucket[T]{}
}

// levelIn returns the level that a bucket's nodes have in the queue.
func (g *Set[T]) levelIn(row int, level uint8) uint8 {
	if row == freshRow {
		return level
	}
	return levelOf(g.prio.Lane()) &^ (^level & 1)
}

// promote makes the first node of a bucket stand for it in the queue, if none does.
func (q *Queue[T]) promote(g *Set[T], row int, level uint8) {
	b := &g.rows[row][level]
	if b.first != nil || b.n == 0 {
		return
	}
	n := b.tree
	for n != nil && n.a != nil {
		n = n.a
	}
	if n == nil || b.head != nil && b.head.before(n) {
		n = b.head
	}
	q.represent(g, b, n, row, level)
}

// represent puts n into the heap of its level. It is the first of bucket b.
func (q *Queue[T]) represent(g *Set[T], b *bucket[T], n *Node[T], row int, level uint8) {
	b.first = n
	n.first = uint8(firstMark + row*levels + int(level))
	q.relevel(n, g.levelIn(row, level))
	where := n.where
	q.heapPush(n)
	n.where = where
}

// relevel gives n the level and the expiration that go with it.
func (q *Queue[T]) relevel(n *Node[T], level uint8) {
	n.level = level
	n.exp = n.start.Add(q.timeouts[level>>1])
}

// dismiss ends that: the node is in its bucket alone.
func (q *Queue[T]) dismiss(g *Set[T], row int, level uint8) {
	b := &g.rows[row][level]
	n := b.first
	if n == nil {
		return
	}
	q.heapRemove(n)
	b.first, n.first = nil, isMember
	n.level = level
	n.index = g.stamp - int32(row)
}

// setInsert puts n into the fresh bucket of its level.
func (q *Queue[T]) setInsert(n *Node[T]) {
	g, level := q.setOf(n), n.level
	b, old := &g.rows[freshRow][level], &g.rows[oldRow][level]
	n.first = isMember
	n.index = g.stamp
	b.n++
	last := b.tail
	if last == nil {
		last = old.tail // of which it may become the continuation
	}
	if n.ready(q.clock) && (last == nil || last.before(n)) {
		n.where = inSetLane
		if n.a = b.tail; n.a != nil {
			n.a.b = n
		} else {
			b.head = n
		}
		b.tail = n
	} else {
		n.where = inSetTree
		b.tree = treeInsert(b.tree, n)
	}
	if b.first == nil || n.before(b.first) {
		q.dismiss(g, freshRow, level)
		q.represent(g, b, n, freshRow, level)
	}
}

// setDetach takes n out of its bucket, and gives it the level and the expiration that it had there.
func (q *Queue[T]) setDetach(n *Node[T]) {
	g := q.setOf(n)
	row, level := freshRow, n.level
	switch {
	case n.first != isMember:
		row, level = int(n.first-firstMark)/levels, (n.first-firstMark)%levels
		q.dismiss(g, row, level)
	case n.index != g.stamp:
		row = oldRow
	}
	b := &g.rows[row][level]
	b.n--
	if n.where == inSetTree {
		b.tree = treeRemove(b.tree, n)
	} else {
		if n.a != nil {
			n.a.b = n.b
		} else {
			b.head = n.b
		}
		if n.b != nil {
			n.b.a = n.a
		} else {
			b.tail = n.a
		}
	}
	n.a, n.b = nil, nil
	q.relevel(n, g.levelIn(row, level))
	q.promote(g, row, level)
}
