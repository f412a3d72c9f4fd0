package runqueue

// A Batch is a deque of which nothing is private, and whose owner takes the oldest item: see M2 and M3 in doc.go. The
// zero Batch is empty.
type Batch[T any] struct {
	Deque[T]
	unsettled uint64 // items that the owner has taken and read, but not counted in taken
}

// Next takes the oldest item. Owner only.
func (b *Batch[T]) Next() (it T, ok bool) {
	for {
		head := b.head.Load()
		if head == b.split {
			return it, false
		}
		if b.head.CompareAndSwap(head, head+1) {
			b.unsettled++ // taken is for the owner, which settles before it writes slots
			return b.slots[head&b.mask], true
		}
	}
}

// Settle counts what the owner has read. It comes before the owner pushes, or sleeps.
func (b *Batch[T]) Settle() {
	if b.unsettled != 0 {
		b.taken.Add(b.unsettled)
		b.unsettled = 0
	}
}
