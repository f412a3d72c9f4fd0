// Package loops shares the pieces of a loop between the goroutine that runs the loop and workers that have nothing else
// to do.
//
// A Table has the loops of one class of workers that want helpers. Table.For runs a loop. A worker that finds a bit in
// Table.Open joins a loop by Table.Join, runs pieces by Loop.Work, and leaves by Loop.Leave. Neither takes a lock or
// allocates.
package loops

import (
	"math/bits"
	"runtime"
	"time"

	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/fault"
	"github.com/frameslice/frameslice/internal/park"
	"github.com/frameslice/frameslice/internal/sleep"
)

// Max is how many loops of a Table can have helpers at a time. One more runs alone.
const Max = 64

// spins is how often a caller looks whether its last helper has left before the caller sleeps: 18 µs, as long as sleep
// and wake-up take. With a tenth of that, a loop of 9 µs that is shared with a helper takes 6.5 or 13 µs, by chance.
const spins = 2000

// A Table is the loops of one class of workers. Call Init before use.
type Table struct {
	set   *sleep.Set
	open  atomic.Uint64 // bit i: loops[i] wants helpers
	busy  atomic.Uint64 // bit i: loops[i] is in use
	_     [48]byte
	loops [Max]atomic.Pointer[Loop]
}

// A Loop is a loop that wants helpers: a descriptor in a Table, with a bit in the word open. No queue has an entry for
// it. Workers join and leave as they please, so joining late is free, and nothing has to be taken back at the end. A
// piece is a part of what is left, taken by a compare-and-swap of one counter.
//
// state counts the helpers within, with two flags: closed, when nobody may join, and parked, when the caller sleeps
// until the last helper leaves.
//
//	WL1  Helpers enter the loop by counting themselves in state, and only while it is not closed. The caller writes
//	     the other fields only while the loop is closed and empty, and helpers read them only while within.
//	WL2  The caller closes the loop. If anybody is within, the caller sets the flag parked by compare-and-swap of what
//	     it saw, and waits for one token. The helper whose leaving makes the count zero under both flags sends the
//	     token, once.
//
// The explorer runs one or two callers and one or two helpers, and finds ten mutants (protocol_test.go).
type Loop struct {
	table *Table
	bit   uint64
	who   string // names it in a PanicError
	body  func(lo, hi int)
	n     int64
	min   int64 // least elements of a chunk; if the grain is measured, at the beginning
	max   int64
	part  int64         // a chunk is 1/part of what is left
	chunk time.Duration // the least time of a chunk if the grain is measured, else 0: see pace

	_     [64]byte
	next  atomic.Int64 // the first element that nobody has
	_     [56]byte
	state atomic.Int32
	fail  atomic.Pointer[fault.PanicError] // the first
	done  park.Token
}

const (
	closed = 1 << 30
	parked = 1 << 29
)

// Init makes the table ready. Workers of the set are woken for its loops.
func (t *Table) Init(set *sleep.Set) { t.set = set }

// Open returns the loops that want helpers, as bits.
func (t *Table) Open() uint64 { return t.open.Load() }

// For calls body for pieces of [0, n), here and on at most so many helpers. With a grain of one or more, a piece has at
// least grain and at most top elements, else the grain is measured. A panic is raised as a *fault.PanicError that names
// who.
func (t *Table) For(who string, n, grain, top, helpers int, body func(lo, hi int)) {
	ended := false
	defer reraise(who, &ended)
	lo, least, most, chunk := 0, int64(grain), int64(top), time.Duration(0)
	if grain <= 0 {
		var each float64
		lo, each = t.probe(n, body)
		chunk = chunkFor(int64(helpers))
		least = within(chunk, each)
		most = double(least)
	}
	if lo < n && int64(n-lo) > least && helpers > 0 {
		if l := t.take(); l != nil {
			l.body, l.n, l.min, l.max, l.part = body, int64(n), least, max(least, most), 2*int64(helpers+1)
			l.chunk, l.who = chunk, who
			l.fail.Store(nil)
			l.next.Store(int64(lo))
			l.lead()
			ended = true
			return
		}
	}
	if lo < n {
		body(lo, n)
	}
	ended = true
}

// reraise, deferred, turns a panic into a *fault.PanicError, unless ended is true.
func reraise(who string, ended *bool) {
	if *ended {
		return
	}
	if v := recover(); v != nil {
		panic(fault.Capture(who, v))
	}
}

// take finds a loop that is free, or returns nil.
func (t *Table) take() *Loop {
	for {
		busy := t.busy.Load()
		if busy == ^uint64(0) {
			return nil
		}
		at := bits.TrailingZeros64(^busy)
		bit := uint64(1) << at
		if !t.busy.CompareAndSwap(busy, busy|bit) {
			continue
		}
		l := t.loops[at].Load()
		if l == nil {
			l = &Loop{table: t, bit: bit, done: park.NewToken()}
			l.state.Store(closed)
			t.loops[at].Store(l)
		}
		return l
	}
}

func (l *Loop) open() {
	l.state.Store(0)
	l.table.open.Or(l.bit)
}

// lead is the caller's part.
func (l *Loop) lead() {
	ended := false
	defer l.conclude(&ended)
	l.open()
	l.table.set.Notify()
	l.Work()
	ended = true
}

// Work runs pieces of the body until none is left.
func (l *Loop) Work() {
	for s := l.pace(); l.piece(&s); {
	}
}

// piece runs one piece, and reports whether there was one.
func (l *Loop) piece(s *pace) bool {
	for {
		lo := l.next.Load()
		left := l.n - lo
		if left <= 0 {
			return false
		}
		size := min(max(left/l.part, s.least), s.most, left)
		if left-size < s.least {
			size = left
		}
		if l.next.CompareAndSwap(lo, lo+size) {
			l.body(int(lo), int(lo+size))
			if s.chunk != 0 {
				s.learn(size)
			}
			return true
		}
	}
}

// conclude closes the loop, waits until the last helper has left (WL2), gives the loop back, and raises the first
// panic.
func (l *Loop) conclude(ended *bool) {
	exits := false
	if !*ended {
		if v := recover(); v != nil {
			l.fail.CompareAndSwap(nil, fault.Capture(l.who, v)) // a helper's may have come first
		} else {
			exits = true
		}
		l.next.Store(l.n) // no further pieces
	}
	t := l.table
	t.open.And(^l.bit)
	if l.state.Or(closed) != 0 {
		l.await()
	}
	pe := l.fail.Load()
	l.body = nil
	t.busy.And(^l.bit) // another goroutine may take the loop from here on
	if pe != nil && !exits {
		panic(pe)
	}
}

func (l *Loop) await() {
	for range spins {
		if l.state.Load() == closed {
			return
		}
		sleep.Pause()
	}
	for {
		s := l.state.Load()
		if s == closed {
			return
		}
		if l.state.CompareAndSwap(s, s|parked) {
			l.done.Wait()
			return
		}
	}
}

// Join enters a loop of the set open that has pieces left, and returns it, or nil.
func (t *Table) Join(open uint64) *Loop {
	for ; open != 0; open &= open - 1 {
		l := t.loops[bits.TrailingZeros64(open)].Load()
		for {
			s := l.state.Load()
			if s&closed != 0 {
				break
			}
			if l.state.CompareAndSwap(s, s+1) {
				if l.next.Load() < l.n {
					return l
				}
				l.Leave(false)
				break
			}
		}
	}
	return nil
}

// Roomy reports whether there is more left than one piece. For a helper that is within.
func (l *Loop) Roomy() bool { return l.n-l.next.Load() > l.min }

// Fail ends the loop early. It is for a helper whose piece has panicked with v, or called Goexit if v is nil, in the
// deferred function that recovered.
func (l *Loop) Fail(v any) {
	pe := &fault.PanicError{Value: fault.ErrGoexit, Label: l.who}
	if v != nil {
		pe = fault.Capture(l.who, v)
	}
	l.fail.CompareAndSwap(nil, pe)
	l.next.Store(l.n)
}

// Leave takes a helper out. If the caller sleeps, the last helper wakes it, and with giveWay yields to it. For the
// caller is next in this P's queue, and would otherwise wait there while the worker looks for more.
func (l *Loop) Leave(giveWay bool) {
	if l.state.Add(-1) == closed|parked {
		l.done.Post()
		if giveWay {
			runtime.Gosched()
		}
	}
}
