package scheduler

import (
	"math/bits"

	"github.com/frameslice/frameslice/internal/atomic"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/taskqueue"
)

// item is what the queue, the inbox and a Handle point at. A Task has one inside; a posted function gets one from the
// arena. It has 128 bytes, two cache lines. Delayed functions come due in another order than they lie in memory. So the
// second line has all fields that a function needs then, and the first line has the fields that lists need.
//
// Any goroutine may touch word, by the rules in core_word.go. next belongs to the goroutine that has set flagInbox,
// until the drain clears the flag. fn belongs to the goroutine that submits the item, then to the goroutine that ends
// its generation. index never changes, nor does task, except in an envelope. All other fields are the frame
// goroutine's.
type item struct {
	next   *item  // towards older pushes in the inbox
	task   *Task  // nil for a posted function
	back   *item  // with fore: the place in one of the lists of the frame goroutine
	fore   *item  // in a post to a group that has not been read: the entry of the group
	number uint32 // of an envelope: a generation; of a group request: its kind, as requestCancel; see also tellEnds
	order  uint32 // of a group request: its argument; see timerOrder

	node taskqueue.Node[*item] // the second line begins with its fourth word

	word  atomic.Uint64
	fn    func()
	index uint32 // in the arena, from 1; 0 for a Task, and for Scheduler.draw, which never runs
	where place
	plain bool  // SetPriority has ended the task's own timeout
	fatal bool  // a coroutine that is queued to unwind
	skips uint8 // frames that count against its patience (S34), at most patience
}

// isPosted reports whether the item, which is to run, is a posted function and no Task, without a look at its first
// line.
func (it *item) isPosted() bool { return it.index != 0 }

// place says which list holds an item, or what it waits for.
type place uint8

const (
	nowhere place = iota
	inQueue
	inOverdue // in the queue, set aside, and in the list of overdue work
	inPassed  // in the queue, set aside for this slice because it does not fit
	inFrame   // waits for BeginFrame
	inWait    // waits for another task
	inAwait   // waits for an Awaitable
	inLater   // delayed, by the time of its group; of the entry of a group: see S44
	inParked  // its turn had come while its group was paused

	inMicro     // a microtask
	inDraw      // waits for the end of a drawing
	inIdle      // waits for idle time
	inIdleTimed // waits for idle time, and in the queue for its timeout

	isSpent      // in no list: a function that was cancelled, whose end was told already
	isGroupEntry // of a group
	// isGroupRequest: a request to a group, which uses the fields of an item in its own way. number is what is
	// asked for, order the argument, fore the group or task that is meant, and fn a callback.
	isGroupRequest

	inOnce // the last of the list: inOnce+2p is a callback of Once in phase p, and the next one a callback of Each
)

// arena hands out items for posted functions, to any goroutine, without a lock. It never shrinks, and allocates only if
// more functions wait than ever before.
//
// A bitmap says which items are free. Each word has the bits of 64 items, and lies beside them. To take an item is to
// clear its bit by a compare-and-swap of the word. If the word has the value that was read, the bit is still set,
// whatever happened in between. So there is no ABA problem (S7). A hint says where the lowest free bits are. A wrong
// hint makes the search longer, and no more. Low items come first, to keep together what is used together. Functions of
// one priority run together, so each priority has a hint and looks for a block of its own first.
//
// Rejected: a stack of free items under a tagged index. It hands out items in the order in which work ended. After
// a burst of mixed priorities that is a random walk through memory, three times as slow for 100,000 items. Rejected:
// sync.Pool, which each collection empties. Rejected: a mutex, which a producer on a low-priority thread could hold
// while the frame goroutine wants it.
type arena struct {
	hint   [arenaHints]atomic.Pointer[block] // by lane; the last one is for items without a lane
	blocks atomic.Uint32                     // that exist
	chunks [arenaChunks]atomic.Pointer[chunk]

	// The frame goroutine's: the bits of one block that it has not set yet.
	freed *block
	mask  uint64
}

// block is a word with the items that its bits are about. Items lie at multiples of 128 bytes: in two lines.
type block struct {
	free  atomic.Uint64
	index uint32        // among all blocks
	owner atomic.Uint32 // which hint it was last used by
	_     [112]byte
	items [64]item
}

// chunk k has 1<<k blocks, those from 1<<k - 1 on.
type chunk struct{ blocks []block }

const (
	arenaChunks = 24 // a billion items
	arenaHints  = deadline.NumPriorities + 1
	noLane      = deadline.NumPriorities
)

// at returns block i.
func (a *arena) at(i uint32) *block {
	k := bits.Len32(i+1) - 1
	return &a.chunks[k].Load().blocks[i+1-1<<k]
}

// get returns an item that nobody else has, for a function of the lane. lane may be noLane. Any goroutine.
func (a *arena) get(lane int) *item {
	if b := a.hint[lane].Load(); b != nil {
		if v := b.free.Load(); v != 0 && b.free.CompareAndSwap(v, v&(v-1)) {
			return &b.items[bits.TrailingZeros64(v)&63]
		}
	}
	return a.search(lane)
}

// search looks for a free item in all blocks, where that of the hint has none.
func (a *arena) search(lane int) *item {
	start := uint32(0)
	if b := a.hint[lane].Load(); b != nil {
		start = b.index
	}
	n := a.blocks.Load() // loaded after the hint, so start is below n and the search comes back to start
	if n == 0 {
		return a.grow(lane)
	}
	if a.shared(lane) {
		for i := start; i < min(start+emptyBlocks, n); i++ {
			if b := a.at(i); b.free.Load() == ^uint64(0) {
				if it := a.take(b, lane); it != nil {
					return it
				}
			}
		}
	}
	for i := start; ; {
		if i < n {
			if it := a.take(a.at(i), lane); it != nil {
				return it
			}
			i++
		} else {
			i = 0
		}
		if i == start {
			return a.grow(lane)
		}
	}
}

// shared reports whether items of other lanes have been handed out.
func (a *arena) shared(lane int) bool {
	for i := range a.hint {
		if i != lane && a.hint[i].Load() != nil {
			return true
		}
	}
	return false
}

// take returns a free item of b and points the lane's hint at b. It returns nil if b has no free item.
func (a *arena) take(b *block, lane int) *item {
	for v := b.free.Load(); v != 0; v = b.free.Load() {
		if b.free.CompareAndSwap(v, v&(v-1)) {
			a.point(b, lane)
			return &b.items[bits.TrailingZeros64(v)]
		}
	}
	return nil
}

// point makes b the hint of the lane.
func (a *arena) point(b *block, lane int) {
	if a.hint[lane].Load() != b {
		b.owner.Store(uint32(lane))
		a.hint[lane].Store(b)
	}
}

// put gives an item back. Frame goroutine. It collects the items of one block, and flush makes them available.
func (a *arena) put(it *item) {
	i := it.index - 1
	if a.mask == 0 || a.freed.index != i/64 {
		a.flush()
		a.freed = a.at(i / 64)
	}
	a.mask |= 1 << (i % 64)
}

// flush makes available what was put. Frame goroutine.
func (a *arena) flush() {
	if a.mask == 0 {
		return
	}
	a.freed.free.Or(a.mask)
	a.mask = 0
	hint := &a.hint[a.freed.owner.Load()]
	if b := hint.Load(); b == nil || a.freed.index < b.index {
		hint.Store(a.freed)
	}
}

// grow adds a chunk and keeps one of its items. Producers that find nothing free at the same time each add
// the next larger chunk rather than wait for one another.
func (a *arena) grow(lane int) *item {
	for k := range a.chunks {
		if a.chunks[k].Load() != nil {
			continue
		}
		first := uint32(1)<<k - 1
		c := &chunk{make([]block, 1<<k)}
		for i := range c.blocks {
			c.blocks[i].fill(first + uint32(i))
		}
		mine := &c.blocks[0]
		mine.free.Store(^uint64(1)) // the first is ours
		if !a.chunks[k].CompareAndSwap(nil, c) {
			continue
		}
		// The goroutine that raises blocks has seen this chunk and all before it.
		end := first + 1<<k
		for n := a.blocks.Load(); n < end && !a.blocks.CompareAndSwap(n, end); n = a.blocks.Load() {
		}
		a.point(mine, lane)
		return &mine.items[0]
	}
	panic("scheduler: a billion posted functions are waiting")
}

// fill makes the items of block i, all free.
func (b *block) fill(i uint32) {
	b.index = i
	b.free.Store(^uint64(0))
	for j := range b.items {
		it := &b.items[j]
		it.node.Value = it
		it.index = i*64 + uint32(j) + 1
	}
}
