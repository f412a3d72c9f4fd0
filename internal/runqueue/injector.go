package runqueue

import "github.com/frameslice/frameslice/internal/atomic"

const (
	ringMin   = 256     // items of an injector's first ring
	ringMax   = 1 << 13 // and of its biggest
	sparesMax = 32      // rings kept for use again: with items of two words 6 MiB
)

// An Injector is a queue for any number of producers and consumers, first in first out. Call Init before the first use.
// R1 to R6 are in doc.go.
//
// It is a list of bounded rings. If a ring is full its tail is closed and a bigger one is linked. Consumers continue
// when a closed ring is drained. The last ring stays, and so do some big rings, to be linked again. So an injector that
// has reached its size allocates 0.3 KiB for every 8192 items, up to a backlog of 260,000. The garbage collector gets
// the other rings of a longer backlog, and now and then a ring that one consumer still read when another continued.
type Injector[T any] struct {
	in, out atomic.Pointer[ring[T]]
	spare   atomic.Pointer[ring[T]] // a stack of rings to link: see keep
	_       [40]byte
}

// Init makes q ready for use, unless it is. Not for several goroutines at once.
func (q *Injector[T]) Init() {
	if q.out.Load() != nil {
		return
	}
	r := newRing[T](ringMin)
	q.in.Store(r)
	q.out.Store(r)
}

// Push adds an item. Any goroutine; about 15 ns if no other goroutine pushes.
func (q *Injector[T]) Push(it T) {
	r := q.in.Load()
	if r.push(it) {
		return
	}
	q.pushSlow(r, it)
}

func (q *Injector[T]) pushSlow(r *ring[T], it T) {
	for {
		next := r.next.Load()
		if next == nil {
			next = q.fresh(min(2*len(r.slots), ringMax))
			if !r.next.CompareAndSwap(nil, next) {
				if len(next.slots) == ringMax {
					q.keep(next.reuseSlots(next.first))
				}
				next = r.next.Load()
			}
		}
		q.in.CompareAndSwap(r, next)
		r = q.in.Load()
		if r.push(it) {
			return
		}
	}
}

// Pop removes the oldest item. Any goroutine. It finds nothing while the producer of the oldest item has claimed a slot
// but not filled it. That producer wakes a worker after that.
func (q *Injector[T]) Pop() (it T, ok bool) {
	for {
		r := q.out.Load()
		if it, ok = r.pop(); ok {
			return it, true
		}
		tail := r.tail.Load()
		if tail&closed == 0 || r.head.Load() != tail&^closed {
			return it, false
		}
		next := r.next.Load()
		if next == nil {
			return it, false
		}
		if q.out.CompareAndSwap(r, next) {
			q.recycle(r, tail&^closed)
		}
	}
}

// PopMany removes the oldest items: at most most, and only half of those that it sees unless all is true. It returns
// the first, and adds the others to b as private items: the caller publishes b. For the owner of b, which must be empty
// and settled.
func (q *Injector[T]) PopMany(b *Batch[T], most int, all bool) (it T, ok bool) {
	if it, ok = q.out.Load().popMany(&b.Deque, most, all); ok {
		return it, true
	}
	return q.Pop()
}

// Size returns how many items wait, roughly. Any goroutine; a few loads.
func (q *Injector[T]) Size() int {
	n := 0
	for r := q.out.Load(); r != nil; r = r.next.Load() {
		head := r.head.Load()
		if d := int64(r.tail.Load()&^closed - head); d > 0 {
			n += int(d)
		}
	}
	return n
}

// Empty reports whether Size is zero, for one load or two less.
func (q *Injector[T]) Empty() bool {
	r := q.out.Load()
	head := r.head.Load()
	return r.tail.Load() == head
}

// Filled reports whether a Pop would find an item: the slot of the oldest one is filled. Any goroutine; a few loads.
func (q *Injector[T]) Filled() bool {
	for r := q.out.Load(); r != nil; r = r.next.Load() {
		at := r.head.Load()
		if r.slots[at&uint64(len(r.slots)-1)].turn.Load() == at>>r.shift+1 {
			return true
		}
		if r.tail.Load() != at|closed {
			return false
		}
	}
	return false
}

// recycle keeps the slots of a ring that q has moved on from, if all of it has been read (R6).
func (q *Injector[T]) recycle(r *ring[T], end uint64) {
	if len(r.slots) == ringMax && r.taken.Load() == end {
		q.keep(r.reuseSlots((end>>r.shift + 1) << r.shift))
	}
}

// keep puts a ring that nobody knows onto the stack of spares. A ring that has left the stack never comes back, only
// another ring with its slots. So if the swap of the top succeeds, the stack was the same all the time.
func (q *Injector[T]) keep(r *ring[T]) {
	for {
		top := q.spare.Load()
		r.below, r.depth = top, 0
		if top != nil {
			r.depth = top.depth + 1
		}
		if r.depth >= sparesMax || q.spare.CompareAndSwap(top, r) {
			return
		}
	}
}

// fresh returns a ring to link, of n slots.
func (q *Injector[T]) fresh(n int) *ring[T] {
	for n == ringMax {
		top := q.spare.Load()
		if top == nil {
			break
		}
		if q.spare.CompareAndSwap(top, top.below) {
			return top
		}
	}
	return newRing[T](n)
}

// Trim lets go of the rings that are kept for use again. Any goroutine.
func (q *Injector[T]) Trim() { q.spare.Store(nil) }
