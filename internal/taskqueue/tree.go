package taskqueue

import (
	"github.com/frameslice/frameslice/deadline"
)

// A tree holds work with a timeout of its own, whose expirations are not in the order of its starts. The question is
// which of the due nodes expires first. A lane or a heap could answer only by moving due nodes to another heap, which
// stalls if many fall due at once. So this is a treap, sorted by (start, seq), in which each node knows the node of
// its subtree that expires first. All operations are O(log n).
//
// The heap order of the treap comes from a hash of seq: no random numbers, no field, the same shape in every run.

func rank(seq uint64) uint64 {
	seq *= 0x9e3779b97f4a7c15
	seq ^= seq >> 32
	seq *= 0xd6e8feb86659fd93
	return seq ^ seq>>32
}

// sooner returns the node of the two that expires first, by (exp, seq). Either may be nil.
func sooner[T any](n, m *Node[T]) *Node[T] {
	switch {
	case n == nil:
		return m
	case m == nil:
		return n
	case m.exp < n.exp || m.exp == n.exp && m.seq < n.seq:
		return m
	}
	return n
}

// pull recomputes what n knows of its subtree.
func (n *Node[T]) pull() {
	least := n
	if n.a != nil {
		least = sooner(least, n.a.least)
	}
	if n.b != nil {
		least = sooner(least, n.b.least)
	}
	n.least = least
}

// treeOf returns the source that is the tree of the nodes of a lane.
func (q *Queue[T]) treeOf(lane int) int {
	if q.ByPriority {
		return treeHead + lane
	}
	return treeHead
}

func (q *Queue[T]) treeInsert(n *Node[T]) {
	n.where = inTree
	source := q.treeOf(n.lane()) & 31
	q.heads[source] = treeInsert(q.heads[source], n)
	q.mask |= 1 << source
}

func (q *Queue[T]) treeRemove(n *Node[T]) {
	source := q.treeOf(n.lane()) & 31
	root := treeRemove(q.heads[source], n)
	q.heads[source] = root
	if root == nil {
		q.mask &^= 1 << source
	}
	n.a, n.b, n.least = nil, nil, nil
}

// leftmost returns the first node of the tree by (start, seq).
func (n *Node[T]) leftmost() *Node[T] {
	for n.a != nil {
		n = n.a
	}
	return n
}

func treeInsert[T any](root, n *Node[T]) *Node[T] {
	if root == nil {
		n.least = n
		return n
	}
	if rank(n.seq) > rank(root.seq) {
		n.a, n.b = split(root, n)
		n.pull()
		return n
	}
	if n.before(root) {
		root.a = treeInsert(root.a, n)
	} else {
		root.b = treeInsert(root.b, n)
	}
	root.least = sooner(root.least, n)
	return root
}

// split divides the tree into the nodes before n and those after it.
func split[T any](root, n *Node[T]) (l, r *Node[T]) {
	if root == nil {
		return nil, nil
	}
	if n.before(root) {
		l, root.a = split(root.a, n)
		r = root
	} else {
		root.b, r = split(root.b, n)
		l = root
	}
	root.pull()
	return l, r
}

func treeRemove[T any](root, n *Node[T]) *Node[T] {
	if root == n {
		return merge(n.a, n.b)
	}
	if n.before(root) {
		root.a = treeRemove(root.a, n)
	} else {
		root.b = treeRemove(root.b, n)
	}
	if root.least == n {
		root.pull()
	}
	return root
}

// merge joins two trees, all of l before all of r.
func merge[T any](l, r *Node[T]) *Node[T] {
	switch {
	case l == nil:
		return r
	case r == nil:
		return l
	case rank(l.seq) > rank(r.seq):
		l.b = merge(l.b, r)
		l.pull()
		return l
	}
	r.a = merge(l, r.a)
	r.pull()
	return r
}

// treeLeast returns the node that expires first of those whose start is at or before now.
func treeLeast[T any](root *Node[T], now deadline.Instant) *Node[T] {
	var least *Node[T]
	for n := root; n != nil; {
		if n.start > now {
			n = n.a
			continue
		}
		least = sooner(least, n)
		if n.a != nil {
			least = sooner(least, n.a.least)
		}
		n = n.b
	}
	return least
}
