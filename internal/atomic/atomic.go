//go:build !explore

// Package atomic has the words of sync/atomic and the lock of sync. Protocols that internal/explore runs use it in
// place of the two. The types are aliases, so the compiler makes the same code of them. Under the build tag explore
// each operation first asks the explorer which goroutine continues.
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
