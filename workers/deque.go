package workers

import "sync/atomic"

// An item is what queues hold: a caller-owned Job, or a bare function. Two words by value, so that Go neither
// needs a node nor allocates; and one of them is a type, which the garbage collector neither reads nor is told of when
// it is written (a field for each costs it twice as much). The zero item is none.
type item struct{ v any }

func jobItem(j *Job) item    { return item{j} }
func funcItem(f func()) item { return item{f} }

// job returns nil if it is a function.
func (it item) job() *Job {
	j, _ := it.v.(*Job)
	return j
}

func (it item) fn() func() {
	f, _ := it.v.(func())
	return f
}

// dequeMin is the length of a deque's first array: 1 KiB.
const dequeMin = 64

// A deque is one worker's queue of one lane, split in two: the owner pushes and pops at the private end
// without any atomic read-modify-write, and thieves take from the shared end. See "The deque" in the package
// comment for the invariants D1 to D5 and the proof.
//
//	slots:   . . . s s s s s s p p p p . . .
//	               ^head       ^split  ^top        (thieves: head up; owner: split up and down, top up and
//	               down)
type deque[T any] struct {
	// The owner's, and nobody else's.
	top   uint64 // the next index to push
	split uint64 // the owner's copy of public: [split, top) is private
	limit uint64 // top must not pass it: every index below limit-len(slots) has been read by whoever took it
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

// push adds an item to the private end. Owner only; about 1.5 ns.
func (d *deque[T]) push(it T) {
	if d.top == d.limit {
		d.makeRoom()
	}
	d.put(it)
}

// put is push where there is room. Owner only.
func (d *deque[T]) put(it T) {
	d.slots[d.top&d.mask] = it
	d.top++
}

// roomFor makes room for n items. Owner only.
func (d *deque[T]) roomFor(n uint64) {
	for d.limit-d.top < n {
		d.makeRoom()
	}
}

// makeRoom raises limit: for nothing if every taken slot has been read, by a bigger array otherwise. It never
// waits: a thief that was descheduled between its take and its read costs memory, not time.
func (d *deque[T]) makeRoom() {
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
	// limit-n and not head: a thief that took an index below head, but has not read it yet, may load the new
	// array.
	from := d.limit - n
	for i := from; i < d.top; i++ {
		grown[i&(m-1)] = d.slots[i&(n-1)]
	}
	d.slots, d.mask = grown, m-1
	d.clean = from
	d.limit = from + m
	d.array.Store(&grown)
}

// forget clears the slots of taken indexes below head, all of which have been read, so that they keep nothing
// alive. Thieves cannot do this: the owner may have reused the slot by then.
func (d *deque[T]) forget(head uint64) {
	for ; d.clean < head; d.clean++ {
		var none T
		d.slots[d.clean&d.mask] = none
	}
}

// tidy is forget when a worker is about to sleep.
func (d *deque[T]) tidy() {
	taken := d.taken.Load()
	if head := d.head.Load(); taken == head && head <= d.top {
		d.forget(head)
	}
}

// newest returns the newest shared item without taking it, and whether there is any. Nothing is private. Owner only.
func (d *deque[T]) newest() (it T, ok bool) {
	if d.top == 0 || d.bare() {
		return it, false
	}
	return d.slots[(d.top-1)&d.mask], true
}

// wipe forgets what pops by hand (see Worker.Unfork) have left in the slots of an empty deque. Owner only.
func (d *deque[T]) wipe() {
	taken := d.taken.Load()
	if head := d.head.Load(); taken == head && head == d.top { // nothing to claim, and every claim read (D4)
		clear(d.slots)
		d.clean = head
	}
}

// publish shares every private item. Owner only; one atomic store.
func (d *deque[T]) publish() {
	if d.split != d.top {
		d.split = d.top
		d.public.Store(d.top)
	}
}

// publishHalf shares the older half of the private items, at least one. Owner only.
func (d *deque[T]) publishHalf() {
	if n := d.top - d.split; n > 0 {
		d.split += (n + 1) / 2
		d.public.Store(d.split)
	}
}

// bare reports whether there is nothing left in it, private or shared. Owner only. (top alone says only whether there
// ever was: what is stolen does not lower it.)
func (d *deque[T]) bare() bool { return d.head.Load() == d.top }

// starved reports whether the shared end is empty.
func (d *deque[T]) starved() bool { return d.head.Load() >= d.split }

// pop removes the newest item. Owner only; about 1.5 ns while there are private items.
func (d *deque[T]) pop() (it T, ok bool) {
	if d.top == d.split {
		if private, last := d.reclaim(&it, d.top); !private {
			return it, last
		}
	}
	return d.popPrivate(), true
}

// popOne is pop that leaves all others shared: whatever becomes of the item's owner, they can be taken. An atomic store
// more than a pop of a private item.
func (d *deque[T]) popOne() (it T, ok bool) {
	if d.top == d.split {
		if private, last := d.reclaim(&it, 1); !private {
			return it, last
		}
	}
	return d.popPrivate(), true
}

// shift removes the oldest shared item, as a thief does. Owner only.
func (d *deque[T]) shift() (it T, ok bool) {
	for retry := true; retry && !ok; {
		it, ok, retry = d.steal()
	}
	return it, ok
}

func (d *deque[T]) popPrivate() (it T) {
	d.top--
	slot := &d.slots[d.top&d.mask]
	it = *slot
	var none T
	*slot = none
	return it
}

// reclaim makes the newer half of the shared items private again, but no more than most, or takes the last one into
// it, or finds none. The private end is empty.
func (d *deque[T]) reclaim(it *T, most uint64) (private, last bool) {
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

// steal takes the oldest shared item. Any goroutine. If it lost a race, which means that another one won,
// retry is true: the deque may hold more.
func (d *deque[T]) steal() (it T, ok, retry bool) {
	head := d.head.Load()
	if head >= d.public.Load() {
		return it, false, false
	}
	if !d.head.CompareAndSwap(head, head+1) {
		return it, false, true
	}
	// D4: the slot is read after the claim, which is what keeps the owner, who reuses no slot before taken
	// says that its taker has read it, from ever writing a slot that is being read.
	slots := *d.array.Load()
	it = slots[head&uint64(len(slots)-1)]
	d.taken.Add(1)
	return it, true, false
}

// shared returns how many items thieves can see. Any goroutine; a guess as soon as it is known.
func (d *deque[T]) shared() int {
	head := d.head.Load()
	if n := int64(d.public.Load() - head); n > 0 {
		return int(n)
	}
	return 0
}
