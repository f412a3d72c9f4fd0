package workers

import (
	"math/bits"
	"sync/atomic"
)

const (
	ringMin   = 256     // items of an injector's first ring: 6 KiB
	ringMax   = 1 << 13 // and of its biggest: 192 KiB
	sparesMax = 32      // rings kept for use again: 6 MiB
	closed    = 1 << 63 // the bit of ring.tail that ends a ring's intake
)

// An injector is a lane's queue for whoever is not a worker: any number of producers and consumers,
// lock-free, first in first out. It is a list of bounded rings: when a ring is full its tail is closed and a
// bigger one is linked, and consumers move on when a closed ring is drained. The last ring stays, and so do some of
// the big ones that were left behind, to be linked again: so a queue that has reached its size allocates no more than
// 0.3 KiB for every 8192 items, up to a backlog of 260,000. The rest is the garbage collector's; now and then (one ring
// in 26, with a thousand bursts on two processors) also a ring that somebody still read from when another moved on.
// See "The injector" in doc.go.
type injector struct {
	in, out atomic.Pointer[ring]
	spare   atomic.Pointer[ring] // a stack of rings to link: see keep
	_       [40]byte
}

// A ring is a bounded queue in the manner of Vyukov's, with a closing bit. Index i is at slot i mod len, in lap
// i / len. A slot's turn is 1 + the lap of the item that was last written to it (R1), so the zero slot is right and
// a big ring costs nothing until it is used. Unlike in his, slots are not given back one by one, but counted in
// taken: so who takes several writes one word for all of them (R3, R4).
type ring struct {
	slots []slot
	shift uint   // len is 1<<shift
	first uint64 // its first index: of a lap that its slots have not seen
	next  atomic.Pointer[ring]
	below *ring // in the stack of spares; never changed once it was there
	depth int   // how many were below it
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

// again returns a ring with the slots of r, which nobody uses any more, from the index first on (R6).
func (r *ring) again(first uint64) *ring {
	n := &ring{slots: r.slots, shift: r.shift, first: first}
	n.tail.Store(first)
	n.head.Store(first)
	n.taken.Store(first)
	return n
}

// recycle keeps the slots of a ring that q has moved on from, if all of it has been read (R6).
func (q *injector) recycle(r *ring, end uint64) {
	if len(r.slots) == ringMax && r.taken.Load() == end {
		q.keep(r.again((end>>r.shift + 1) << r.shift))
	}
}

// keep puts a ring that nobody knows onto the stack of spares. One that has left the stack never comes back, only
// another with its slots does: so a swap of the top that succeeds finds what was loaded.
func (q *injector) keep(r *ring) {
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
func (q *injector) fresh(n int) *ring {
	for n == ringMax {
		top := q.spare.Load()
		if top == nil {
			break
		}
		if q.spare.CompareAndSwap(top, top.below) {
			return top
		}
	}
	return newRing(n)
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
			next = q.fresh(min(2*len(r.slots), ringMax))
			if !r.next.CompareAndSwap(nil, next) {
				if len(next.slots) == ringMax {
					q.keep(next.again(next.first))
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
		for range afterClash {
		}
	}
}

// afterClash is how many turns of an empty loop, some 0.3 µs, a producer pauses when another was faster: meanwhile that
// one pushes ten or twenty items on end, and has the lines of tail and slots to itself. Four goroutines that push a
// million items, in turns with and without, medians of forty in three runs: 41, 61 and 44 ns instead of 42, 59 and 47,
// upper quartiles 51, 85 and 49 instead of 57, 80 and 73.
const afterClash = 1000

// roomTries is how often roomy looks while consumers are reading, which takes them some 100 ns.
const roomTries = 64

// roomy reports whether the n slots from index at on, a quarter of the ring, are free (R4).
func (r *ring) roomy(at, n uint64) bool {
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
		if q.out.CompareAndSwap(r, next) {
			q.recycle(r, tail&^closed)
		}
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
		case turn < filled || r.head.Load() == at: // not filled, or the slots are another ring's by now (R6)
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
	s := &r.slots[at&mask]
	it, s.it = s.it, item{}
	d.roomFor(n - 1)
	for i := range n - 1 {
		s := &r.slots[(at+1+i)&mask]
		d.put(s.it)
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
