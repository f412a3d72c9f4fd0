package workers

import (
	"context"
	"fmt"

	"github.com/frameslice/frameslice/internal/mpmc"
)

// A Queue is a bounded first-in first-out queue for any number of producers and consumers. Create a Queue with
// NewQueue.
//
// TryPush and TryPop neither block nor wait for a lock, so the frame goroutine may call them: 10 to 20 ns each. A try
// may fail because of a call that is under way. Push and Pop wait; do not call them on the frame goroutine. A job that
// waits there keeps its worker, unless it waits within Worker.Blocking. Calls do not allocate in steady state.
type Queue[T any] struct {
	q mpmc.Queue[T]
}

// NewQueue returns a Queue for at most capacity values. It allocates about 8 bytes and a value for each. It panics
// unless capacity is from 1 to 1<<30, or 1<<24 on 32 bits.
func NewQueue[T any](capacity int) *Queue[T] {
	if capacity < 1 || capacity > mpmc.MaxCapacity {
		panic(fmt.Sprintf("workers: NewQueue with a capacity of %d, which is not from 1 to %d",
			capacity, mpmc.MaxCapacity))
	}
	q := new(Queue[T])
	q.q.Init(capacity)
	return q
}

// TryPush adds v, or returns ErrFull, or ErrClosed after Close.
func (q *Queue[T]) TryPush(v T) error { return q.q.TryPush(v) }

// TryPop takes the oldest value, or returns ErrEmpty, or ErrClosed if the queue is closed and empty.
func (q *Queue[T]) TryPop() (T, error) { return q.q.TryPop() }

// Push adds v. If there is no room it waits until ctx is done, whose cause it returns, or until Close, which gives
// ErrClosed.
func (q *Queue[T]) Push(ctx context.Context, v T) error {
	if err := q.q.TryPush(v); err != ErrFull {
		return err
	}
	return q.q.Push(ctx, v)
}

// Pop takes the oldest value. If there is none it waits until ctx is done, whose cause it returns, or until Close,
// which gives ErrClosed.
func (q *Queue[T]) Pop(ctx context.Context) (T, error) {
	if v, err := q.q.TryPop(); err != ErrEmpty {
		return v, err
	}
	return q.q.Pop(ctx)
}

// Close ends the intake: a push returns ErrClosed, also one that waits. Pops get the values that are left, and then
// ErrClosed.
func (q *Queue[T]) Close() { q.q.Close() }
