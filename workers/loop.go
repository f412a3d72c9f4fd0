package workers

import (
	"math"
	"math/bits"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/fault"
)

const (
	// maxLoops is how many calls of ParallelFor can have helpers at a time, in each class. One more runs
	// alone.
	maxLoops = 64

	// probeFor is how long an automatic ParallelFor measures its body before it decides, and probeHot the same where
	// somebody is awake and looking, whom it keeps waiting.
	probeFor = 4 * time.Microsecond
	probeHot = time.Microsecond

	// worthWaking is what must be left after that, or the caller does it alone, if a worker must be woken for it: a
	// wake-up is some 5 µs of the caller's time, and 10 µs until the helper begins. With 16 µs a loop of 19 µs took
	// 29. worthSharing is the same where somebody is awake and looking.
	worthWaking  = 40 * time.Microsecond
	worthSharing = 8 * time.Microsecond

	// chunkMin and chunkMax bound the time of an automatic chunk: the lower makes taking one (10 to 50 ns)
	// negligible, the upper bounds how long the caller waits for a helper that was descheduled with the last
	// one.
	chunkMin = 8 * time.Microsecond
	chunkMax = 200 * time.Microsecond
)

// A loop is a ParallelFor that wants helpers. There is no ticket in any queue: workers see it in crew.open,
// join and leave as they please, so joining late costs nobody anything, and nothing has to be taken back at
// the end.
//
// state counts the helpers within, with two flags: closed (nobody may join; the fields below belong to the
// next ParallelFor as soon as the count is zero) and parked (the caller sleeps until the last helper leaves).
// A helper reads the other fields only between a join and its leave, the caller writes them only while closed
// and empty (L1).
type loop struct {
	body func(lo, hi int)
	n    int64
	min  int64 // elements of a chunk, at least
	max  int64
	part int64 // a chunk is this part of what is left
	bit  uint64
	lane int // at which its helpers come; 0 is before all
	// graph is instead of body: its ready nodes are the pieces.
	graph *Graph

	_     [64]byte
	next  atomic.Int64 // the first element that nobody has
	_     [56]byte
	state atomic.Int32
	fail  atomic.Pointer[PanicError] // the first
	done  chan struct{}
	stack [32]byte // for goidIn, the caller's
}

const (
	loopClosed = 1 << 30
	loopParked = 1 << 29
)

// ParallelFor calls body for pieces [lo, hi) that together make up [0, n), on the calling goroutine and on as
// many workers as have nothing else to do, and returns when all calls have. A piece has at least grain
// elements but for the last. With a grain of zero or less it measures the body first, chooses the grain, and
// does all the work itself if it is too little (some 40 µs) to be worth waking anybody.
//
// If a call of body panics, no further pieces are begun, and ParallelFor panics with the first *PanicError
// after all calls have ended. A runtime.Goexit in body counts as a panic with ErrGoexit; on the calling
// goroutine it is simply that, after all calls have ended.
//
// Any goroutine may call it, within a job too (where Worker.ParallelFor is better if it may be a background
// one), any number at once, and on a pool without workers, or closed. It does not allocate.
func (p *Pool) ParallelFor(n, grain int, body func(lo, hi int)) {
	p.parallelFor(&p.crews[ordinary], 0, n, grain, body)
}

// ParallelFor is Pool.ParallelFor with helpers of this worker's own class: one of background workers does not
// take ordinary ones away from the frame.
func (w *Worker) ParallelFor(n, grain int, body func(lo, hi int)) {
	c := w.crew
	if c == nil {
		c = &w.pool.crews[ordinary]
	}
	w.pool.parallelFor(c, 0, n, grain, body)
}

func (p *Pool) parallelFor(c *crew, lane, n, grain int, body func(lo, hi int)) {
	if body == nil {
		panic("workers: ParallelFor of a nil function")
	}
	if n <= 0 {
		return
	}
	ended := false
	defer reraise(&ended)
	lo, least, most := 0, int64(grain), int64(n)
	if grain <= 0 {
		start := deadline.Now()
		var spent time.Duration
		probe := probeFor
		if c.searching.Load() > 0 {
			probe = probeHot
		}
		for size := 1; lo < n && spent < probe; size += min(size, math.MaxInt/2-size) {
			hi := n - (n-lo)/2
			if n-lo > size {
				hi = lo + size
			}
			body(lo, hi)
			lo = hi
			spent = deadline.Now().Sub(start)
		}
		each := float64(spent) / float64(lo)
		worth := worthWaking
		if c.searching.Load() > 0 {
			worth = worthSharing
		}
		if each*float64(n-lo) < float64(worth) {
			least = int64(n)
		} else {
			least = max(1, int64(float64(chunkMin)/each))
			most = max(1, int64(float64(chunkMax)/each))
		}
	}
	helpers := int64(c.helpers())
	if lo < n && int64(n-lo) > least && helpers > 0 && p.state.Load() != gone {
		if l := c.openLoop(); l != nil {
			l.body, l.n, l.min, l.max, l.part = body, int64(n), least, max(least, most), 2*(helpers+1)
			l.lane = lane
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
func reraise(ended *bool) {
	if *ended {
		return
	}
	if v := recover(); v != nil {
		panic(fault.Capture("ParallelFor", v))
	}
}

// openLoop finds a loop that is free, or returns nil.
func (c *crew) openLoop() *loop {
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
func (l *loop) lead(c *crew) {
	ended := false
	defer l.conclude(c, &ended)
	l.state.Store(0)
	if l.lane > 0 {
		c.later.Or(l.bit) // before it is open
	}
	c.open.Or(l.bit) // W1
	c.notify()
	l.work()
	ended = true
}

// work runs pieces until none is left.
func (l *loop) work() {
	for l.piece() {
	}
}

// piece runs one piece, and reports whether there was one.
func (l *loop) piece() bool {
	for {
		lo := l.next.Load()
		left := l.n - lo
		if left <= 0 {
			return false
		}
		size := min(max(left/l.part, l.min), l.max, left)
		if left-size < l.min {
			size = left
		}
		if l.next.CompareAndSwap(lo, lo+size) {
			l.body(int(lo), int(lo+size))
			return true
		}
	}
}

// conclude waits until the last helper has left, and raises what went wrong.
func (l *loop) conclude(c *crew, ended *bool) {
	var pe *PanicError
	if !*ended {
		if v := recover(); v != nil {
			pe = fault.Capture("ParallelFor", v)
		}
		l.next.Store(l.n) // no further pieces
	}
	l.shut(c)
	if l.lane > 0 {
		c.later.And(^l.bit)
		l.lane = 0
	}
	if first := l.fail.Load(); first != nil && *ended {
		pe = first
	}
	l.body = nil
	c.busy.And(^l.bit)
	if pe != nil {
		panic(pe)
	}
}

// shut closes the loop and waits until the last helper has left (L2).
func (l *loop) shut(c *crew) {
	c.open.And(^l.bit)
	if l.state.Or(loopClosed) != 0 {
		l.await(c.pool)
	}
}

// inviting reports whether there are pieces left, to one who is within.
func (l *loop) inviting() bool {
	if g := l.graph; g != nil {
		return !g.ready.empty()
	}
	return l.next.Load() < l.n
}

// roomy reports whether there is more left than one piece, to one who is within.
func (l *loop) roomy() bool { return l.graph != nil || l.n-l.next.Load() > l.min }

// loopSpins is how often the caller looks before it sleeps: about 5 µs.
const loopSpins = 200

func (l *loop) await(p *Pool) {
	for range loopSpins {
		if l.state.Load() == loopClosed {
			return
		}
		spin()
	}
	for {
		s := l.state.Load()
		if s == loopClosed {
			return
		}
		if l.state.CompareAndSwap(s, s|loopParked) {
			p.rest(l.done, l.stack[:])
			return
		}
	}
}

// enlist joins a loop of the set m that has pieces left, into w.joined.
func (w *Worker) enlist(m uint64) bool { return w.enlistAt(m, -1) }

// enlistAt is enlist for the loops of one lane, if that is not negative.
func (w *Worker) enlistAt(m uint64, lane int) bool {
	c := w.crew
	for ; m != 0; m &= m - 1 {
		l := c.loops[bits.TrailingZeros64(m)].Load()
		for {
			s := l.state.Load()
			if s&loopClosed != 0 {
				break
			}
			if l.state.CompareAndSwap(s, s+1) {
				if (lane < 0 || l.lane == lane) && l.inviting() {
					w.joined = l
					return true
				}
				l.leave(false)
				break
			}
		}
	}
	return false
}

// help is a worker's part. A panic of the body is the caller's, and ends here; a Goexit ends the worker's
// goroutine, which rescue replaces.
func (l *loop) help(w *Worker) { l.helpAs(w, w) }

// helpAs is help where nodes of a graph get another Worker, because a job of w has that one.
func (l *loop) helpAs(w, as *Worker) {
	ended := false
	defer func() {
		if !ended {
			pe := &PanicError{Value: ErrGoexit, Label: "ParallelFor"}
			if v := recover(); v != nil {
				pe = fault.Capture("ParallelFor", v)
			}
			if l.graph == nil { // a node ends by itself, however it ends (G5)
				l.fail.CompareAndSwap(nil, pe)
				l.next.Store(l.n)
			}
		}
		w.started.Store(0)
		w.runs++
		l.leave(!w.crew.low)
	}()
	w.show(&w.pool.loopKind)
	start := deadline.Now()
	w.started.Store(int64(start))
	switch {
	case l.graph != nil:
		l.graph.help(w, as)
	case l.lane > 0:
		l.workIn(w)
	default:
		l.work()
	}
	w.busyNS += int64(deadline.Now().Sub(start))
	ended = true
}

// leave takes a helper out. The last one of a loop whose caller sleeps wakes it, and makes way: the caller is
// next in this P's queue, and would otherwise wait there while the worker looks for more.
func (l *loop) leave(giveWay bool) {
	if l.state.Add(-1) == loopClosed|loopParked {
		l.done <- struct{}{}
		if giveWay {
			runtime.Gosched()
		}
	}
}
