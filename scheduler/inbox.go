package scheduler

import (
	"github.com/frameslice/frameslice/internal/atomic"
)

// inbox has the messages that producers have pushed and the frame goroutine has not read. The newest messages are in a
// list, the newest first. At every bundleSize-th push the producer makes that list a bundle, behind the older bundles.
// So each list is short, and the frame goroutine can turn a list around between two looks at the clock.
type inbox struct {
	newest        atomic.Pointer[item]
	pushed        atomic.Uint32 // counts the pushes
	bundled       atomic.Int32  // number of bundles; raised before the list leaves newest
	_             [48]byte      // keeps the fields that producers write on a cache line of their own
	endAfterClose func()        // cancels what was pushed after Close: sweepInbox

	atomic.Mutex
	bundles []*item // each the newest first; the oldest bundle first
	first   int     // index of the oldest bundle; those before it were taken
}

// isEmpty reports whether all that was pushed has been taken. It looks at the list first and at bundled second. A list
// that becomes a bundle is counted in bundled before it leaves newest, so isEmpty cannot miss it.
func (b *inbox) isEmpty() bool { return b.newest.Load() == nil && b.bundled.Load() == 0 }

// bundle makes the list a bundle, unless somebody has the lock. Then the push that comes bundleSize pushes later does
// so.
func (b *inbox) bundle() {
	if !b.TryLock() {
		return
	}
	defer b.Unlock()
	if b.first > len(b.bundles)/2 { // drop the entries of taken bundles, so that they do not pile up
		n := copy(b.bundles, b.bundles[b.first:])
		clear(b.bundles[n:])
		b.bundles, b.first = b.bundles[:n], 0
	}
	b.bundled.Add(1)
	if list := b.newest.Swap(nil); list != nil {
		b.bundles = append(b.bundles, list)
	} else {
		b.bundled.Add(-1)
	}
}

// take returns the oldest bundle, or else the list: the newest first, nil if there is nothing. Under the lock no list
// becomes a bundle between the look at the bundles and the swap. So what is taken is older than all that is left (S4).
func (b *inbox) take() *item {
	b.Lock()
	defer b.Unlock()
	if b.first == len(b.bundles) {
		return b.newest.Swap(nil)
	}
	list := b.bundles[b.first]
	b.bundles[b.first] = nil
	b.first++
	if b.first == len(b.bundles) {
		b.bundles, b.first = b.bundles[:0], 0
	}
	b.bundled.Add(-1)
	return list
}

// intake is the part of a Scheduler that any goroutine uses, to hand work and requests to the frame goroutine.
type intake struct {
	inbox    inbox // pushed, not drained
	arena    arena
	unread   *item         // taken from the inbox, not handled; the oldest first; the frame goroutine's
	canceled atomic.Uint64 // generations, in all
	dropped  atomic.Uint64 // of canceled: those that Close ended before their run, or that came later
	closed   atomic.Bool
	wake     func() // Options.Wake; constant
}

// push links it into the inbox. The caller has turned flagInbox from clear to set. So only the caller may touch it.next
// (S1). The goroutine that turns the list from empty to non-empty calls Wake, after the push (S2).
func (in *intake) push(it *item) {
	for {
		old := in.inbox.newest.Load()
		it.next = old
		if !in.inbox.newest.CompareAndSwap(old, it) {
			continue
		}
		if old == nil && in.wake != nil {
			in.wake()
		}
		if in.inbox.pushed.Add(1)%bundleSize == 0 {
			in.inbox.bundle()
		}
		if in.closed.Load() {
			in.inbox.endAfterClose() // S8
		}
		return
	}
}

// turned returns a list in the other order: the oldest first. It loads the word, which the drain needs soon, so that
// the item's other line of the cache comes while turned waits for the next item.
func turned(it *item) (oldest *item) {
	for it != nil {
		it.word.Load()
		it.next, oldest, it = oldest, it, it.next
	}
	return oldest
}

// isUnread reports whether there are messages that have not been handled.
func (in *intake) isUnread() bool { return in.unread != nil || !in.inbox.isEmpty() }

// drop returns the Handle of a function that came after Close.
func (in *intake) drop() Handle {
	in.canceled.Add(1)
	in.dropped.Add(1)
	return Handle{generation: 1}
}

// pushInEnvelope pushes an envelope: an item that carries the submission of t, because t's link is still in the inbox
// with an older request. If both were read together, this submission would overtake what its producer submitted in
// between (S4).
func (in *intake) pushInEnvelope(t *Task, generation uint32) {
	e := in.arena.get(noLane)
	e.task = t
	e.number = generation
	in.push(e) // its word stays as it is: the generation of the item itself is still counted
}
