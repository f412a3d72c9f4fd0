package workers

import "iter"

// A Local is scratch memory, or an accumulator, for each worker of a pool, and for each other goroutine that runs
// jobs at the same time: a value that nobody else touches while a job has it, so it needs neither locks nor
// atomics. Values are made when they are first asked for, each on cache lines of its own, and live as long as the
// Local. It is created with NewLocal and must not be copied.
//
// Whose a value is depends on the Worker, and not on the thread. A job that gets one has it until it returns, also
// while it waits: what its worker runs meanwhile, in Wait or Yield, has another Worker, and gets another
// value. But a fork that runs within Join has the Worker of the joining job, and so that job's value: be it that job's
// own fork, or one that its worker takes from another while it waits.
//
//	V1  A worker's value is in a slot of that worker, which is read and written by whoever is that worker, one job
//	    at a time, and by All.
//
// All other values are in a stock (V2, V3). So two never have the same value, and what one wrote is visible to the next
// one who has it.
type Local[T any] struct {
	pool  *Pool
	make  func() T
	slots [2*MaxWorkers + 1]*scratch[T] // by Worker.place; the first stays empty
	lent  stock[scratch[T]]
	_     noCopy
}

// A scratch is one value, with nothing else on its cache lines.
type scratch[T any] struct {
	_     [64]byte
	value T
	_     [64]byte
}

// NewLocal returns a Local for the jobs of p, whose values are made by f, or zero if f is nil. f is called on the
// goroutine that asks for a value.
func NewLocal[T any](p *Pool, f func() T) *Local[T] {
	if p == nil {
		panic("workers: NewLocal with a nil Pool")
	}
	return &Local[T]{pool: p, make: f}
}

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
		s := new(scratch[T])
		l.fill(s)
		l.slots[w.place] = s
		return &s.value
	}
	for _, o := range w.loans {
		if s, ok := o.(*lent[scratch[T]]); ok && l.owns(s) {
			return &s.it.value
		}
	}
	s := l.borrow()
	w.loans = append(w.loans, s)
	return &s.it.value
}

// Do calls f with a value that nobody else has until f returns. Any goroutine: the body of a ParallelFor, the frame,
// one that has nothing to do with the pool. It takes some 10 ns and does not allocate once there are as many values
// as there will be.
func (l *Local[T]) Do(f func(v *T)) {
	if f == nil {
		panic("workers: Local.Do of a nil function")
	}
	s := l.borrow()
	defer s.giveBack()
	f(&s.it.value)
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
		for s := l.lent.first.Load(); s != nil; s = s.next {
			if !yield(&s.it.value) {
				return
			}
		}
	}
}

// fill makes the value of a new s.
func (l *Local[T]) fill(s *scratch[T]) {
	if l.make != nil {
		s.value = l.make()
	}
}

// borrow returns a value that no worker has, and that is the caller's until giveBack.
func (l *Local[T]) borrow() *lent[scratch[T]] {
	if s := l.lent.free(); s != nil {
		return s
	}
	s := new(lent[scratch[T]])
	l.fill(&s.it)
	return l.lent.add(s)
}

// owns reports whether s is of l's stock.
func (l *Local[T]) owns(s *lent[scratch[T]]) bool {
	for o := l.lent.first.Load(); o != nil; o = o.next {
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
