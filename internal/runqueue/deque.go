package runqueue

import "github.com/frameslice/frameslice/internal/atomic"

// dequeMin is the length of a deque's first array.
const dequeMin = 64

// A Deque is one worker's queue, split in two. The owner pushes and pops at the private end without any atomic
// read-modify-write. Thieves take from the shared end. The zero Deque is empty. D1 to D5 are in doc.go.
//
//	slots:   . . . s s s s s s p p p p . . .
//	               ^head       ^split  ^top        (thieves: head up; owner: split up and down, top up and down)
//
// Methods are for the owner only, except Steal and Shared.
type Deque[T any] struct {
	// The owner's, and nobody else's.
	top   uint64 // the next index to push
	split uint64 // the owner's copy of public: [split, top) is private
	limit uint64 // top must not pass it: every index below limit-len(slots) has been read by its taker
	clean uint64 // slots of indexes below it hold no stale references
	slots []T    // the newest array; index i lives at i & mask
	mask  uint64 // len-1, which push and pop have no time to compute

	_ [64]byte
	// Thieves': head grows by one with every item taken from the shared end, by a thief or by the owner.
	head  atomic.Uint64
	taken atomic.Uint64 // how many of these takers have finished reading their slot
	_     [64]byte
	// The owner writes, thieves read.
	public atomic.Uint64 // [head, public) is shared
	array  atomic.Pointer[[]T]
	_      [64]byte
}

// Push adds an item to the private end. About 1.5 ns.
func (d *Deque[T]) Push(it T) {
	if !d.TryPush(it) {
		d.makeRoom()
		d.TryPush(it)
	}
}

// TryPush is Push, but reports false if there is no room without a look at the thieves. It is inlined.
func (d *Deque[T]) TryPush(it T) bool {
	if d.top == d.limit {
		return false
	}
	d.slots[d.top&d.mask] = it
	d.top++
	return true
}

// roomFor makes room for n items.
func (d *Deque[T]) roomFor(n uint64) {
	for d.limit-d.top < n {
		d.makeRoom()
	}
}

// makeRoom raises limit. That costs nothing if every taken slot has been read, and a bigger array otherwise. It never
// waits: a thief that was descheduled between its take and its read costs memory, not time.
func (d *Deque[T]) makeRoom() {
	n := uint64(len(d.slots))
	// taken first, head second: equal means that every claim below head was read (D4).
	taken := d.taken.Load()
	head := d.head.Load()
	if n > 0 && taken == head && d.top < head+n {
		d.forget(head)
		d.limit = head + n
		return
	}
	grown := make([]T, max(2*n, dequeMin))
	m := uint64(len(grown))
	from := d.limit - n // and not head: D5
	for i := from; i < d.top; i++ {
		grown[i&(m-1)] = d.slots[i&(n-1)]
	}
	d.slots, d.mask = grown, m-1
	d.clean = from
	d.limit = from + m
	d.array.Store(&grown)
}

// forget clears the slots of taken indexes below head, all of which have been read, so that they keep nothing alive.
// Thieves cannot do this: the owner may have used the slot again by then.
func (d *Deque[T]) forget(head uint64) {
	for ; d.clean < head; d.clean++ {
		var none T
		d.slots[d.clean&d.mask] = none
	}
}

// Tidy drops references to items that have been taken. Call it now and then, as before a sleep.
func (d *Deque[T]) Tidy() {
	taken := d.taken.Load()
	if head := d.head.Load(); taken == head && head <= d.top {
		d.forget(head)
	}
}

// Wipe is Tidy for an empty deque from which Drop has taken items.
func (d *Deque[T]) Wipe() {
	taken := d.taken.Load()
	if head := d.head.Load(); taken == head && head == d.top { // nothing to claim, and every claim read (D4)
		clear(d.slots)
		d.clean = head
	}
}

// Publish shares every private item. One atomic store.
func (d *Deque[T]) Publish() {
	if d.split != d.top {
		d.split = d.top
		d.public.Store(d.top)
	}
}

// PublishHalf shares the older half of the private items, at least one.
func (d *Deque[T]) PublishHalf() {
	if n := d.top - d.split; n > 0 {
		d.split += (n + 1) / 2
		d.public.Store(d.split)
	}
}

// Used reports whether there may be items. It is one plain load: after a steal it may be true of an empty deque.
func (d *Deque[T]) Used() bool { return d.top != 0 }

// Empty reports whether there are no items, private or shared.
func (d *Deque[T]) Empty() bool { return d.head.Load() == d.top }

// AllShared reports whether there are no private items.
func (d *Deque[T]) AllShared() bool { return d.top == d.split }

// AllTaken reports whether there are no shared items.
func (d *Deque[T]) AllTaken() bool { return d.head.Load() >= d.split }

// Newest returns the newest item without taking it, and whether there is any. Nothing may be private.
func (d *Deque[T]) Newest() (it T, ok bool) {
	if d.top == 0 || d.Empty() {
		return it, false
	}
	return d.slots[(d.top-1)&d.mask], true
}

// Private returns the newest private item without taking it, and whether there is any. It is inlined.
func (d *Deque[T]) Private() (it T, ok bool) {
	if d.top == d.split {
		return it, false
	}
	return d.slots[(d.top-1)&d.mask], true
}

// Drop takes the item that Private has returned. The slot keeps a reference until it is used again, or Wipe.
func (d *Deque[T]) Drop() { d.top-- }

// Pop takes the newest item. About 1.5 ns while there are private items. If there are none, it makes the newer half of
// the shared items private again.
func (d *Deque[T]) Pop() (it T, ok bool) {
	if d.top == d.split {
		if private, last := d.reclaim(&it, d.top); !private {
			return it, last
		}
	}
	return d.popPrivate(), true
}

// PopOne is Pop, but leaves all other items shared. It costs an atomic store more than the pop of a private item.
func (d *Deque[T]) PopOne() (it T, ok bool) {
	if d.top == d.split {
		if private, last := d.reclaim(&it, 1); !private {
			return it, last
		}
	}
	return d.popPrivate(), true
}

// Shift takes the oldest shared item, as a thief does.
func (d *Deque[T]) Shift() (it T, ok bool) {
	for retry := true; retry && !ok; {
		it, ok, retry = d.Steal()
	}
	return it, ok
}

func (d *Deque[T]) popPrivate() (it T) {
	d.top--
	slot := &d.slots[d.top&d.mask]
	it = *slot
	var none T
	*slot = none
	return it
}

// reclaim makes the newer half of the shared items private again, but no more than most. If there is only one, reclaim
// takes it into *it. The private end must be empty.
func (d *Deque[T]) reclaim(it *T, most uint64) (private, last bool) {
	for {
		head := d.head.Load()
		n := d.split - head
		switch n {
		case 0:
			return false, false
		case 1:
			// The last one is contended for: take it as a thief would.
			if !d.head.CompareAndSwap(head, head+1) {
				return false, false
			}
			*it = d.slots[head&d.mask]
			d.taken.Add(1)
			return false, true
		}
		split := d.split - min(n/2, most)
		d.public.Store(split)
		if d.head.Load() < split { // D3: strictly less
			d.split = split
			return true, false
		}
		d.public.Store(d.split)
	}
}

// Steal takes the oldest shared item. Any goroutine may call it. If another goroutine was faster, retry is true: the
// deque may hold more.
func (d *Deque[T]) Steal() (it T, ok, retry bool) {
	head := d.head.Load()
	if head >= d.public.Load() {
		return it, false, false
	}
	if !d.head.CompareAndSwap(head, head+1) {
		return it, false, true
	}
	slots := *d.array.Load() // after the claim: D4
	it = slots[head&uint64(len(slots)-1)]
	d.taken.Add(1)
	return it, true, false
}

// Shared returns how many items thieves can see, roughly. Any goroutine may call it.
func (d *Deque[T]) Shared() int {
	head := d.head.Load()
	if n := int64(d.public.Load() - head); n > 0 {
		return int(n)
	}
	return 0
}
