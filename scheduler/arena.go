package scheduler

import (
	"math/bits"
	"sync/atomic"

	"github.com/frameslice/frameslice/deadline"
)

// item is what the queue, the inbox and a Handle point at. A Task has one inside; a posted function gets
// one from the arena. 128 bytes: two cache lines, of which the first is the queue's.
//
// Who may touch what: word, any goroutine by the rules in word.go. next, whoever set flagInbox, until the
// drain clears it. fn, the goroutine that submits, then whoever ends the life. index never changes, nor
// does task, except in a relay. The rest is the frame goroutine's.
type item struct {
	node deadline.Node[*item]

	word  atomic.Uint64
	next  *item // towards older pushes in the inbox
	fn    func()
	task  *Task  // nil for a posted function
	back  *item  // with fore: the place in one of the lists of the frame goroutine
	fore  *item  // in a post to a group that has not been read: the anchor of the group
	life  uint32 // of the task, in a relay
	index uint32 // in the arena, from 1; 0 for a Task

	order uint32 // of submission, among all that is queued; wraps around
	where place
	plain bool  // SetPriority has ended the task's own timeout
	fatal bool  // a coroutine that is queued to unwind
	skips uint8 // frames in which it was passed over
}

// place says which list holds an item, or what it waits for.
type place uint8

const (
	nowhere place = iota
	inQueue
	inLate   // in the queue, set aside, and in the list of overdue work
	inPassed // in the queue, set aside for this slice because it does not fit
	inFrame  // waits for BeginFrame
	inWait   // waits for another task
	inAwait  // waits for a callback

	inMicro     // a microtask
	inDraw      // waits for the end of a drawing
	inIdle      // waits for idle time
	inIdleTimed // waits for idle time, and in the queue for its timeout

	isMessage // not a task but a message to a group: life is what, order a lane, fore the group, fn a callback

	inOnce // with the five that follow: a callback, two for each phase, of Once and of Each
)

// arena hands out items for posted functions, to any goroutine, without a lock, and without allocating once
// it is as large as the most functions that ever waited at a time. It never shrinks.
//
// Which items are free is a bitmap, 64 to a word. To take one is to clear its bit by a compare-and-swap of
// its word: if the word still has the value that was read, the bit is still set, whatever happened in
// between, so there is no ABA problem (S7). Hint is where the lowest free bits are, as far as somebody
// knows; it may be wrong, and then the search is longer. Low items first keeps what is used together
// together, and small.
//
// Rejected: a stack of free items under a tagged index, which is also right, but hands items out in the
// order in which work ended: after a burst with mixed priorities that is a random walk through memory, and
// three times as slow for 100,000 items; sync.Pool, which the collector empties, so "steady state" would
// end at every cycle; a mutex, which a producer on a low-priority thread could hold while the frame
// goroutine wants it.
type arena struct {
	hint   atomic.Uint32 // a word
	words  atomic.Uint32 // that exist
	chunks [arenaChunks]atomic.Pointer[chunk]

	// The frame goroutine's: the bits of one word that it has not set yet.
	word uint32
	mask uint64
}

// chunk k has 1<<k words, those from 1<<k - 1 on, and their items.
type chunk struct {
	free  []atomic.Uint64
	items []item
}

const arenaChunks = 26

// at returns word w with its chunk and its place there.
func (a *arena) at(w uint32) (c *chunk, i uint32) {
	k := bits.Len32(w+1) - 1
	return a.chunks[k].Load(), w + 1 - 1<<k
}

// get returns an item that nobody else has.
func (a *arena) get() *item {
	start, n := a.hint.Load(), a.words.Load()
	for w := start; ; {
		if w < n {
			c, i := a.at(w)
			for v := c.free[i].Load(); v != 0; v = c.free[i].Load() {
				if c.free[i].CompareAndSwap(v, v&(v-1)) {
					if w != start {
						a.hint.Store(w)
					}
					return &c.items[i*64+uint32(bits.TrailingZeros64(v))]
				}
			}
			w++
		} else {
			w = 0
		}
		if w == start || n == 0 {
			return a.grow()
		}
	}
}

// put gives an item back. Frame goroutine. It collects the items of one word, which flush makes available.
func (a *arena) put(it *item) {
	i := it.index - 1
	if w := i / 64; w != a.word {
		a.flush()
		a.word = w
	}
	a.mask |= 1 << (i % 64)
}

// flush makes available what was put. Frame goroutine.
func (a *arena) flush() {
	if a.mask == 0 {
		return
	}
	c, i := a.at(a.word)
	c.free[i].Or(a.mask)
	a.mask = 0
	if a.word < a.hint.Load() {
		a.hint.Store(a.word)
	}
}

// grow adds a chunk and keeps one of its items. Producers that find nothing free at the same time each add
// the next larger chunk rather than wait for one another.
func (a *arena) grow() *item {
	for k := range a.chunks {
		if a.chunks[k].Load() != nil {
			continue
		}
		first := uint32(1)<<k - 1
		c := &chunk{free: make([]atomic.Uint64, 1<<k), items: make([]item, 64<<k)}
		for i := range c.items {
			it := &c.items[i]
			it.node.Value = it
			it.index = first*64 + uint32(i) + 1
		}
		for i := range c.free {
			c.free[i].Store(^uint64(0))
		}
		c.free[0].Store(^uint64(1)) // the first is ours
		if !a.chunks[k].CompareAndSwap(nil, c) {
			continue
		}
		// Whoever raises words has seen this chunk and all before it.
		end := first + 1<<k
		for n := a.words.Load(); n < end && !a.words.CompareAndSwap(n, end); n = a.words.Load() {
		}
		a.hint.Store(first)
		return &c.items[0]
	}
	panic("scheduler: four billion posted functions are waiting")
}

// list is a doubly linked list of items, threaded through back and fore. Frame goroutine.
type list struct {
	head, tail *item
}

func (l *list) push(it *item) {
	it.back, it.fore = l.tail, nil
	if l.tail != nil {
		l.tail.fore = it
	} else {
		l.head = it
	}
	l.tail = it
}

// insert puts it before at; at the end if that is nil.
func (l *list) insert(it, at *item) {
	if at == nil {
		l.push(it)
		return
	}
	it.back, it.fore = at.back, at
	if at.back != nil {
		at.back.fore = it
	} else {
		l.head = it
	}
	at.back = it
}

func (l *list) remove(it *item) {
	if it.back != nil {
		it.back.fore = it.fore
	} else {
		l.head = it.fore
	}
	if it.fore != nil {
		it.fore.back = it.back
	} else {
		l.tail = it.back
	}
	it.back, it.fore = nil, nil
}
