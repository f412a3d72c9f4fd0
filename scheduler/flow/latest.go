package flow

import (
	"fmt"
	"hash/maphash"
	"math/bits"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/scheduler"
)

// Latest runs a function for the newest value of each key. A newer value takes the place of an older one that waits. So
// many requests for the path of one unit cost one run. At most 1,024 keys wait.
type Latest[K comparable, V any] struct {
	s        *scheduler.Scheduler
	prio     deadline.Priority
	keys     int64 // how many may wait
	f        func(K, V)
	seed     maphash.Seed
	buckets  []atomic.Pointer[latestNode[K, V]] // a power of two
	used     atomic.Int64                       // slots: how many of keys are taken
	messages atomic.Pool                        // *latestMessage[K, V]
	last     *latestMessage[K, V]               // the one that ran last; frame goroutine
}

// latestNode is a key that waits. A node never changes; the list of nodes in the bucket does.
//
// S24. A key is in its bucket if and only if one message to run it is on its way, or about to be submitted. The whole
// bucket is one word, a pointer to a list that never changes, and every change is one compare-and-swap. So a goroutine
// that puts a key in knows that the key was not there, and submits the message. Only the frame goroutine takes keys
// out, once for each message.
//
// S42. The goroutine that puts a key in takes a slot for the key afterwards, so only one goroutine takes a slot for a
// key. If no slot is left, other keys have them all. Then the goroutine takes the key out again, if its own value is
// still there. Otherwise another goroutine has replaced the value and was told so: the key stays and counts, though it
// is one too many. The frame goroutine gives the slot back before it takes the key out: while the key is there, no
// goroutine takes another slot for it. (With the slot first, one of two goroutines that post a key at once could be
// refused, though no other key waits. Its value may be the newer one.)
type latestNode[K comparable, V any] struct {
	key   K
	value V
	first bool // the value is that of the goroutine that put the key in
	next  *latestNode[K, V]
}

// latestMessage is a run of a key on its way. See boundMessage.
type latestMessage[K comparable, V any] struct {
	task scheduler.Task
	l    *Latest[K, V]
	key  K
}

// NewLatest returns a Latest that runs f with priority p. It panics if s or f is nil, or p is invalid.
func NewLatest[K comparable, V any](
	s *scheduler.Scheduler, p deadline.Priority, f func(key K, value V),
) *Latest[K, V] {
	return newLatest(s, p, mostWaiting, f)
}

func newLatest[K comparable, V any](
	s *scheduler.Scheduler, p deadline.Priority, keys int64, f func(key K, value V),
) *Latest[K, V] {
	mustNotBeNil(s, "NewLatest")
	if f == nil {
		panic("flow: NewLatest with a nil function")
	}
	mustBeValid(p)
	l := &Latest[K, V]{s: s, prio: p, keys: keys, f: f, seed: maphash.MakeSeed()}
	l.buckets = make([]atomic.Pointer[latestNode[K, V]], 1<<bits.Len64(uint64(keys-1)))
	return l
}

// Post runs the function with key and value, or with a newer value. It drops the value and returns ErrFull if too many
// other keys wait, or scheduler.ErrClosed. Post allocates some words. It panics if key does not equal itself (NaN) or
// cannot be compared.
func (l *Latest[K, V]) Post(key K, value V) error {
	if l.s.Context().Err() != nil {
		return scheduler.ErrClosed
	}
	b := l.bucket(key)
	for {
		head := b.Load()
		n := head.find(key)
		if n == nil {
			if b.CompareAndSwap(head, &latestNode[K, V]{key: key, value: value, first: true, next: head}) {
				return l.admit(b, key)
			}
		} else if b.CompareAndSwap(head, head.replace(n, &latestNode[K, V]{key: key, value: value, next: n.next})) {
			return nil
		}
	}
}

// admit submits the message for a key that was put in, or takes the key out again.
func (l *Latest[K, V]) admit(b *atomic.Pointer[latestNode[K, V]], key K) error {
	for !l.take() {
		head := b.Load()
		n := head.find(key)
		if !n.first {
			l.used.Add(1) // one too many
			break
		}
		if b.CompareAndSwap(head, head.replace(n, n.next)) {
			return ErrFull
		}
	}
	l.submit(key)
	return nil
}

// take takes a slot if there is one.
func (l *Latest[K, V]) take() bool {
	for {
		n := l.used.Load()
		if n >= l.keys {
			return false
		}
		if l.used.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

func (l *Latest[K, V]) bucket(key K) *atomic.Pointer[latestNode[K, V]] {
	mustBeKey(key)
	return &l.buckets[maphash.Comparable(l.seed, key)&uint64(len(l.buckets)-1)]
}

// mustBeKey panics if key is NaN, which no newer value would find, or an interface with a slice.
func mustBeKey[K comparable](key K) {
	compared := false
	defer func() {
		if !compared {
			_ = recover() // the runtime's text does not name Latest
			panic(fmt.Sprintf("flow: Latest with a key that cannot be compared, a %T", key))
		}
	}()
	equal := key == key
	compared = true
	if !equal {
		panic("flow: Latest with a key that does not equal itself")
	}
}

func (l *Latest[K, V]) submit(key K) {
	m, _ := l.messages.Get().(*latestMessage[K, V])
	if m == nil {
		m = &latestMessage[K, V]{l: l}
		m.task = scheduler.Task{Priority: l.prio, Func: m.run}
		bridge.Of(l.s).Wraps(&m.task, l.f)
	}
	m.key = key
	l.s.Submit(&m.task)
}

// run takes the key out and runs the function.
func (m *latestMessage[K, V]) run() {
	l, key := m.l, m.key
	if l.last != nil {
		l.messages.Put(l.last)
	}
	var zero K
	l.last, m.key = m, zero
	l.used.Add(-1)
	b := l.bucket(key)
	for {
		head := b.Load()
		n := head.find(key)
		if b.CompareAndSwap(head, head.replace(n, n.next)) {
			l.f(key, n.value)
			return
		}
	}
}

// find returns the node of the key in a list, or nil.
func (n *latestNode[K, V]) find(key K) *latestNode[K, V] {
	for n != nil && n.key != key {
		n = n.next
	}
	return n
}

// replace returns the list with by in the place of old, and with copies of the nodes before it.
func (n *latestNode[K, V]) replace(old, by *latestNode[K, V]) *latestNode[K, V] {
	if n == old {
		return by
	}
	first := *n
	last := &first
	for n = n.next; n != old; n = n.next {
		m := *n
		last.next = &m
		last = &m
	}
	last.next = by
	return &first
}
