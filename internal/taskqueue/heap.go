package taskqueue

import (
	"github.com/frameslice/frameslice/deadline"
)

// entry is an element of a heap, with the key beside the pointer, so that sifting compares within the slice and fetches
// nodes only to break ties.
type entry[T any] struct {
	start deadline.Instant // 0 for continuations, which are sorted by seq alone
	n     *Node[T]
}

func (e *entry[T]) before(f *entry[T]) bool {
	return e.start < f.start || e.start == f.start && e.n.seq < f.n.seq
}

// The heaps have four children per node, which makes them half as deep as binary ones: every step down writes
// the index of a node that moved up, a cache miss in a large heap. The root is at index 3, so that siblings,
// at 4k to 4k+3, share a cache line of 64 bytes. The slots before it are empty.
const (
	arity = 4
	root  = arity - 1
)

func firstChild(i int) int { return arity * (i - root + 1) }
func parentOf(i int) int   { return i/arity + root - 1 }

func (q *Queue[T]) heapPush(n *Node[T]) {
	e := entry[T]{n.start, n}
	if n.cont() {
		e.start = 0
	}
	n.where = inHeap
	h := q.heaps[n.level]
	if h == nil {
		h = make([]entry[T], root, 4*arity)
	}
	h = append(h, e)
	q.heaps[n.level] = h
	up(h, len(h)-1, e)
	q.heapTop(n.level)
}

func (q *Queue[T]) heapRemove(n *Node[T]) {
	h := q.heaps[n.level]
	i, last := int(n.index), len(h)-1
	e := h[last]
	h[last] = entry[T]{} // let go of the node
	h = h[:last]
	q.heaps[n.level] = h
	if i < last {
		if i > root && e.before(&h[parentOf(i)]) {
			up(h, i, e)
		} else {
			down(h, i, e)
		}
	}
	if i == root {
		q.heapTop(n.level)
	}
}

// heapTop keeps the head of the source and its bit in step with the heap.
func (q *Queue[T]) heapTop(level uint8) {
	source := 2*level + 1
	if h := q.heaps[level]; len(h) > root {
		q.heads[source] = h[root].n
		q.mask |= 1 << source
		return
	}
	q.heads[source] = nil
	q.mask &^= 1 << source
}

// up places e at i or above it. Slot i is free.
func up[T any](h []entry[T], i int, e entry[T]) {
	for i > root {
		parent := parentOf(i)
		if !e.before(&h[parent]) {
			break
		}
		h[i] = h[parent]
		h[i].n.index = int32(i)
		i = parent
	}
	h[i] = e
	e.n.index = int32(i)
}

// down places e at i or below it. Slot i is free.
func down[T any](h []entry[T], i int, e entry[T]) {
	for first := firstChild(i); first < len(h); first = firstChild(i) {
		least := first
		for c := first + 1; c < min(first+arity, len(h)); c++ {
			if h[c].before(&h[least]) {
				least = c
			}
		}
		if !h[least].before(&e) {
			break
		}
		h[i] = h[least]
		h[i].n.index = int32(i)
		i = least
	}
	h[i] = e
	e.n.index = int32(i)
}
