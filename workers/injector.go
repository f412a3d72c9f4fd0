package workers

import (
	"math/bits"
	"sync/atomic"
)

const (
	ringMin = 256     // items of an injector's first ring: 6 KiB
	ringMax = 1 << 16 // and of its biggest: 1.5 MiB
	closed  = 1 << 63 // the bit of ring.tail that ends a ring's intake
)

// An injector is a lane's queue for whoever is not a worker: any number of producers and consumers,
// lock-free, first in first out. It is a list of bounded rings: when a ring is full its tail is closed and a
// bigger one is linked, and consumers move on when a closed ring is drained. The last ring stays, so a queue
// that has reached its size never allocates again; a ring that was left behind is the garbage collector's.
// See "The injector" in the package comment.
type injector struct {
	in, out atomic.Pointer[ring]
	_       [48]byte
}

// A ring is a bounded queue in the manner of Vyukov's, with a closing bit. Index i is at slot i mod len, in lap
// i / len. A slot's turn is 1 + the lap of the item that was last written to it (R1), so the zero slot is right and
// a big ring costs nothing until it is used. Unlike in his, slots are not given back one by one, but counted in
// taken: so who takes several writes one word for all of them (R3, R4).
type ring struct {
	slots []slot
	shift uint // len is 1<<shift
	next  atomic.Pointer[ring]
	_     [64]byte
	tail  atomic.Uint64
	_     [64]byte
	head  atomic.Uint64
	taken atomic.Uint64 // how many of the claimed items have been read
	_     [48]byte
}

type slot struct {
	turn atomic.Uint64
	it   item
}

// newRing returns a ring of n slots, a power of two.
func newRing(n int) *ring {
	return &ring{slots: make([]slot, n), shift: uint(bits.TrailingZeros(uint(n)))}
}

func (q *injector) init() {
	r := newRing(ringMin)
	q.in.Store(r)
	q.out.Store(r)
}

// push adds an item. Any goroutine; about 15 ns when nobody else does.
func (q *injector) push(it item) {
	r := q.in.Load()
	if r.push(it) {
		return
	}
	q.pushSlow(r, it)
}

func (q *injector) pushSlow(r *ring, it item) {
	for {
		next := r.next.Load()
		if next == nil {
			next = newRing(min(2*len(r.slots), ringMax))
			if !r.next.CompareAndSwap(nil, next) {
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

func (r *ring) push(it item) bool {
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
	}
}

// roomTries is how often roomy looks while consumers are reading, which takes them some 100 ns.
const roomTries = 64

// roomy reports whether the n slots from index at on, a quarter of the ring, are free (R4).
func (r *ring) roomy(at, n uint64) bool {
	size := uint64(len(r.slots))
	if at < size {
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

// pop removes the oldest item. Any goroutine. It finds nothing while the oldest item's producer has claimed
// its slot but not filled it; that producer will look for a sleeping worker after it has.
func (q *injector) pop() (it item, ok bool) {
	for {
		r := q.out.Load()
		if it, ok = r.pop(); ok {
			return it, true
		}
		tail := r.tail.Load()
		if tail&closed == 0 || r.head.Load() != tail&^closed {
			return item{}, false
		}
		next := r.next.Load()
		if next == nil {
			return item{}, false
		}
		q.out.CompareAndSwap(r, next)
	}
}

func (r *ring) pop() (it item, ok bool) {
	mask := uint64(len(r.slots) - 1)
	for {
		at := r.head.Load()
		s := &r.slots[at&mask]
		filled := at>>r.shift + 1
		switch turn := s.turn.Load(); {
		case turn == filled:
			if r.head.CompareAndSwap(at, at+1) {
				it = s.it
				s.it = item{}
				r.taken.Add(1) // R3: after it has been read
				return it, true
			}
		case turn < filled:
			return item{}, false
		}
	}
}

// popMany removes the oldest items, at most as many as it says, and half of what it sees unless all is true. It
// returns the first, and pushes the others to d, which is the caller's. Any goroutine.
func (q *injector) popMany(d *deque[item], most int, all bool) (it item, ok bool) {
	if it, ok = q.out.Load().popMany(d, most, all); ok {
		return it, true
	}
	return q.pop()
}

func (r *ring) popMany(d *deque[item], most int, all bool) (it item, ok bool) {
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
		return item{}, false
	}
	for i := range n {
		s := &r.slots[(at+i)&mask]
		if i == 0 {
			it = s.it
		} else {
			d.push(s.it)
		}
		s.it = item{}
	}
	r.taken.Add(n) // R3
	return it, true
}

// size returns how many items wait, roughly. Any goroutine; a few loads.
func (q *injector) size() int {
	n := 0
	for r := q.out.Load(); r != nil; r = r.next.Load() {
		head := r.head.Load()
		if d := int64(r.tail.Load()&^closed - head); d > 0 {
			n += int(d)
		}
	}
	return n
}

// empty reports whether size is zero, for one load or two less.
func (q *injector) empty() bool {
	r := q.out.Load()
	head := r.head.Load()
	return r.tail.Load() == head
}
