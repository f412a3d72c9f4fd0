package runqueue

import (
	"math/bits"

	"github.com/frameslice/frameslice/internal/atomic"
)

const (
	closed = 1 << 63 // the bit of ring.tail that ends a ring's intake

	// afterClash is how many turns of an empty loop, about 0.3 µs, a producer pauses when another was faster. Meanwhile
	// the other one pushes ten or twenty items, and has the cache lines of tail and slots to itself.
	afterClash = 1000

	// roomTries is how often roomy looks while consumers are reading, which takes them about 100 ns.
	roomTries = 64
)

// A ring is a bounded queue in the manner of Vyukov's, with a closing bit. Index i is at slot i mod len, in lap i /
// len. A slot's turn is 1 + the lap of the item that was last written to it (R1), so the zero slot is right. A big
// ring costs nothing until it is used. Slots are not given back one by one, but counted in taken. So a consumer of
// several items writes one word for all of them (R3, R4).
type ring[T any] struct {
	slots []slot[T]
	shift uint   // len is 1<<shift
	first uint64 // its first index: of a lap that its slots have not seen
	next  atomic.Pointer[ring[T]]
	below *ring[T] // in the stack of spares; never changed once it was there
	depth int      // how many were below it
	_     [64]byte
	tail  atomic.Uint64
	_     [64]byte
	head  atomic.Uint64
	taken atomic.Uint64 // how many of the claimed items have been read
	_     [48]byte
}

type slot[T any] struct {
	turn atomic.Uint64
	it   T
}

// newRing returns a ring of n slots, a power of two.
func newRing[T any](n int) *ring[T] {
	return &ring[T]{slots: make([]slot[T], n), shift: uint(bits.TrailingZeros(uint(n)))}
}

// reuseSlots returns a ring with the slots of r, which nobody uses any more, from the index first on (R6).
func (r *ring[T]) reuseSlots(first uint64) *ring[T] {
	n := &ring[T]{slots: r.slots, shift: r.shift, first: first}
	n.tail.Store(first)
	n.head.Store(first)
	n.taken.Store(first)
	return n
}

// push reports false if the ring is closed, or full, which closes it.
func (r *ring[T]) push(it T) bool {
	mask := uint64(len(r.slots) - 1)
	for {
		at := r.tail.Load()
		if at&closed != 0 {
			return false
		}
		if at&(mask>>2) == 0 && !r.roomy(at, mask>>2+1) {
			// Full, or a consumer is still reading: either way, waiting for it could mean waiting for a
			// descheduled thread.
			if r.tail.CompareAndSwap(at, at|closed) {
				return false
			}
			continue
		}
		if r.tail.CompareAndSwap(at, at+1) {
			s := &r.slots[at&mask]
			s.it = it
			s.turn.Store(at>>r.shift + 1) // R2: visible from here on
			return true
		}
		for range afterClash {
		}
	}
}

// roomy reports whether the n slots from index at on, a quarter of the ring, are free (R4).
func (r *ring[T]) roomy(at, n uint64) bool {
	size := uint64(len(r.slots))
	if at < r.first+size {
		return true // the first lap
	}
	for range roomTries {
		taken := r.taken.Load() // before head: if they are equal, all that is below head had been read
		head := r.head.Load()
		if head+size < at+n {
			return false
		}
		if taken == head {
			return true
		}
	}
	return false
}

func (r *ring[T]) pop() (it T, ok bool) {
	mask := uint64(len(r.slots) - 1)
	for {
		at := r.head.Load()
		s := &r.slots[at&mask]
		filled := at>>r.shift + 1
		switch turn := s.turn.Load(); {
		case turn == filled:
			if r.head.CompareAndSwap(at, at+1) {
				it = s.take()
				r.taken.Add(1) // R3: after it has been read
				return it, true
			}
		case turn < filled || r.head.Load() == at: // not filled, or the slots are another ring's by now (R6)
			return it, false
		}
	}
}

func (r *ring[T]) popMany(d *Deque[T], most int, all bool) (it T, ok bool) {
	mask := uint64(len(r.slots) - 1)
	at := r.head.Load()
	n := uint64(0)
	for n < uint64(most) && r.slots[(at+n)&mask].turn.Load() == (at+n)>>r.shift+1 {
		n++
	}
	if !all {
		n = (n + 1) / 2
	}
	if n == 0 || !r.head.CompareAndSwap(at, at+n) {
		return it, false
	}
	it = r.slots[at&mask].take()
	d.roomFor(n - 1)
	for i := range n - 1 {
		d.TryPush(r.slots[(at+1+i)&mask].take())
	}
	r.taken.Add(n) // R3
	return it, true
}

// take reads and clears a slot that the caller has claimed.
func (s *slot[T]) take() (it T) {
	it = s.it
	var none T
	s.it = none
	return it
}
