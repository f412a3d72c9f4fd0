package workers

import (
	"context"
	"runtime"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/carrier"
	"github.com/frameslice/frameslice/internal/fault"
)

// A yielder is what a caller needs for a job that may yield: a Job with a Func that RunUntil begins in a lane without
// workers. When the job calls Worker.Yield, RunUntil continues without the job, and a later call continues the job. So
// a long job does not freeze a frame where nobody else can run the job.
//
// The job has a goroutine of its own, which takes turns with RunUntil over two channels. Such a turn takes about 300
// ns. A coroutine would take 60 ns, but only the goroutine that made a coroutine may resume the coroutine, and any
// goroutine may call RunUntil or Wait.
type yielder struct {
	main   func()               // runs the job, made once
	resume chan bool            // true: continue; false: unwind
	back   chan carrier.Outcome // Suspended: the job has yielded

	asked    deadline.Instant // when the turn began, or when ShouldYield last returned false
	stretch  time.Duration    // the longest time of this turn between two answers of ShouldYield
	givenUp  bool             // the job is being unwound, by dropYielder
	returned bool
}

// beginYielder gives a claimed job a caller and its first turn, and reports whether the job ended.
func (p *Pool) beginYielder(it item, at int, g *gauge, until deadline.Deadline) (ended bool) {
	cl := p.yielders.get()
	if cl == nil {
		cl = p.newCaller(yielderRole)
		cl.w.yielder = &cl.yielder
		cl.yielder.main, cl.yielder.resume, cl.yielder.back = cl.runYielder, make(chan bool), make(chan carrier.Outcome)
	}
	cl.yielder.givenUp, cl.yielder.returned = false, false
	cl.w.cur, cl.w.lane = it, at
	it.job().yielder = cl
	cl.w.profiler.noteBegin(at, it)
	return cl.runTurn(g, until, true)
}

// runTurn lets the job run until the job yields or ends, and reports which. The cost of the job's kind is the longest
// stretch of the turn between two answers of ShouldYield: only such a stretch has to fit into a call.
func (cl *caller) runTurn(g *gauge, until deadline.Deadline, first bool) (ended bool) {
	y, p := &cl.yielder, cl.w.pool
	cl.w.until = until
	begin := deadline.Now()
	y.asked, y.stretch = begin, 0
	if first {
		go y.main()
	} else {
		y.resume <- true
	}
	out := <-y.back
	now := deadline.Now()
	cl.w.learn(g, cl.w.cur, begin, now, max(y.stretch, now.Sub(y.asked)), out)
	if out == carrier.Suspended {
		l := &cl.w.pool.lanes[cl.w.lane]
		l.use(useYielded)
		l.putBetween(cl.w.cur)
		return false
	}
	p.byCaller.Add(1)
	cl.endYielder(out)
	return true
}

// runYielder is the goroutine of one job.
func (cl *caller) runYielder() {
	cl.c.At.Enter()
	out := carrier.Exited
	defer func() {
		// A panic that was recovered may hide a Goexit. So only a job that has returned counts as such.
		if v := recover(); cl.yielder.returned {
			out = carrier.Returned
		} else if v != nil {
			cl.c.Panic, out = fault.Capture(cl.w.pool.kinds.nameOf(cl.w.cur), v), carrier.Panicked
		}
		cl.w.runLeftForks()
		cl.w.nested.c.Close()
		cl.c.At.Leave()
		cl.yielder.back <- out
	}()
	r := cl.w.trace(cl.w.cur)
	defer r.End()
	cl.w.cur.job().Func(&cl.w)
	cl.yielder.returned = true
}

// Yield gives the frame back, if the job runs in a RunUntil of a pool without workers. It returns when a later
// RunUntil, Wait or Close continues the job. Call Yield only when ShouldYield says so, since the job gets one turn in
// each call. If Close gives up such a job, Yield ends it with ErrClosed, as runtime.Goexit does. Elsewhere Yield does
// nothing: a long job on a worker that makes room for urgent ones submits what is left of it, and returns. Only the
// job that w was given to may call Yield.
func (w *Worker) Yield() {
	if w.role == yielderRole {
		w.yielder.yieldTurn()
	}
}

// yieldTurn ends a turn, and returns when the next turn begins. A job that is given up ends by Goexit, not by a panic.
// The job could recover a panic and continue, or a function within the job could take the panic for its own.
func (y *yielder) yieldTurn() {
	y.back <- carrier.Suspended
	if !<-y.resume {
		y.givenUp = true
		runtime.Goexit()
	}
}

// shouldYield reports whether the turn is over, and notes that the job has asked. After it has returned true, the
// stretch continues until the job yields.
func (y *yielder) shouldYield(until deadline.Deadline) bool {
	now := deadline.Now()
	if end, _ := until.Instant(); now >= end {
		return true
	}
	y.asked, y.stretch = now, max(y.stretch, now.Sub(y.asked))
	return false
}

// dropYielder ends a job that waits for its next turn.
func (cl *caller) dropYielder() {
	y := &cl.yielder
	y.resume <- false
	out := <-y.back
	for out == carrier.Suspended { // a deferred call yields
		y.resume <- false
		out = <-y.back
	}
	cl.w.pool.failures.countLost()
	cl.endYielder(out)
}

// endYielder finishes the job and gives the caller back.
func (cl *caller) endYielder(out carrier.Outcome) {
	j := cl.w.cur.job()
	j.yielder = nil
	cl.end(out)
	cl.w.pool.yielders.put(cl)
}

// resumeJob gives a job that waits for its next turn that turn, and reports whether the job ended.
func (cl *caller) resumeJob(it item, d deadline.Deadline) (ended bool) {
	return it.job().yielder.runTurn(cl.w.ledger.gaugeOf(&cl.w.pool.kinds, it), d, false)
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
	cl := p.beginCaller(false)
	defer p.endCaller(cl)
	for n := l.yielded.Size(); n > 0; n-- {
		it, ok := l.yielded.Pop()
		if !ok {
			// A goroutine that has claimed the oldest slot but not filled it hides j. After that it wakes only the
			// goroutines that wait for its own job, so this one must not sleep.
			runtime.Gosched()
			return !l.yielded.Empty()
		}
		if it.job() == j {
			cl.resumeJob(it, deadline.Deadline{})
			return true
		}
		l.putBetween(it)
	}
	return false
}
