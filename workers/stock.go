package workers

import "sync/atomic"

// A stock is a free list: it lends each goroutine a thing of its own, such as a ticket of a Job, and takes the thing
// back. It has as many things as there have ever been users at a time.
//
//	V2  The list only grows: a thing's successor is set before it is in the list, and never changes.
//	V3  A thing belongs to whoever swapped its mark from free to taken, or added it, marked as taken before it was in
//	    the list, until the same one stores free.
//
// So two never have the same thing, what one has written to it is visible to the next one who has it, and nobody waits
// (model_stock_test.go). Rejected: a stack of free things, which is shorter to walk and needs protection from one that
// comes back between a look and a swap.
type stock[T any] struct {
	first atomic.Pointer[lent[T]]
}

// A lent is a thing of a stock.
type lent[T any] struct {
	taken atomic.Bool
	next  *lent[T] // V2
	it    T
}

// free returns a thing that is the caller's until giveBack, or nil if there is none that nobody has.
func (s *stock[T]) free() *lent[T] {
	for l := s.first.Load(); l != nil; l = l.next {
		if !l.taken.Load() && l.taken.CompareAndSwap(false, true) {
			return l
		}
	}
	return nil
}

// add adds a new thing, which is the caller's until giveBack, and returns it.
func (s *stock[T]) add(l *lent[T]) *lent[T] {
	l.taken.Store(true)
	for {
		l.next = s.first.Load()
		if s.first.CompareAndSwap(l.next, l) {
			return l
		}
	}
}

func (l *lent[T]) giveBack() { l.taken.Store(false) }
