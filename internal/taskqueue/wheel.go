package taskqueue

import (
	"github.com/frameslice/frameslice/deadline"
)

// A wheel gathers the delayed nodes of a level by their start. The first node of every 4.2 ms is in the level's heap
// and stands there for the others, which are in a slot beside it. So the heap of 100,000 timers of one second has 240
// entries, and most pushes and pops do not change its order. A node goes into the heap by itself if its slot belongs
// to another time, or has its nodes in another order. So nothing moves on, and no slot has more to sort than
// slotLimit.
//
// Memory: a level with fewer than wheelFrom delayed nodes has no wheel. Otherwise it has 4 KB for each 268 ms of the
// next 8.6 s in which something is due. Each slot that collects has an array, 16 bytes a node. Both are used again.
//
// A slot collects nodes until its first one leaves. Then it sorts them and hands them out one after the other. A node
// that comes later goes behind them or into the heap.
type wheel[T any] struct {
	live  int                              // nodes in slots, without the first ones
	pages [wheelSlots / pageSlots]*page[T] // nil where nothing is due
	used  [wheelSlots / pageSlots]int8     // slots with a first node, beside the pages, which fill lines of the cache
}

const (
	slotWidth  = 22   // log2 of ns: 4.2 ms. With 1 ms, posting and running 100,000 takes 89 ns each, not 83
	wheelSlots = 2048 // 8.6 s
	pageSlots  = 64   // 268 ms, 4 KB
	wheelFrom  = 64   // a level with fewer entries in its heap has no wheel yet
	slotLimit  = 1024 // nodes collected out of order; sorting them takes 10 to 20 µs, 55 to 140 at worst
	orderLimit = 8192 // nodes collected in order: one look at all of them must not take long, either
	seqBits    = 64 - slotWidth
)

// page is a part of a wheel. One that is not in use any more is used again for another part.
type page[T any] struct{ slots [pageSlots]slot[T] }

type slot[T any] struct {
	first   *Node[T]         // stands for the slot in the heap; nil if the slot is unused
	key     uint64           // of first
	span    deadline.Instant // start>>slotWidth of its nodes
	rest    []pending[T]
	next    int32 // of rest; what is before it has left
	live    int32 // nodes in rest
	ordered bool  // rest is sorted
	giving  bool  // the slot has begun to hand out, and is sorted
}

// pending is a node in a slot, with the lower bits of start, then seq, for a key, so that a comparison needs no
// node. (Seq has 42 bits: after 2^42 submissions, seven weeks of a million a second, wheels are of no use any more.)
// Nodes that leave a sorted slot leave nil, until there are too many of them.
type pending[T any] struct {
	key uint64
	n   *Node[T]
}

// keyOf returns n's key.
func keyOf[T any](n *Node[T]) uint64 { return uint64(n.start)<<seqBits | n.seq }

// slotOf returns the slot that n is in, or would be in.
func (q *Queue[T]) slotOf(n *Node[T]) *slot[T] {
	at := &q.wheels[n.level].pages[pageOf(n)]
	if *at == nil { // make the page, and the slot with it
		if last := len(q.pages) - 1; last >= 0 {
			*at = q.pages[last]
			q.pages = q.pages[:last]
		} else {
			*at = new(page[T])
		}
	}
	return &(*at).slots[n.start>>slotWidth&(pageSlots-1)]
}

// pageOf returns which page the slot of n is in.
func pageOf[T any](n *Node[T]) int { return int(n.start >> slotWidth & (wheelSlots - 1) / pageSlots) }

// vacate gives back the page of n's slot if no slot of it is used.
func (q *Queue[T]) vacate(n *Node[T]) {
	w, i := q.wheels[n.level], pageOf(n)
	if w.used[i]--; w.used[i] == 0 {
		q.pages = append(q.pages, w.pages[i])
		w.pages[i] = nil
	}
}

// timerPush inserts n, which is delayed.
func (q *Queue[T]) timerPush(n *Node[T]) {
	if q.wheels[n.level] == nil {
		if len(q.heaps[n.level]) < wheelFrom {
			q.heapPush(n)
			return
		}
		q.wheels[n.level] = new(wheel[T])
	}
	s, span, key := q.slotOf(n), n.start>>slotWidth, keyOf(n)
	switch {
	case n.seq>>seqBits != 0:
		q.heapPush(n)
	case s.first == nil:
		s.first, s.span, s.key, s.ordered = n, span, key, true
		q.wheels[n.level].used[pageOf(n)]++
		q.heapPush(n)
		n.where = inFront
	case s.span != span:
		q.heapPush(n)
	case key > s.key:
		if !q.add(s, n, key) {
			q.heapPush(n)
		}
	default:
		old := s.first
		i := int(old.index)
		if !q.stepBack(s) {
			q.heapPush(n)
			return
		}
		s.first, s.key, n.where = n, key, inFront
		up(q.heaps[n.level], i, entry[T]{n.start, n})
		q.heapTop(n.level)
	}
}

// add puts n, which comes after the first one, into rest, and reports whether there is a place for it.
func (q *Queue[T]) add(s *slot[T], n *Node[T], key uint64) bool {
	size := len(s.rest)
	switch {
	case size == 0:
		q.equip(s)
	case s.ordered && key > s.rest[size-1].key:
		if size >= orderLimit {
			return false
		}
	case s.giving || size >= slotLimit:
		return false
	case s.ordered:
		s.compact()
		s.ordered = false
	}
	n.where, n.index = inSlot, int32(len(s.rest))
	s.rest = append(s.rest, pending[T]{key, n})
	s.live++
	q.wheels[n.level].live++
	return true
}

// stepBack puts the first one before rest, and reports whether there is a place for it.
func (q *Queue[T]) stepBack(s *slot[T]) bool {
	n := s.first
	if s.next == 0 {
		return q.add(s, n, s.key)
	}
	s.next--
	s.rest[s.next] = pending[T]{s.key, n}
	s.live++
	q.wheels[n.level].live++
	n.where, n.index = inSlot, s.next
	return true
}

// compact removes the gaps of nodes that have left.
func (s *slot[T]) compact() {
	i := 0
	for _, p := range s.rest[s.next:] {
		if p.n != nil {
			p.n.index = int32(i)
			s.rest[i] = p
			i++
		}
	}
	clear(s.rest[i:])
	s.rest, s.next = s.rest[:i], 0
}

// slotRemove takes n, which is in rest, out of it.
func (q *Queue[T]) slotRemove(n *Node[T]) {
	s := q.slotOf(n)
	last := len(s.rest) - 1
	s.live--
	q.wheels[n.level].live--
	if s.ordered {
		s.rest[n.index].n = nil
		if gone := last + 1 - int(s.live); gone > 16 && gone > int(s.live) && s.live <= 2*slotLimit {
			s.compact()
		}
	} else {
		moved := s.rest[last]
		s.rest[n.index] = moved
		moved.n.index = n.index
		s.rest[last] = pending[T]{}
		s.rest = s.rest[:last]
	}
	if s.live == 0 {
		q.strip(s)
	}
}

// equip gives s an array that another slot had, and strip takes it back.
func (q *Queue[T]) equip(s *slot[T]) {
	if last := len(q.spare) - 1; last >= 0 {
		s.rest = q.spare[last]
		q.spare[last] = nil
		q.spare = q.spare[:last]
		return
	}
	s.rest = make([]pending[T], 0, 16)
}

func (q *Queue[T]) strip(s *slot[T]) {
	if cap(s.rest) <= 2*slotLimit {
		q.spare = append(q.spare, s.rest[:0])
	}
	s.rest, s.next, s.ordered, s.giving = nil, 0, true, false
}

// frontRemove takes n, the first node of its slot, out of the heap. The next one takes its place there.
func (q *Queue[T]) frontRemove(n *Node[T]) {
	s := q.slotOf(n)
	if s.live == 0 {
		s.first = nil
		q.vacate(n)
		q.heapRemove(n)
		return
	}
	if !s.giving {
		q.sortSlot(s)
	}
	for s.rest[s.next].n == nil {
		s.next++
	}
	if s.next%atOnce == 0 {
		q.look(s.rest[s.next:min(int(s.next)+atOnce, len(s.rest))])
	}
	next := s.rest[s.next].n
	s.key = s.rest[s.next].key
	s.rest[s.next].n = nil
	s.next++
	q.wheels[n.level].live--
	if s.live--; s.live == 0 {
		q.strip(s)
	}
	s.first, next.where = next, inFront
	i := int(n.index)
	down(q.heaps[n.level], i, entry[T]{next.start, next})
	if i == root {
		q.heapTop(n.level)
	}
}

// Timed reports whether n is the first of a series of delayed nodes: see [Queue.Ahead].
func (n *Node[T]) Timed() bool { return n.where == inFront }

// Ahead copies to dst the nodes that come next after n, as far as they are known, and returns their number. n is queued
// and Timed. Delayed nodes come in an order that no cache predicts. So Ahead hints at what is worth fetching, many
// lines at a time. Ahead answers every eighth time, so dst had better have 8 places or more.
func (q *Queue[T]) Ahead(n *Node[T], dst []*Node[T]) int {
	s := q.slotOf(n)
	if s.live == 0 || s.next%8 != 0 {
		return 0
	}
	if !s.giving {
		q.sortSlot(s) // n is about to leave, which would sort it anyway
	}
	i := 0
	for _, p := range s.rest[s.next:] {
		if i == len(dst) {
			break
		}
		if p.n != nil {
			dst[i] = p.n
			i++
		}
	}
	return i
}

// slotDue counts the due nodes in the slot whose first node is n, without n. It subtracts its visits from limit.
func (q *Queue[T]) slotDue(n *Node[T], now deadline.Instant, limit *int) int {
	due := 0
	for _, p := range q.slotOf(n).rest {
		if *limit <= 0 {
			break
		}
		*limit--
		if p.n != nil && p.n.start <= now {
			due++
		}
	}
	return due
}
