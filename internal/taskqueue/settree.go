package taskqueue

import (
	"github.com/frameslice/frameslice/deadline"
)

// A bucket's tree is a treap as that of own timeouts is, but for what that one's nodes know of their subtrees: in
// a bucket all timeouts are alike, so the first to start is the first to expire. See pull.

// union joins any two trees: O(m log(n/m + 1)) for m nodes and n more.
func union[T any](x, y *Node[T]) *Node[T] {
	switch {
	case x == nil:
		return y
	case y == nil:
		return x
	case rank(x.seq) < rank(y.seq):
		x, y = y, x
	}
	l, r := split(y, x)
	x.a, x.b = union(x.a, l), union(x.b, r)
	return x
}

// notDue counts the nodes of a bucket's tree that start after now. It takes what it visits from limit.
func notDue[T any](n *Node[T], now deadline.Instant, limit *int) int {
	waiting := 0
	for ; n != nil && *limit > 0; *limit-- {
		if n.start > now {
			waiting += 1 + notDue(n.b, now, limit)
			n = n.a
			continue
		}
		n = n.b
	}
	return waiting
}
