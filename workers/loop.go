package workers

import (
	"math/bits"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/internal/fault"
	"github.com/frameslice/frameslice/internal/sleep"
)

// maxLoops is how many calls of ParallelFor can have helpers at a time, in each class. One more runs alone.
const maxLoops = 64

// A loop is a ParallelFor that wants helpers: a descriptor in a table of the class, with a bit in the word open. There
// is no ticket in any queue. Workers join and leave as they please, so joining late is free, and nothing has to be
// taken back at the end. A piece is a part of what is left, taken by a compare-and-swap of one counter.
//
// state counts the helpers within, with two flags: closed, when nobody may join, and parked, when the caller sleeps
// until the last helper leaves.
//
//	WL1  Helpers count themselves in state, which they enter only while it is not closed. The caller writes the other
//	     fields only while the loop is closed and empty, and helpers read them only while within.
//	WL2  The caller closes the loop. If anybody is within, the caller sets the flag parked by compare-and-swap of what
//	     it saw, and waits for one token. The helper whose leaving makes the count zero under both flags sends the
//	     token, once.
type loop struct {
	body  func(lo, hi int)
	who   string // names it in a PanicError
	n     int64
	min   int64 // elements of a chunk, at least, to begin with if the grain is measured
	max   int64
	chunk time.Duration // the least time of a chunk if the grain is measured, else 0: see pace
	part  int64         // a chunk is this part of what is left
	bit   uint64
	// graph is instead of body: its ready nodes are the pieces.
	graph *Graph

	_     [64]byte
	next  atomic.Int64 // the first element that nobody has
	_     [56]byte
	state atomic.Int32
	fail  atomic.Pointer[PanicError] // the first
	done  chan struct{}
}

const (
	loopClosed = 1 << 30
	loopParked = 1 << 29
)

// ParallelFor calls body for pieces [lo, hi) that together make up [0, n), and returns when all calls have. Pieces run
// on the calling goroutine and on workers that have nothing else to do. A piece has at least grain elements, but the
// last may have fewer. With a grain of zero or less ParallelFor chooses the grain, and wakes a worker only for more
// than some 40 µs of work.
//
// It works on a closed pool, too, and does not allocate. In a background worker's job use Worker.ParallelFor.
func (p *Pool) ParallelFor(n, grain int, body func(lo, hi int)) {
	p.parallelFor(&p.classes[ordinary], "ParallelFor", n, grain, n, body)
}

// ParallelFor is Pool.ParallelFor with helpers of this worker's own class.
func (w *Worker) ParallelFor(n, grain int, body func(lo, hi int)) {
	w.pool.parallelFor(w.loopClass(), "ParallelFor", n, grain, n, body)
}

// loopClass returns who helps with a loop of w's job.
func (w *Worker) loopClass() *class {
	if w.low() {
		return &w.pool.classes[background]
	}
	return &w.pool.classes[ordinary]
}

// parallelFor is ParallelFor with helpers of a class, and with a name for its panics. With a grain from one on a piece
// has at most top elements.
func (p *Pool) parallelFor(c *class, who string, n, grain, top int, body func(lo, hi int)) {
	if body == nil {
		panic("workers: ParallelFor of a nil function")
	}
	if n <= 0 {
		return
	}
	ended := false
	defer reraise(who, &ended)
	lo, least, most, chunk := 0, int64(grain), int64(top), time.Duration(0)
	helpers := int64(c.helpers())
	if grain <= 0 {
		var each float64
		lo, each = c.probe(n, body)
		chunk = chunkFor(helpers)
		least = within(chunk, each)
		most = double(least)
	}
	if lo < n && int64(n-lo) > least && helpers > 0 && p.state.Load() != gone {
		if l := c.openLoop(); l != nil {
			l.body, l.n, l.min, l.max, l.part = body, int64(n), least, max(least, most), 2*(helpers+1)
			l.chunk, l.who = chunk, who
			l.fail.Store(nil)
			l.next.Store(int64(lo))
			l.lead(c)
			ended = true
			return
		}
	}
	if lo < n {
		body(lo, n)
	}
	ended = true
}

// reraise turns a panic of body into a *PanicError.
func reraise(who string, ended *bool) {
	if *ended {
		return
	}
	if v := recover(); v != nil {
		panic(fault.Capture(who, v))
	}
}

// openLoop finds a loop that is free, or returns nil.
func (c *class) openLoop() *loop {
	for {
		busy := c.busy.Load()
		if busy == ^uint64(0) {
			return nil
		}
		at := bits.TrailingZeros64(^busy)
		bit := uint64(1) << at
		if !c.busy.CompareAndSwap(busy, busy|bit) {
			continue
		}
		l := c.loops[at].Load()
		if l == nil {
			l = &loop{bit: bit, done: make(chan struct{}, 1)}
			l.state.Store(loopClosed)
			c.loops[at].Store(l)
		}
		return l
	}
}

// lead is the caller's part.
func (l *loop) lead(c *class) {
	ended := false
	defer l.conclude(c, &ended)
	l.state.Store(0)
	c.open.Or(l.bit) // W1
	c.notify()
	l.work()
	ended = true
}

// work runs pieces until none is left.
func (l *loop) work() {
	for s := l.pace(); l.piece(&s); {
	}
}

// piece runs one piece, and reports whether there was one.
func (l *loop) piece(s *pace) bool {
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

// conclude waits until the last helper has left, and raises what went wrong.
func (l *loop) conclude(c *class, ended *bool) {
	exits := false
	if !*ended {
		if v := recover(); v != nil {
			l.fail.CompareAndSwap(nil, fault.Capture(l.who, v)) // a helper's may have been before
		} else {
			exits = true
		}
		l.next.Store(l.n) // no further pieces
	}
	l.shut(c)
	pe := l.fail.Load()
	l.body = nil
	c.busy.And(^l.bit)
	if pe != nil && !exits {
		panic(pe)
	}
}

// shut closes the loop and waits until the last helper has left (WL2).
func (l *loop) shut(c *class) {
	c.open.And(^l.bit)
	if l.state.Or(loopClosed) != 0 {
		l.await()
	}
}

func (l *loop) await() {
	for range loopSpins {
		if l.state.Load() == loopClosed {
			return
		}
		sleep.Pause()
	}
	for {
		s := l.state.Load()
		if s == loopClosed {
			return
		}
		if l.state.CompareAndSwap(s, s|loopParked) {
			<-l.done
			return
		}
	}
}
