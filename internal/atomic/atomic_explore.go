//go:build explore

// Package atomic has the words of sync/atomic and the lock of sync as steps of internal/explore.
package atomic

import (
	"sync"
	"sync/atomic"

	"github.com/frameslice/frameslice/internal/explore"
)

// The words.
type (
	Bool           = word[bool, atomic.Bool, *atomic.Bool]             // a truth
	Int32          = integer[int32, atomic.Int32, *atomic.Int32]       // a number
	Int64          = integer[int64, atomic.Int64, *atomic.Int64]       // a number
	Uint32         = integer[uint32, atomic.Uint32, *atomic.Uint32]    // a number
	Uint64         = integer[uint64, atomic.Uint64, *atomic.Uint64]    // a number
	Uintptr        = integer[uintptr, atomic.Uintptr, *atomic.Uintptr] // a number
	Pointer[T any] = word[*T, atomic.Pointer[T], *atomic.Pointer[T]]   // an address
)

// A word holds a T in a V of sync/atomic, so the race detector sees the operations that it would see without the tag.
type word[T, V any, P interface {
	*V
	Load() T
	Store(T)
	Swap(T) T
	CompareAndSwap(old, new T) bool
}] struct {
	explore.Object
	v V
}

func (w *word[T, V, P]) Load() T {
	w.Ask()
	v := P(&w.v).Load()
	w.Did(false)
	return v
}

func (w *word[T, V, P]) Store(v T) {
	w.Ask()
	P(&w.v).Store(v)
	w.Did(true)
}

func (w *word[T, V, P]) Swap(v T) T {
	w.Ask()
	old := P(&w.v).Swap(v)
	w.Did(true)
	return old
}

func (w *word[T, V, P]) CompareAndSwap(old, new T) bool {
	w.Ask()
	ok := P(&w.v).CompareAndSwap(old, new)
	w.Did(ok)
	return ok
}

// An integer is a word with arithmetic.
type integer[T, V any, P interface {
	*V
	Load() T
	Store(T)
	Swap(T) T
	CompareAndSwap(old, new T) bool
	Add(T) T
	And(T) T
	Or(T) T
}] struct{ word[T, V, P] }

func (w *integer[T, V, P]) Add(d T) T {
	w.Ask()
	v := P(&w.v).Add(d)
	w.Did(true)
	return v
}

func (w *integer[T, V, P]) And(mask T) T {
	w.Ask()
	old := P(&w.v).And(mask)
	w.Did(true)
	return old
}

func (w *integer[T, V, P]) Or(mask T) T {
	w.Ask()
	old := P(&w.v).Or(mask)
	w.Did(true)
	return old
}

// Gosched waits until another goroutine has written something.
func Gosched() { explore.Yield() }

// A Mutex is a lock. Taking it is a step, and who finds it taken waits.
type Mutex struct {
	explore.Object
	mu sync.Mutex
}

// TryLock is a step, also if it fails.
func (m *Mutex) TryLock() bool {
	m.Ask()
	ok := m.mu.TryLock()
	m.Did(ok)
	return ok
}

// Lock waits for the next Unlock when it fails.
func (m *Mutex) Lock() {
	for !m.TryLock() {
		m.Await()
	}
}

// Unlock is a step.
func (m *Mutex) Unlock() {
	m.Ask()
	m.mu.Unlock()
	m.Did(true)
}
