package workers

import (
	"iter"
	"sync/atomic"
)

// A Local is scratch memory, or an accumulator, for each worker of a pool, and for each other goroutine that runs
// jobs at the same time: a value that nobody else touches while a job has it, so it needs neither locks nor
// atomics. Values are made when they are first asked for, each on cache lines of its own, and live as long as the
// Local. It is created with NewLocal and must not be copied.
//
// Whose a value is depends on the Worker, and not on the thread. A job that gets one has it until it returns, also
// while it waits: what its worker runs meanwhile, in Wait or Yield, has another Worker, and gets another
// value. A fork is part of its job: one that runs within Join has the Worker of the joining job, and its value.
//
//	V1  A worker's value is in a slot of that worker, which is read and written by whoever is that worker, one job
//	    at a time, and by All.
//	V2  All other values are in a list that only grows: a value's successor is set before it is in the list, and
//	    never changes.
//	V3  A value of the list belongs to whoever swapped its mark from free to taken, until the same one stores free.
//
// So two never have the same value (V1, V3), what one wrote is visible to the next one who has it, and the list is
// as long as there have ever been users at a time. Rejected: a stack of free values, which is shorter to walk and
// needs protection from a value that comes back between a look and a swap.
type Local[T any] struct {
	pool  *Pool
	make  func() T
	slots [2*MaxWorkers + 1]*scratch[T] // by Worker.place; the first stays empty
	lent  atomic.Pointer[scratch[T]]
	_     noCopy
}

// A scratch is one value, with nothing else on its cache lines.
type scratch[T any] struct {
	taken atomic.Bool
	next  *scratch[T]
	_     [64]byte
	value T
	_     [64]byte
}

// NewLocal returns a Local for the jobs of p, whose values are made by f, or zero if f is nil. f is called on the
// goroutine that asks for a value.
func NewLocal[T any](p *Pool, f func() T) *Local[T] { return &Local[T]{pool: p, make: f} }

// Get returns the value of w, which the calling job has until it returns; a node of a Graph on Run's caller, until
// Run does. Only the job that w was given to may call it, on its own goroutine: the body of a ParallelFor has no
// Worker, and uses Do. On a worker it takes 1 to 2 ns, elsewhere some 10, and it does not allocate once there are
// as many values as there will be. It panics if w is of another pool.
func (l *Local[T]) Get(w *Worker) *T {
	if w.pool == l.pool {
		if s := l.slots[w.place]; s != nil {
			return &s.value
		}
	}
	return l.getSlow(w)
}

func (l *Local[T]) getSlow(w *Worker) *T {
	if w.pool != l.pool {
		panic("workers: Local.Get with a Worker of another pool")
	}
	if w.place > 0 {
		s := l.fresh()
		l.slots[w.place] = s
		return &s.value
	}
	for _, o := range w.loans {
		if s, ok := o.(*scratch[T]); ok && l.owns(s) {
			return &s.value
		}
	}
	s := l.borrow()
	w.loans = append(w.loans, s)
	return &s.value
}

// Do calls f with a value that nobody else has until f returns. Any goroutine: the body of a ParallelFor, the frame,
// one that has nothing to do with the pool. It takes some 10 ns and does not allocate once there are as many values
// as there will be.
func (l *Local[T]) Do(f func(v *T)) {
	s := l.borrow()
	defer s.giveBack()
	f(&s.value)
}

// All returns an iterator over all values, those of the workers first, by class and index: to add up what jobs have
// left in them, or to set them back. No job that uses l may be running: whoever calls it has seen the end of all of
// them, by a Wait for instance.
func (l *Local[T]) All() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for _, s := range l.slots {
			if s != nil && !yield(&s.value) {
				return
			}
		}
		for s := l.lent.Load(); s != nil; s = s.next {
			if !yield(&s.value) {
				return
			}
		}
	}
}

func (l *Local[T]) fresh() *scratch[T] {
	s := new(scratch[T])
	if l.make != nil {
		s.value = l.make()
	}
	return s
}

// borrow returns a value of the list that is the caller's (V3), a new one if none is free.
func (l *Local[T]) borrow() *scratch[T] {
	for s := l.lent.Load(); s != nil; s = s.next {
		if !s.taken.Load() && s.taken.CompareAndSwap(false, true) {
			return s
		}
	}
	s := l.fresh()
	s.taken.Store(true)
	for {
		s.next = l.lent.Load()
		if l.lent.CompareAndSwap(s.next, s) { // V2
			return s
		}
	}
}

func (s *scratch[T]) giveBack() { s.taken.Store(false) }

// owns reports whether s is of l's list.
func (l *Local[T]) owns(s *scratch[T]) bool {
	for o := l.lent.Load(); o != nil; o = o.next {
		if o == s {
			return true
		}
	}
	return false
}

// A loan is a value that a Worker which is none of the pool's has of some Local.
type loan interface{ giveBack() }

// repay gives back what the job that has ended has got.
func (w *Worker) repay() {
	for i, o := range w.loans {
		o.giveBack()
		w.loans[i] = nil
	}
	w.loans = w.loans[:0]
}
