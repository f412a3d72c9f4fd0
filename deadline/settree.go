package deadline

// The tree of a bucket is a treap by (start, seq) as the tree of own timeouts is, without what that one knows
// of each subtree: in a bucket all timeouts are alike, so the first to start is the first to expire.

func bucketInsert[T any](root, n *Node[T]) *Node[T] {
	if root == nil {
		return n
	}
	if rank(n.seq) > rank(root.seq) {
		n.a, n.b = bucketSplit(root, n)
		return n
	}
	if n.before(root) {
		root.a = bucketInsert(root.a, n)
	} else {
		root.b = bucketInsert(root.b, n)
	}
	return root
}

// bucketSplit divides the tree into the nodes before n and those after it.
func bucketSplit[T any](root, n *Node[T]) (l, r *Node[T]) {
	if root == nil {
		return nil, nil
	}
	if n.before(root) {
		l, root.a = bucketSplit(root.a, n)
		return l, root
	}
	root.b, r = bucketSplit(root.b, n)
	return root, r
}

func bucketRemove[T any](root, n *Node[T]) *Node[T] {
	if root == n {
		return bucketMerge(n.a, n.b)
	}
	if n.before(root) {
		root.a = bucketRemove(root.a, n)
	} else {
		root.b = bucketRemove(root.b, n)
	}
	return root
}

// bucketMerge joins two trees, all of l before all of r.
func bucketMerge[T any](l, r *Node[T]) *Node[T] {
	switch {
	case l == nil:
		return r
	case r == nil:
		return l
	case rank(l.seq) > rank(r.seq):
		l.b = bucketMerge(l.b, r)
		return l
	}
	r.a = bucketMerge(l, r.a)
	return r
}

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
	l, r := bucketSplit(y, x)
	x.a, x.b = union(x.a, l), union(x.b, r)
	return x
}

// notDue counts the nodes of a bucket's tree that start after now. It takes what it visits from limit.
func notDue[T any](n *Node[T], now Instant, limit *int) int {
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
