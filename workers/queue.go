package workers

import (
	"errors"
	"fmt"
	"math/bits"
	"sync/atomic"
)

// ErrFull says that there is no room: in a Queue, or for one more waiting job in a bounded Pool.
var ErrFull = errors.New("workers: full")

// ErrEmpty says that there is nothing to take out of a Queue now.
var ErrEmpty = errors.New("workers: queue is empty")

// A Queue is a bounded first-in first-out queue for any number of producers and consumers. Any goroutine may
// call any method at any time.
//
// TryPush and TryPop neither block nor wait for a lock nor allocate, so they are for the frame goroutine too:
// 10 to 20 ns each. Push and Pop wait for room or for a value, until a context or a timeout ends that; they
// must not be called on the frame goroutine. No call allocates, once there have been as many waiting
// goroutines at a time as there ever will be.
//
// Values come out in the order in which they went in: for the values of one producer, that of its calls; and
// pushes and pops that succeed are linearizable, so they can be told in one order that a slice would have
// given. A try that fails may be late by what other calls are doing at that moment: while a pop copies its
// value out, its place is not free yet, and while a push copies its value in, the values behind it are not
// there yet. Waiters are woken in the order of their coming, but who comes just then may be quicker.
//
// A job that waits in Push or Pop keeps its worker from what it may wait for, unless it does so within Worker.Blocking.
//
// A Queue is created with NewQueue and must not be copied.
type Queue[T any] struct {
	cells []cell[T]
	mask  uint64 // lap-1, where a lap is the next power of two from the capacity on
	shift uint   // lap is 1<<shift

	_    [64]byte
	tail atomic.Uint64 // the position of the next push, and the bit closed
	_    [56]byte
	head atomic.Uint64 // the position of the next pop
	_    [56]byte

	sleepers
}

// A cell is a place for one value. Its turn says whose it is (Q1):
//
//	turn == 2*lap      free, for the push that moves tail past it in that lap
//	turn == 2*lap+1    filled, for the pop that moves head past it in that lap
//	turn == 2*lap+2    emptied: free for the next lap
//
// This is Vyukov's bounded queue (1024cores.net, "Bounded MPMC queue"), counting laps rather than positions,
// so that one cell is enough and the zero cell is right. A position is lap<<shift | index: a capacity that is
// not a power of two needs no division, because the last index is followed by the first of the next lap.
type cell[T any] struct {
	turn  atomic.Uint64
	value T
}

// maxCapacity is 1<<30, and 1<<24 where addresses have 32 bits.
const maxCapacity = 1 << (24 + 6*(^uint(0)>>63))

// NewQueue returns a Queue for at most capacity values, of which it makes the places at once: 8 bytes and a value each,
// and 16 bytes where that is empty. It panics unless capacity is from 1 to 1<<30, or 1<<24 on 32 bits.
func NewQueue[T any](capacity int) *Queue[T] {
	if capacity < 1 || capacity > maxCapacity {
		panic(fmt.Sprintf("workers: NewQueue with a capacity of %d, which is not from 1 to %d", capacity, maxCapacity))
	}
	shift := uint(bits.Len(uint(capacity - 1)))
	return &Queue[T]{cells: make([]cell[T], capacity), shift: shift, mask: 1<<shift - 1}
}

// after returns the position that follows at.
func (q *Queue[T]) after(at uint64) uint64 {
	if at&q.mask == uint64(len(q.cells)-1) {
		return (at | q.mask) + 1
	}
	return at + 1
}

// TryPush adds v, or returns ErrFull, or ErrClosed once Close has been called.
func (q *Queue[T]) TryPush(v T) error {
	for {
		at := q.tail.Load()
		if at&closed != 0 {
			return ErrClosed
		}
		c := &q.cells[at&q.mask]
		free := at >> q.shift << 1
		switch turn := c.turn.Load(); {
		case turn == free:
			if q.tail.CompareAndSwap(at, q.after(at)) {
				c.value = v
				c.turn.Store(free + 1) // Q2: visible from here on
				if q.asleep.Load() != 0 {
					q.tell()
				}
				return nil
			}
		case turn < free:
			return ErrFull // tail was at until this load: it cannot pass a cell that is not free
		}
	}
}

// TryPop takes the oldest value, or returns ErrEmpty, or ErrClosed if there is none and never will be.
func (q *Queue[T]) TryPop() (v T, err error) {
	for {
		at := q.head.Load()
		c := &q.cells[at&q.mask]
		filled := at>>q.shift<<1 + 1
		switch turn := c.turn.Load(); {
		case turn == filled:
			if q.head.CompareAndSwap(at, q.after(at)) {
				var zero T
				v, c.value = c.value, zero
				c.turn.Store(filled + 1) // Q3: after it has been read
				if q.asleep.Load() != 0 {
					q.tell()
				}
				return v, nil
			}
		case turn < filled:
			if q.tail.Load() == at|closed {
				return v, ErrClosed
			}
			return v, ErrEmpty
		}
	}
}

// Close ends the intake: from now on a push returns ErrClosed, also one that is waiting; pops get what is
// left, and then ErrClosed. It may be called more than once.
func (q *Queue[T]) Close() {
	q.tail.Or(closed)
	q.wake(&q.pushers, everybody)
	q.wake(&q.poppers, everybody)
}

// shut reports whether Close has been called. There may still be values.
func (q *Queue[T]) shut() bool { return q.tail.Load()&closed != 0 }

// Len returns how many values there are: exactly if nobody else uses the queue meanwhile, else a guess between 0 and
// the capacity.
func (q *Queue[T]) Len() int {
	head := q.head.Load()
	tail := q.tail.Load() &^ closed
	n := int64(tail>>q.shift-head>>q.shift)*int64(len(q.cells)) + int64(tail&q.mask) - int64(head&q.mask)
	return int(min(max(n, 0), int64(len(q.cells))))
}

// The following say whether there is news for one side: something that a sleeper of it waits for.

// pushable reports whether the next push finds its cell free.
func (q *Queue[T]) pushable() bool {
	at := q.tail.Load()
	return at&closed == 0 && q.cells[at&q.mask].turn.Load() == at>>q.shift<<1
}

// poppable reports whether the next pop finds its cell filled.
func (q *Queue[T]) poppable() bool {
	at := q.head.Load()
	return q.cells[at&q.mask].turn.Load() == at>>q.shift<<1+1
}

// drained reports whether there is nothing to pop and never will be.
func (q *Queue[T]) drained() bool {
	at := q.head.Load()
	return q.tail.Load() == at|closed
}

// tell does what everybody owes to the sleepers who has moved head or tail, or was woken and gave up (Q5).
func (q *Queue[T]) tell() {
	asleep := q.asleep.Load()
	if asleep/onePopper != 0 {
		switch {
		case q.poppable():
			q.wake(&q.poppers, 1)
		case q.drained():
			q.wake(&q.poppers, everybody)
		}
	}
	if asleep%onePopper != 0 && q.pushable() {
		q.wake(&q.pushers, 1)
	}
}
