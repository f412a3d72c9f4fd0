//go:build explore

// Package atomic has the words of sync/atomic, the lock and the pool of sync, and a queue as steps of internal/explore.
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

// A Pool keeps all values, and gives out the newest.
type Pool struct {
	explore.Object
	mu     sync.Mutex // for the race detector: the operations are steps
	values []any
}

// Get is a step, also if there is no value.
func (p *Pool) Get() (v any) {
	p.Ask()
	p.mu.Lock()
	n := len(p.values)
	if n > 0 {
		v, p.values = p.values[n-1], p.values[:n-1]
	}
	p.mu.Unlock()
	p.Did(n > 0)
	return v
}

// Put is a step.
func (p *Pool) Put(v any) {
	p.Ask()
	p.mu.Lock()
	p.values = append(p.values, v)
	p.mu.Unlock()
	p.Did(true)
}

// A Queue has a channel, as without the tag, so the race detector sees its operations.
type Queue[T any] struct{ *queue[T] }

type queue[T any] struct {
	explore.Object
	c chan T
}

// NewQueue returns a queue with room for n values.
func NewQueue[T any](n int) Queue[T] { return Queue[T]{&queue[T]{c: make(chan T, n)}} }

// Cap is no step.
func (q Queue[T]) Cap() int { return cap(q.c) }

// Put is a step, also if there is no room.
func (q Queue[T]) Put(v T) (ok bool) {
	q.Ask()
	select {
	case q.c <- v:
		ok = true
	default:
	}
	q.Did(ok)
	return ok
}

// Take is a step, also if there is no value.
func (q Queue[T]) Take() (v T, ok bool) {
	q.Ask()
	select {
	case v = <-q.c:
		ok = true
	default:
	}
	q.Did(ok)
	return v, ok
}
