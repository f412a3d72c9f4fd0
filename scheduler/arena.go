package scheduler

import (
	"math/bits"
	"sync/atomic"

	"github.com/frameslice/frameslice/deadline"
)

// item is what the queue, the inbox and a Handle point at. A Task has one inside; a posted function gets one from the
// arena. 128 bytes: two cache lines, of which the first is the queue's.
//
// Who may touch what: word, any goroutine by the rules in word.go. next, whoever set flagInbox, until the drain clears
// it. fn, the goroutine that submits, then whoever ends the life. free and index: see arena. task never changes, except
// in a relay. The rest is the frame goroutine's.
type item struct {
	node deadline.Node[*item]

	word  atomic.Uint64
	next  *item // towards older pushes in the inbox
	fn    func()
	task  *Task         // nil for a posted function
	back  *item         // with fore: the place in one of the lists of the frame goroutine
	fore  *item         //
	free  atomic.Uint32 // next free item of the arena; the life that a relay carries
	index uint32        // in the arena, from 1; 0 for a Task

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
)

// arena hands out items for posted functions, to any goroutine, without a lock and without allocating once it is as
// large as the most functions that ever waited at a time. It never shrinks.
//
// The free items are a stack threaded through item.free by index. Its top is one word, tag<<32 | index: each pop
// raises the tag, so a pop which was overtaken between its two reads fails its compare-and-swap even if the same item
// is on top again (the ABA problem; S7). Indices instead of pointers make room for the tag, and mean that a popper may
// read the free field of an item that it has already lost, which is why that field is atomic.
//
// Rejected: sync.Pool, which the collector empties, so "steady state" would end at every cycle; a mutex, which a
// producer on a low-priority thread could hold while the frame goroutine wants it.
type arena struct {
	top    atomic.Uint64
	chunks [arenaChunks]atomic.Pointer[[]item]
}

const (
	arenaFirst  = 64 // items of the first chunk; each further chunk is twice the one before
	arenaShift  = 6
	arenaChunks = 26
)

// at returns the item with the given index, from 1.
func (a *arena) at(index uint32) *item {
	i := index - 1 + arenaFirst
	k := bits.Len32(i) - 1
	return &(*a.chunks[k-arenaShift].Load())[i-1<<k]
}

// get returns an item that nobody else has.
func (a *arena) get() *item {
	for {
		top := a.top.Load()
		index := uint32(top)
		if index == 0 {
			return a.grow()
		}
		it := a.at(index)
		next := it.free.Load()
		if a.top.CompareAndSwap(top, (top>>32+1)<<32|uint64(next)) {
			return it
		}
	}
}

// put returns a chain of items, linked by free from first to last, to the stack.
func (a *arena) put(first, last *item) {
	for {
		top := a.top.Load()
		last.free.Store(uint32(top))
		if a.top.CompareAndSwap(top, top>>32<<32|uint64(first.index)) {
			return
		}
	}
}

// grow adds a chunk, keeps one item and frees the rest. Producers that find the stack empty at the same time each add
// the next larger chunk rather than wait for one another.
func (a *arena) grow() *item {
	base := uint32(0)
	for k := range a.chunks {
		size := uint32(arenaFirst) << k
		if a.chunks[k].Load() != nil {
			base += size
			continue
		}
		chunk := make([]item, size)
		for i := range chunk {
			it := &chunk[i]
			it.node.Value = it
			it.index = base + uint32(i) + 1
			it.free.Store(it.index + 1)
		}
		if !a.chunks[k].CompareAndSwap(nil, &chunk) {
			base += size
			continue
		}
		a.put(&chunk[1], &chunk[size-1])
		return &chunk[0]
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
