package workers

import (
	"slices"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/loops"
	"github.com/frameslice/frameslice/internal/regions"
)

// How workers help with loops is in internal/loops: WL1, WL2.

// ParallelFor calls body for pieces [lo, hi) that together make up [0, n), and returns when all calls have. Pieces run
// on the calling goroutine and on workers that have nothing else to do. A piece has at least grain elements, but the
// last may have fewer. With a grain of zero or less ParallelFor chooses the grain, and wakes a worker only for more
// than about 40 µs of work.
//
// It works on a closed pool, too, and does not allocate. In a background worker's job use Worker.ParallelFor.
func (p *Pool) ParallelFor(n, grain int, body func(lo, hi int)) {
	p.parallelFor(&p.classes[ordinary], "ParallelFor", n, grain, n, body)
}

// ParallelFor calls body as Pool.ParallelFor does. Workers of this worker's own class help.
func (w *Worker) ParallelFor(n, grain int, body func(lo, hi int)) {
	w.pool.parallelFor(w.loopClass(), "ParallelFor", n, grain, n, body)
}

// loopClass returns the class that helps with a loop of w's job.
func (w *Worker) loopClass() *class {
	if w.low() {
		return &w.pool.classes[background]
	}
	return &w.pool.classes[ordinary]
}

// parallelFor calls body with helpers of a class. Panics are named who. With a grain of one or more, a
// piece has at most top elements.
func (p *Pool) parallelFor(c *class, who string, n, grain, top int, body func(lo, hi int)) {
	if body == nil {
		panic("workers: ParallelFor of a nil function")
	}
	if n <= 0 {
		return
	}
	helpers := int(c.helpers())
	if p.state.Load() == gone {
		helpers = 0
	}
	c.loops.For(who, n, grain, top, helpers, body)
}

// joinLoop takes part in a loop of the set open that has pieces left, and stores it in w.joined.
func (w *Worker) joinLoop(open uint64) bool {
	w.joined = w.class.loops.Join(open)
	return w.joined != nil
}

// help is a worker's part in a loop. A panic of the body ends here, and is raised in the caller. A Goexit ends the
// worker's goroutine, which rescue replaces.
func (w *Worker) help(l *loops.Loop) {
	ended := false
	defer func() {
		if !ended {
			l.Fail(recover())
		}
		w.ledger.clockOut(deadline.Now())
		w.ledger.runs++
		l.Leave(!w.class.low)
	}()
	w.show(&w.pool.kinds.loop)
	if regions.On() {
		r := w.names.Begin(regions.Job, w.pool.kinds.loop.Label)
		defer r.End()
	}
	w.ledger.clockIn(deadline.Now())
	l.Work()
	ended = true
}

// A Looper runs loops: a *Pool, or within a job its *Worker.
type Looper interface {
	// ParallelFor is like Pool.ParallelFor.
	ParallelFor(n, grain int, body func(lo, hi int))
}

// mustLoop panics if l is nil, also where the work is so little that no Looper is needed.
func mustLoop(l Looper, who string) {
	if l == nil {
		panic("workers: " + who + " with a nil Looper")
	}
}

// loopOn calls l.ParallelFor. If l is a *Pool or *Worker, panics name who instead, and with a grain of one or more a
// piece has at most top elements. A type that embeds one of them may have a ParallelFor of its own, so loopOn calls
// that.
func loopOn(l Looper, who string, n, grain, top int, body func(lo, hi int)) {
	switch l := l.(type) {
	case *Pool:
		l.parallelFor(&l.classes[ordinary], who, n, grain, top, body)
	case *Worker:
		l.pool.parallelFor(l.loopClass(), who, n, grain, top, body)
	default:
		l.ParallelFor(n, grain, body)
	}
}

// Join calls every function, on the calling goroutine and on workers that have nothing else to do, and returns when all
// have returned. Functions should take 10 µs or more. It allocates once. To divide work again and again, use
// Worker.Fork.
func Join(l Looper, fs ...func()) {
	if slices.ContainsFunc(fs, func(f func()) bool { return f == nil }) {
		panic("workers: Join of a nil function")
	}
	mustLoop(l, "Join")
	loopOn(l, "Join", len(fs), 1, 1, func(lo, hi int) {
		for _, f := range fs[lo:hi] {
			f()
		}
	})
}
