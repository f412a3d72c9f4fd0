package flow

import (
	"fmt"
	"hash/maphash"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// LatestOptions configure a Latest.
type LatestOptions struct {
	// Priority is that of all its work. The default (zero) value is deadline.Normal.
	Priority deadline.Priority

	// Keys is how many keys may wait at a time (and, by S24, a few more if some are posted by two goroutines at
	// once). The default (zero) value is 1,024. NewLatest panics if it is negative.
	Keys int

	// Label is the kind of the work, as in Task. The default (empty) is the function.
	Label string
}

// Latest runs a function for the newest value of each key: a value that is posted while an older one of its
// key waits replaces that, and takes its place in the queue, so that a stream of requests about one thing (the
// path to a goal that moves) costs one run, and does not wait behind itself. Make one with NewLatest; its
// methods may be called from any goroutine.
type Latest[K comparable, V any] struct {
	s       *scheduler.Scheduler
	o       LatestOptions
	f       func(K, V)
	seed    maphash.Seed
	buckets []atomic.Pointer[latestNode[K, V]] // a power of two
	used    credits
	slots   sync.Pool // *latestSlot[K, V]
	spent   *latestSlot[K, V]

	replaced atomic.Uint64
}

// latestNode is a key that waits. It never changes: what changes is which list of nodes is in the bucket.
//
// S24. A key is in its bucket if and only if one request to run it is on its way, or about to be made. All of
// a bucket is one word, a pointer to a list that never changes, and every change of it is one
// compare-and-swap, so who puts a key in knows that it was not there, and makes the request; the frame
// goroutine alone takes keys out, once for each request. A canceled key stays, without its value, until then:
// however often it is canceled and posted again, one request is under way.
//
// S42. Who puts a key in takes a credit for it afterwards, so one goroutine takes credits for a key, and if it finds
// none left, other keys have them. Then it takes the key out again, if its value is still there, or has been canceled.
// If not, somebody was told that his value replaces that: the key stays, and counts, though it is one too many. The
// frame goroutine gives the credit back before it takes the key out, because as long as the key is there nobody takes
// another one for it. (With the credit first, one of two that posted a key at once found none left, though no other key
// waited, and its value, which may have been the newer one, was refused.)
type latestNode[K comparable, V any] struct {
	key      K
	value    V
	canceled bool
	first    bool // who put the key in has put in this value
	next     *latestNode[K, V]
}

// latestSlot is a request. See boundSlot.
type latestSlot[K comparable, V any] struct {
	task scheduler.Task
	l    *Latest[K, V]
	key  K
}

// NewLatest returns a Latest which runs f on the frame goroutine of s.
func NewLatest[K comparable, V any](s *scheduler.Scheduler, o LatestOptions, f func(key K, value V)) *Latest[K, V] {
	mustNotBeNil(s, "NewLatest")
	if f == nil {
		panic("flow: NewLatest with a nil function")
	}
	mustBeValid(o.Priority)
	if o.Keys < 0 {
		panic(fmt.Sprintf("flow: NewLatest with LatestOptions.Keys of %d, less than 0", o.Keys))
	}
	if o.Keys == 0 {
		o.Keys = defaultBound
	}
	l := &Latest[K, V]{s: s, o: o, f: f, seed: maphash.MakeSeed()}
	l.buckets = make([]atomic.Pointer[latestNode[K, V]], 1<<bits.Len(uint(min(o.Keys, 1<<16)-1)))
	l.used.init(o.Keys)
	return l
}

// Post sees to it that the function runs with the key and this value, or a newer one. It returns nil,
// ErrFull if as many other keys wait as may, or ErrClosed. It never blocks. It allocates some words, and
// takes longer only for keys that share a bucket, of which there are about as many as keys. It panics if key does
// not equal itself, as NaN, or cannot be compared, as a slice in an interface.
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
			if !n.canceled {
				l.replaced.Add(1)
			}
			return nil
		}
	}
}

// admit makes the request for a key that was put in, or takes it out again.
func (l *Latest[K, V]) admit(b *atomic.Pointer[latestNode[K, V]], key K) error {
	for !l.used.take() {
		head := b.Load()
		n := head.find(key)
		switch {
		case !n.first && !n.canceled:
			l.used.used.Add(1)
		case !b.CompareAndSwap(head, head.replace(n, n.next)):
			continue
		case n.first:
			return ErrFull
		default:
			return nil
		}
		break
	}
	l.submit(key)
	return nil
}

// Cancel drops the value that waits for the key, and reports whether there was one; after Close there is none. Its
// place counts as one of a waiting key until its turn comes. It never blocks. It panics where Post would.
func (l *Latest[K, V]) Cancel(key K) bool {
	b := l.bucket(key)
	for l.s.Context().Err() == nil {
		head := b.Load()
		n := head.find(key)
		if n == nil || n.canceled {
			return false
		}
		if b.CompareAndSwap(head, head.replace(n, &latestNode[K, V]{key: key, canceled: true, next: n.next})) {
			return true
		}
	}
	return false
}

// Len returns how many keys wait, those canceled included. A moment's value; 0 after Close.
func (l *Latest[K, V]) Len() int {
	if l.s.Context().Err() != nil {
		return 0
	}
	return int(l.used.used.Load())
}

// Replaced returns how many values were replaced by newer ones and never seen.
func (l *Latest[K, V]) Replaced() uint64 { return l.replaced.Load() }

func (l *Latest[K, V]) bucket(key K) *atomic.Pointer[latestNode[K, V]] {
	mustBeKey(key)
	return &l.buckets[maphash.Comparable(l.seed, key)&uint64(len(l.buckets)-1)]
}

// mustBeKey panics if key cannot be one: NaN, which no newer value would ever find, or an interface with a slice.
func mustBeKey[K comparable](key K) {
	compared := false
	defer func() {
		if !compared {
			_ = recover() // the runtime does not tell whose key it is
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
	c, _ := l.slots.Get().(*latestSlot[K, V])
	if c == nil {
		c = &latestSlot[K, V]{l: l}
		c.task = scheduler.Task{Priority: l.o.Priority, Label: l.o.Label, Func: c.run}
		c.task.Wraps(l.f)
	}
	c.key = key
	l.s.Submit(&c.task)
}

// run takes the key out and runs the function.
func (c *latestSlot[K, V]) run() {
	l, key := c.l, c.key
	if l.spent != nil && l.spent.task.State() != scheduler.Running { // it runs if we are in a Nest of its
		l.slots.Put(l.spent)
	}
	var zero K
	l.spent, c.key = c, zero
	l.used.give()
	b := l.bucket(key)
	for {
		head := b.Load()
		n := head.find(key)
		if !b.CompareAndSwap(head, head.replace(n, n.next)) {
			continue
		}
		if !n.canceled {
			l.f(key, n.value)
		}
		return
	}
}

// find returns the node of the key in a list, or nil.
func (n *latestNode[K, V]) find(key K) *latestNode[K, V] {
	for n != nil && n.key != key {
		n = n.next
	}
	return n
}

// replace returns the list with by where old was, and with copies of what was before it.
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
