package taskqueue

import (
	"fmt"

	"github.com/frameslice/frameslice/deadline"
)

// HeapLen returns how many nodes wait in heaps.
func (q *Queue[T]) HeapLen() int {
	n := 0
	for _, h := range q.heaps {
		n += max(len(h)-root, 0)
	}
	return n
}

// TreeLen returns how many nodes are in trees.
func (q *Queue[T]) TreeLen() int {
	n := 0
	for _, root := range q.heads[treeHead:] {
		_ = checkTree(root, func(*Node[T], uint8) error { n++; return nil })
	}
	return n
}

// Check returns the first invariant of the package documentation that does not hold, by its number there.
func (q *Queue[T]) Check() error {
	var count [deadline.NumPriorities]int
	size := 0
	seen := func(n *Node[T], where uint8) error {
		count[n.lane()]++
		size++
		if n.where != where {
			return fmt.Errorf("Q1: a node of structure %d says that it is in %d", where, n.where)
		}
		return nil
	}
	for level := range uint8(levels) {
		if err := q.checkLane(level, seen); err != nil {
			return err
		}
		if err := q.checkHeap(level, seen); err != nil {
			return err
		}
		if err := q.checkWheel(level, seen); err != nil {
			return err
		}
	}
	for source := treeHead; source < len(q.heads); source++ {
		if err := checkTree(q.heads[source], func(n *Node[T], where uint8) error {
			if q.treeOf(n.lane()) != source || n.cont() || !n.own {
				return fmt.Errorf("Q3: a node of level %d in tree %d", n.level, source)
			}
			return seen(n, where)
		}); err != nil {
			return err
		}
		if (q.mask>>source&1 != 0) != (q.heads[source] != nil) {
			return fmt.Errorf("Q4: mask %b", q.mask)
		}
	}
	if c := q.scratch; c != nil {
		for i := range c.nodes {
			if c.nodes[i].n != nil {
				return fmt.Errorf("Q5: what sorts holds on to a node")
			}
		}
	}
	for n := q.aside; n != nil; n = n.b {
		if err := seen(n, inAside); err != nil {
			return err
		}
		if n.b != nil && n.b.a != n {
			return fmt.Errorf("Q1: broken link aside")
		}
	}
	if count != q.count || size != q.size {
		return fmt.Errorf("Q1: found %d, counted %d", count, q.count)
	}
	return nil
}

func (q *Queue[T]) checkLane(level uint8, seen func(*Node[T], uint8) error) error {
	head := q.heads[2*level]
	if (q.mask>>(2*level)&1 != 0) != (head != nil) {
		return fmt.Errorf("Q4: mask %b of level %d", q.mask, level)
	}
	var last *Node[T]
	for n := head; n != nil; last, n = n, n.b {
		if err := seen(n, inLane); err != nil {
			return err
		}
		switch {
		case n.level != level || n.a != last:
			return fmt.Errorf("Q1: a node of level %d in level %d, or a broken link", n.level, level)
		case last != nil && !last.before(n):
			return fmt.Errorf("Q2: lane of level %d out of order", level)
		}
	}
	if q.tails[level] != last {
		return fmt.Errorf("Q4: tail of level %d", level)
	}
	return nil
}

func (q *Queue[T]) checkHeap(level uint8, seen func(*Node[T], uint8) error) error {
	h := q.heaps[level]
	head, empty := q.heads[2*level+1], len(h) <= root
	if (q.mask>>(2*level+1)&1 == 0) != empty || (head == nil) != empty || !empty && head != h[root].n {
		return fmt.Errorf("Q4: head or mask of the heap of level %d", level)
	}
	for i := root; i < len(h); i++ {
		where := inHeap
		if n := h[i].n; n.where == inFront {
			where = inFront
			if s := q.slotOf(n); s.first != n {
				return fmt.Errorf("Q7: a node stands for a slot that has another first one")
			}
		}
		if err := seen(h[i].n, where); err != nil {
			return err
		}
		if i > root && (!h[parentOf(i)].n.before(h[i].n) || !h[parentOf(i)].before(&h[i])) ||
			int(h[i].n.index) != i {
			return fmt.Errorf("Q2: heap of level %d out of order", level)
		}
	}
	for _, e := range h[len(h):cap(h)] {
		if e.n != nil {
			return fmt.Errorf("Q5: the heap of level %d holds on to a node that left", level)
		}
	}
	return nil
}

// checkWheel checks the slots of a level.
func (q *Queue[T]) checkWheel(level uint8, seen func(*Node[T], uint8) error) error {
	w := q.wheels[level]
	if w == nil {
		return nil
	}
	live := 0
	for i := range uint(wheelSlots) {
		page := w.pages[i/pageSlots]
		if page == nil {
			continue
		}
		s := &page.slots[i%pageSlots]
		if s.first == nil && s.rest == nil {
			continue
		}
		if s.first == nil || s.first.where != inFront || q.heaps[level][s.first.index].n != s.first ||
			s.span != s.first.start>>slotWidth || s.key != keyOf(s.first) || s.giving && !s.ordered {
			return fmt.Errorf("Q7: first node of a slot")
		}
		n, last := 0, keyOf(s.first)
		for j, p := range s.rest {
			if p.n == nil {
				if !s.ordered {
					return fmt.Errorf("Q7: a hole in a slot out of order")
				}
				continue
			}
			n++
			if j < int(s.next) || int(p.n.index) != j || p.key != keyOf(p.n) || p.key <= keyOf(s.first) ||
				s.ordered && p.key <= last || p.n.start>>slotWidth != s.span || p.n.level != level {
				return fmt.Errorf("Q7: a node of a slot")
			}
			last = p.key
			if err := seen(p.n, inSlot); err != nil {
				return err
			}
		}
		if n != int(s.live) || n == 0 && s.rest != nil || !s.ordered && n > slotLimit {
			return fmt.Errorf("Q7: %d nodes in a slot, counted %d", n, s.live)
		}
		for _, p := range s.rest[len(s.rest):cap(s.rest)] {
			if p.n != nil {
				return fmt.Errorf("Q5: a slot holds on to a node that left")
			}
		}
		live += n
	}
	if live != w.live {
		return fmt.Errorf("Q7: %d nodes in slots, counted %d", live, w.live)
	}
	return nil
}

// UseWheels gives every level a wheel, which otherwise comes with many delayed nodes.
func (q *Queue[T]) UseWheels() {
	for level := range q.wheels {
		q.wheels[level] = new(wheel[T])
	}
}

func checkTree[T any](n *Node[T], seen func(*Node[T], uint8) error) error {
	if n == nil {
		return nil
	}
	least := n
	for i, c := range []*Node[T]{n.a, n.b} {
		if c == nil {
			continue
		}
		if rank(c.seq) > rank(n.seq) || c.before(n) != (i == 0) {
			return fmt.Errorf("Q3: tree out of order")
		}
		least = sooner(least, c.least)
		if err := checkTree(c, seen); err != nil {
			return err
		}
	}
	if n.least != least {
		return fmt.Errorf("Q3: least of a subtree")
	}
	return seen(n, inTree)
}
