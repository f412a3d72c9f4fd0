package mpmc

import (
	"errors"
	"math/bits"

	"github.com/frameslice/frameslice/internal/atomic"
)

// The texts name the package whose users see them.
var (
	ErrFull   = errors.New("workers: full")           // no room now
	ErrEmpty  = errors.New("workers: queue is empty") // nothing to take now
	ErrClosed = errors.New("workers: closed")         // the intake has ended, or there is nothing and never will be
)

// A Queue is a bounded queue. Create it with New. Any goroutine may call any method at any time.
type Queue[T any] struct {
	cells []Cell[T]
	mask  uint64 // lap-1, where a lap is the next power of two from the capacity on
	shift uint   // lap is 1<<shift

	_    [64]byte
	tail atomic.Uint64 // the position of the next push, and the bit closed
	_    [56]byte
	head atomic.Uint64 // the position of the next pop
	_    [56]byte

	sleepers
}

// A Cell is a place for one value. Its turn says whose it is (Q1):
//
//	turn == 2*lap      free, for the push that moves tail past it in that lap
//	turn == 2*lap+1    filled, for the pop that moves head past it in that lap
//	turn == 2*lap+2    emptied: free for the next lap
//
// This is Vyukov's bounded queue (1024cores.net, "Bounded MPMC queue"). It counts laps rather than positions, so that
// one cell is enough and the zero cell is right. A position is lap<<shift | index. A capacity that is not a power of
// two needs no division, because the first index of the next lap follows the last index.
type Cell[T any] struct {
	turn  atomic.Uint64
	Value T // of the owner of the cell
}

// Pass gives a cell from Reserve to the poppers, or one from Take to the pushers. Call Queue.Tell afterwards.
func (c *Cell[T]) Pass() { c.turn.Add(1) }

const (
	// MaxCapacity is 1<<30, and 1<<24 where addresses have 32 bits.
	MaxCapacity = 1 << (24 + 6*(^uint(0)>>63))

	closed = 1 << 63 // the bit of Queue.tail that ends the intake
)

// Init makes q a queue for capacity values, from 1 to MaxCapacity. It allocates the cells.
func (q *Queue[T]) Init(capacity int) {
	q.cells = make([]Cell[T], capacity)
	q.shift = uint(bits.Len(uint(capacity - 1)))
	q.mask = 1<<q.shift - 1
}

// after returns the position that follows at.
func (q *Queue[T]) after(at uint64) uint64 {
	if at&q.mask == uint64(len(q.cells)-1) {
		return (at | q.mask) + 1
	}
	return at + 1
}

// TryPush adds v, or returns ErrFull or ErrClosed.
func (q *Queue[T]) TryPush(v T) error {
	c, err := q.Reserve()
	if err != nil {
		return err
	}
	c.Value = v
	c.Pass() // visible from here on
	q.Tell()
	return nil
}

// TryPop takes the oldest value, or returns ErrEmpty, or ErrClosed if there is none and never will be.
func (q *Queue[T]) TryPop() (v T, err error) {
	c, err := q.Take()
	if err != nil {
		return v, err
	}
	var zero T
	v, c.Value = c.Value, zero
	c.Pass()
	q.Tell()
	return v, nil
}

// Reserve claims the next position (Q2) and returns its cell, or ErrFull or ErrClosed. Values behind the cell wait
// until the caller has called Pass. The Cell still has the Value that its last owner left there.
func (q *Queue[T]) Reserve() (*Cell[T], error) {
	for {
		at := q.tail.Load()
		if at&closed != 0 {
			return nil, ErrClosed
		}
		c := &q.cells[at&q.mask]
		free := at >> q.shift << 1
		switch turn := c.turn.Load(); {
		case turn == free:
			if q.tail.CompareAndSwap(at, q.after(at)) {
				return c, nil
			}
		case turn < free:
			return nil, ErrFull // tail was still at: it cannot pass a cell that is not free
		}
	}
}

// Take claims the oldest value (Q3) and returns its cell, or ErrEmpty or ErrClosed. The cell is the caller's until
// Pass.
func (q *Queue[T]) Take() (*Cell[T], error) {
	for {
		at := q.head.Load()
		c := &q.cells[at&q.mask]
		filled := at>>q.shift<<1 + 1
		switch turn := c.turn.Load(); {
		case turn == filled:
			if q.head.CompareAndSwap(at, q.after(at)) {
				return c, nil
			}
		case turn < filled:
			if q.tail.Load() == at|closed {
				return nil, ErrClosed
			}
			return nil, ErrEmpty
		}
	}
}

// Close ends the intake: a push returns ErrClosed, also one that waits. Pops get the values that are left, and then
// ErrClosed. Any number of times.
func (q *Queue[T]) Close() {
	q.tail.Or(closed)
	q.wake(&q.pushers, wholeList)
	q.wake(&q.poppers, wholeList)
}

// Cells returns all cells, also those in use. For values with a synchronization of their own.
func (q *Queue[T]) Cells() []Cell[T] { return q.cells }

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

// Drained reports whether there is nothing to pop and never will be.
func (q *Queue[T]) Drained() bool {
	at := q.head.Load()
	return q.tail.Load() == at|closed
}
