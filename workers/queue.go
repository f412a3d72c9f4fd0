package workers

import (
	"context"
	"fmt"

	"github.com/frameslice/frameslice/internal/mpmc"
)

// ErrFull says that there is no room: in a Queue, or for one more waiting job in a bounded Pool.
var ErrFull = mpmc.ErrFull

// ErrEmpty says that there is nothing to take out of a Queue now.
var ErrEmpty = mpmc.ErrEmpty

// A Queue is a bounded first-in first-out queue for any number of producers and consumers. Any goroutine may call any
// method at any time.
//
// TryPush and TryPop neither block nor wait for a lock nor allocate, so they are for the frame goroutine too: 10 to
// 20 ns each. Push and Pop wait for room or for a value, until a context ends the wait. Do not call them on the frame
// goroutine. No call allocates, unless more goroutines wait at a time than ever before.
//
// Values come out in the order in which they went in. Pushes and pops that succeed are linearizable. A try that fails
// may be late by the calls of that moment: the place of a value is not free while a pop copies the value out, and
// values are hidden while a push in front of them copies its value in. Waiters are woken in the order of their
// coming, but another goroutine that comes just then may be quicker.
//
// A job that waits in Push or Pop keeps its worker, unless it waits within Worker.Blocking.
//
// Create a Queue with NewQueue. It must not be copied.
type Queue[T any] struct {
	q mpmc.Queue[T]
}

// NewQueue returns a Queue for at most capacity values. It allocates the places at once: 8 bytes and a value each,
// and 16 bytes if the value is empty. It panics unless capacity is from 1 to 1<<30, or 1<<24 on 32 bits.
func NewQueue[T any](capacity int) *Queue[T] {
	if capacity < 1 || capacity > mpmc.MaxCapacity {
		panic(fmt.Sprintf("workers: NewQueue with a capacity of %d, which is not from 1 to %d",
			capacity, mpmc.MaxCapacity))
	}
	q := new(Queue[T])
	q.q.Init(capacity)
	return q
}

// TryPush adds v, or returns ErrFull, or ErrClosed once Close has been called.
func (q *Queue[T]) TryPush(v T) error { return q.q.TryPush(v) }

// TryPop takes the oldest value, or returns ErrEmpty, or ErrClosed if there is none and never will be.
func (q *Queue[T]) TryPop() (T, error) { return q.q.TryPop() }

// Push adds v, and waits for room until ctx is done, whose cause it returns, or until Close, when it returns
// ErrClosed. If there is room it succeeds even if ctx is done. A nil ctx is context.Background. Never call it on the
// frame goroutine.
func (q *Queue[T]) Push(ctx context.Context, v T) error {
	if err := q.q.TryPush(v); err != ErrFull {
		return err
	}
	return q.q.Push(mpmc.Wait{Ctx: ctx}, v)
}

// Pop takes the oldest value, and waits for one until ctx is done, whose cause it returns, or until the queue is closed
// and empty, when it returns ErrClosed. If there is a value it succeeds even if ctx is done. A nil ctx is
// context.Background. Never call it on the frame goroutine.
func (q *Queue[T]) Pop(ctx context.Context) (T, error) {
	if v, err := q.q.TryPop(); err != ErrEmpty {
		return v, err
	}
	return q.q.Pop(mpmc.Wait{Ctx: ctx})
}

// Close ends the intake: a push returns ErrClosed, also one that waits. Pops get the values that are left, and then
// ErrClosed. Any number of times.
func (q *Queue[T]) Close() { q.q.Close() }

// Len returns how many values there are: exactly if no other goroutine uses the queue, else a guess.
func (q *Queue[T]) Len() int { return q.q.Len() }
