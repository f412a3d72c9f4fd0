package workers

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/carrier"
	"github.com/frameslice/frameslice/internal/costs"
	"github.com/frameslice/frameslice/internal/where"
)

// A caller is a goroutine that runs jobs but is not a worker of the pool, for example the frame goroutine in RunUntil.
// The jobs get the caller's Worker, whose queues no other worker looks into. They run on a coroutine, so that a
// runtime.Goexit in a job does not end the caller's goroutine.
//
// The pool keeps callers in a free list. Each call that runs a job makes a new coroutine. A coroutine of another
// goroutine, or one made before this goroutine locked its thread, would end the process (internal/carrier).
type caller struct {
	w    Worker
	c    carrier.Carrier
	body func() // carry, made once
	pass pass

	counted     bool          // by beginCaller
	longest     time.Duration // the longest run, or turn, of the latest RunUntil
	longestKind *kind
	yielder     yielder // of a yielderRole
}

// callers is a free list. A list of internal/freelist never becomes shorter, and a job between two turns keeps its
// caller. So after a thousand such jobs get would look at a thousand callers.
type callers [8]atomic.Pointer[caller]

func (v *callers) get() *caller {
	for i := range v {
		if v[i].Load() != nil {
			if cl := v[i].Swap(nil); cl != nil {
				return cl
			}
		}
	}
	return nil
}

func (v *callers) put(cl *caller) {
	for i := range v {
		if v[i].CompareAndSwap(nil, cl) {
			return
		}
	}
}

// borrowCaller returns a caller for the calling goroutine.
func (p *Pool) borrowCaller() *caller {
	p.follow.followFromNone()
	if cl := p.callers.get(); cl != nil {
		cl.w.ledger.meter.forget() // the goroutine has waited since, or is another one
		cl.w.until = deadline.Deadline{}
		return cl
	}
	cl := p.newCaller(callerRole)
	cl.w.ledger.gauges = new(costs.Gauges[struct{}])
	cl.body = cl.carry
	return cl
}

func (p *Pool) newCaller(r role) *caller {
	cl := &caller{}
	cl.w.pool, cl.w.index, cl.w.role = p, -1, r
	cl.w.ledger.init(&cl.w.seen)
	cl.w.hunger = &cl.w.calm
	cl.w.profiler = p.callerProfiler
	cl.c.At.Kind, cl.c.At.Owner = where.Job, p
	cl.w.nested.init(&cl.w, where.Job)
	return cl
}

// carry runs on the carrier.
func (cl *caller) carry() {
	r := cl.w.trace(cl.w.cur)
	defer r.End()
	if w := cl.w.outerWorker; w != nil {
		outer := w.goid.Swap(where.ID()) // workerHere finds the worker here
		defer w.goid.Store(outer)
	}
	cl.w.invoke(cl.w.cur)
}

// returnCaller ends the use of a caller.
func (p *Pool) returnCaller(cl *caller) {
	cl.c.Close()
	cl.w.nested.c.Close()
	cl.w.cur = item{}
	cl.w.role, cl.w.outerWorker, cl.w.lowered = callerRole, nil, false
	p.callers.put(cl)
}

// run runs an item that the caller has claimed, and learns its cost.
func (cl *caller) run(it item, lane int) {
	w := &cl.w
	p := w.pool
	g := w.ledger.gaugeOf(&p.kinds, it)
	w.cur, w.lane = it, lane
	w.profiler.noteBegin(lane, it)
	label := ""
	if it.job() != nil {
		label = it.job().Label
	}
	start := deadline.Now()
	if !p.machine.virtual {
		w.ledger.meter.freshen(start)
	}
	out := cl.c.Run(label, cl.body)
	now := deadline.Now()
	cost, latest := w.ledger.meter.judge(now.Sub(start), now)
	g.Kind.Latest.Note(latest)
	w.learn(g, it, start, now, cost, out)
	p.byCaller.Add(1)
	w.runLeftForks()
	cl.end(out)
}

// end finishes what the caller has run.
func (cl *caller) end(out carrier.Outcome) {
	w := &cl.w
	it := w.cur
	w.cur = item{}
	switch {
	case out == carrier.Panicked:
		cl.report(it)
	case it.job() == nil:
	case out == carrier.Returned:
		it.job().finish(nil)
	case w.role == yielderRole && cl.yielder.givenUp:
		it.job().finish(ErrClosed)
	default:
		it.job().finish(ErrGoexit)
	}
}

// report ends an item that panicked. It runs on the goroutine that called RunUntil or Wait, and not on the carrier. But
// OnPanic runs within the job, as on a worker, because it may call Close, for instance.
func (cl *caller) report(it item) {
	p := cl.w.pool
	defer where.Enter(where.Job, p).Leave()
	p.failures.caught(&cl.c, it)
}
