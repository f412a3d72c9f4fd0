//go:build !explore

// Package atomic has the words of sync/atomic, the lock and the pool of sync, and a queue. Protocols that
// internal/explore runs use it in place of those. The types but Queue are aliases, so the compiler makes the same code
// of them. Under the build tag explore each operation first asks the explorer which goroutine continues.
package atomic

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// The words.
type (
	Bool           = atomic.Bool       // a truth
	Int32          = atomic.Int32      // a number
	Int64          = atomic.Int64      // a number
	Uint32         = atomic.Uint32     // a number
	Uint64         = atomic.Uint64     // a number
	Uintptr        = atomic.Uintptr    // a number
	Pointer[T any] = atomic.Pointer[T] // an address
)

// Gosched has other goroutines go first.
func Gosched() { runtime.Gosched() }

// Mutex is a lock.
type Mutex = sync.Mutex

// Pool keeps values for another use.
type Pool = sync.Pool

// A Queue has room for so many values. Nobody waits for room, or for a value.
type Queue[T any] struct{ c chan T }

// NewQueue returns a queue with room for n values.
func NewQueue[T any](n int) Queue[T] { return Queue[T]{make(chan T, n)} }

// Cap returns for how many values there is room.
func (q Queue[T]) Cap() int { return cap(q.c) }

// Put puts v in, and reports false if there is no room.
func (q Queue[T]) Put(v T) bool {
	select {
	case q.c <- v:
		return true
	default:
		return false
	}
}

// Take takes the oldest value out, and reports false if there is none.
func (q Queue[T]) Take() (v T, ok bool) {
	select {
	case v = <-q.c:
		return v, true
	default:
		return v, false
	}
}
