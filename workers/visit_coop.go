package workers

import (
	"context"
	"runtime"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/carrier"
	"github.com/frameslice/frameslice/internal/fault"
)

// A coop is what a visitor needs to run a job that may yield: a Job with a Func that RunUntil begins in a lane without
// workers. When the job calls Worker.Yield, RunUntil continues without the job, and a later call continues the job. So
// a long job does not freeze a frame where nobody else can run the job.
//
// The job has a goroutine of its own, which takes turns with RunUntil over two channels. Such a turn takes about 300
// ns. A coroutine would take 60 ns, but only the goroutine that made a coroutine may resume the coroutine, and any
// goroutine may call RunUntil or Wait.
type coop struct {
	main   func()               // runs the job, made once
	resume chan bool            // true: continue; false: unwind
	back   chan carrier.Outcome // Suspended: the job has yielded

	asked    deadline.Instant // when the turn began, or when ShouldYield last returned false
	stretch  time.Duration    // the longest time of this turn between two answers of ShouldYield
	givenUp  bool             // the job is being unwound, by drop
	returned bool
}

// beginCoop gives a claimed job a visitor and its first turn, and reports whether the job ended.
func (p *Pool) beginCoop(it item, at int, g *gauge, until deadline.Deadline) (ended bool) {
	h := p.coops.get()
	if h == nil {
		h = p.newVisitor(coopRole)
		h.w.coop = &h.coop
		h.coop.main, h.coop.resume, h.coop.back = h.runCoop, make(chan bool), make(chan carrier.Outcome)
	}
	h.coop.givenUp, h.coop.returned = false, false
	h.w.cur, h.w.lane = it, at
	it.job().coop = h
	h.w.book.begin(at, it)
	return h.turn(g, until, true)
}

// turn lets the job run until the job yields or ends, and reports which. The cost of the job's kind is the longest
// stretch of the turn between two answers of ShouldYield: only such a stretch has to fit into a call.
func (h *visitor) turn(g *gauge, until deadline.Deadline, first bool) (ended bool) {
	c, p := &h.coop, h.w.pool
	h.w.until = until
	begin := deadline.Now()
	c.asked, c.stretch = begin, 0
	if first {
		go c.main()
	} else {
		c.resume <- true
	}
	out := <-c.back
	now := deadline.Now()
	h.w.learn(g, h.w.cur, begin, now, max(c.stretch, now.Sub(c.asked)), out)
	if out == carrier.Suspended {
		l := &h.w.pool.lanes[h.w.lane]
		l.use(useYielded)
		l.putBetween(h.w.cur)
		return false
	}
	p.byCaller.Add(1)
	h.endCoop(out)
	return true
}

// runCoop is the goroutine of one job.
func (h *visitor) runCoop() {
	h.c.At.Enter()
	out := carrier.Exited
	defer func() {
		// A panic that was recovered may hide a Goexit. So only a job that has returned counts as such.
		if v := recover(); h.coop.returned {
			out = carrier.Returned
		} else if v != nil {
			h.c.Panic, out = fault.Capture(h.w.pool.kinds.nameOf(h.w.cur), v), carrier.Panicked
		}
		h.w.runLeftForks()
		h.w.nested.c.Close()
		h.c.At.Leave()
		h.coop.back <- out
	}()
	r := h.w.trace(h.w.cur)
	defer r.End()
	h.w.cur.job().Func(&h.w)
	h.coop.returned = true
}

// Yield gives the frame back, if the job runs in a RunUntil of a pool without workers. It returns when a later
// RunUntil, Wait or Close continues the job. Call Yield only when ShouldYield says so, since the job gets one turn in
// each call. If Close gives up such a job, Yield ends it with ErrClosed, as runtime.Goexit does. Elsewhere Yield does
// nothing: a long job on a worker that makes room for urgent ones submits what is left of it, and returns. Only the
// job that w was given to may call Yield.
func (w *Worker) Yield() {
	if w.role == coopRole {
		w.coop.yield()
	}
}

// yield ends a turn, and returns when the next turn begins. A job that is given up ends by Goexit, not by a panic. The
// job could recover a panic and continue, or a function within the job could take the panic for its own.
func (c *coop) yield() {
	c.back <- carrier.Suspended
	if !<-c.resume {
		c.givenUp = true
		runtime.Goexit()
	}
}

// shouldYield is Worker.ShouldYield. After it has returned true, the stretch continues until the job yields.
func (c *coop) shouldYield(until deadline.Deadline) bool {
	now := deadline.Now()
	if end, _ := until.Instant(); now >= end {
		return true
	}
	c.asked, c.stretch = now, max(c.stretch, now.Sub(c.asked))
	return false
}

// drop ends a job that waits for its next turn.
func (h *visitor) drop() {
	c := &h.coop
	c.resume <- false
	out := <-c.back
	for out == carrier.Suspended { // a deferred call yields
		c.resume <- false
		out = <-c.back
	}
	h.w.pool.failures.countLost()
	h.endCoop(out)
}

// endCoop finishes the job and gives the visitor back.
func (h *visitor) endCoop(out carrier.Outcome) {
	j := h.w.cur.job()
	j.coop = nil
	h.end(out)
	h.w.pool.coops.put(h)
}

// goOn gives a job that waits for its next turn that turn, and reports whether the job ended.
func (h *visitor) goOn(it item, d deadline.Deadline) (ended bool) {
	return it.job().coop.turn(h.w.ledger.gaugeOf(&h.w.pool.kinds, it), d, false)
}

// continueHere gives j, a job of the lane, a turn if j waits for its next turn. Job.Wait calls it, because perhaps
// nobody calls RunUntil meanwhile. It reports whether the caller has to look at j again.
func (p *Pool) continueHere(ctx context.Context, j *Job, at int) bool {
	if ctx != nil && ctx.Err() != nil {
		return false
	}
	l := &p.lanes[at]
	if l.extra.Load()&useYielded == 0 || l.yielded.Empty() {
		return false
	}
	h := p.visit(false)
	defer p.endVisit(h)
	for n := l.yielded.Size(); n > 0; n-- {
		it, ok := l.yielded.Pop()
		if !ok {
			// A goroutine that has claimed the oldest slot but not filled it hides j. After that it wakes only the
			// goroutines that wait for its own job, so this one must not sleep.
			runtime.Gosched()
			return !l.yielded.Empty()
		}
		if it.job() == j {
			h.goOn(it, deadline.Deadline{})
			return true
		}
		l.putBetween(it)
	}
	return false
}
