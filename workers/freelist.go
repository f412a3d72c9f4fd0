package workers

import "sync/atomic"

// A freelist lends each goroutine a thing of its own, such as a ticket of a Job, and takes the thing back. It has as
// many things as there have ever been users at a time.
//
//	V2  The list only grows: a thing's successor is set before the thing is in the list, and never changes.
//	V3  A thing belongs to the goroutine that swapped its mark from free to taken, or that added it, marked as taken
//	    before it was in the list, until the same goroutine stores free.
//
// So two never have the same thing, the next user sees what one has written to it, and nobody waits
// (model_freelist_test.go). Rejected: a stack of free things. It is shorter to walk, and needs protection from a thing
// that comes back between a look and a swap.
type freelist[T any] struct {
	first atomic.Pointer[lent[T]]
}

// A lent is a thing of a freelist.
type lent[T any] struct {
	taken atomic.Bool
	next  *lent[T] // V2
	it    T
}

// free returns a thing that is the caller's until giveBack, or nil if there is none that nobody has.
func (s *freelist[T]) free() *lent[T] {
	for l := s.first.Load(); l != nil; l = l.next {
		if !l.taken.Load() && l.taken.CompareAndSwap(false, true) {
			return l
		}
	}
	return nil
}

// add adds a new thing, which is the caller's until giveBack, and returns it.
func (s *freelist[T]) add(l *lent[T]) *lent[T] {
	l.taken.Store(true)
	for {
		l.next = s.first.Load()
		if s.first.CompareAndSwap(l.next, l) {
			return l
		}
	}
}

func (l *lent[T]) giveBack() { l.taken.Store(false) }
