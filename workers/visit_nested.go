package workers

import (
	"context"
	"slices"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/carrier"
)

// Yield on a worker runs other jobs within the job that yields: inner jobs within an outer job. Inner jobs run on
// coroutines of the same goroutine, in visitors whose host is the worker. An inner job may wait for the outer job.
// Neither would go on then, although the jobs do not wait in a circle. So the inner job's coroutine is suspended, and
// the outer job goes on. The coroutine is resumed when the outer job has ended, before the worker takes anything else.
// The wait cannot end earlier, unless its context is done. So the outer job looks at suspended coroutines when it waits
// itself (awaitToken) or yields.
//
// All of this happens on one goroutine and its coroutines, and a coroutine is resumed on the goroutine that made it.
// After a runtime.Goexit of the outer job, rescue resumes its coroutines first. So this needs no protocol.
//
// An inner job may itself have run something (Job.Wait, Group.Wait). Then several coroutines are suspended: from the
// innermost outwards, up to the first whose resumer can go on without it (detachable). Each suspends the coroutine that
// resumed it. If a coroutine between them is no visitor's, for instance a fork's, none is suspended, and the wait
// sleeps where it is.
//
// A wait for a third job, on another worker, that waits for the outer job is not suspended, because the pool does not
// know which job waits for which.
//
// Rejected: to suspend every inner job that sleeps for long. It may hold a mutex that the outer job waits for.
// Rejected: a spare worker for each Yield. It takes a thread where workers have threads. Rejected: a goroutine for each
// job that Yield runs. It has neither the worker's thread nor its priority.

// The goroutines are known by their numbers, which later goroutines may get. So a number is looked at only while its
// goroutine lives. A visitor is top, or around top, only from stepIn to stepOut, which is deferred: its coroutine has
// not ended. And the goroutine that resumed the coroutine waits for the end of the turn.

// nesting is what a visitor knows of the jobs around its own on the same worker.
type nesting struct {
	detachable bool            // if the visitor is suspended, its resumer goes on without it
	id         uintptr         // the number of the carrier's goroutine
	outerID    uintptr         // the number of its resumer's goroutine
	outer      *visitor        // the next visitor outwards
	awaits     *Job            // suspended until this job has finished,
	limit      context.Context // or this context is done,
	over       <-chan struct{} // or this channel has a token; limit and over may be nil
	unhook     func() bool     // stops the call of wakeOuter at the end of limit
}

// A waitFor is what a wait is for: a job, or all jobs of a group.
type waitFor struct {
	job   *Job
	group any
}

// A member is a job of a group.
type member interface{ of() (group any) }

// Yield lets other work go first, if there is work that should. Only the job that w was given to may call Yield.
//
// In a RunUntil of a pool without workers Yield gives the frame back, and returns when a later RunUntil, Wait or Close
// continues the job. Call Yield there only when ShouldYield says so, since the job gets one turn in each call. If Close
// gives up such a job, Yield ends it with ErrClosed, as runtime.Goexit does.
//
// On a worker, Yield runs parts of loops that a frame waits for and jobs of more urgent lanes. Such a job may wait for
// the yielding job only by Wait of a Job, Future or Group; other means, such as a third job or a channel, hang.
// Elsewhere Yield does nothing.
func (w *Worker) Yield() {
	if w.role == coopRole {
		w.coop.yield()
		return
	}
	if w.class == nil {
		return
	}
	var h *visitor
	defer func() { // deferred, as OnPanic may panic
		if h != nil {
			w.pool.giveBack(h)
		}
	}()
	if len(w.inner) > 0 {
		w.resumeInner() // a context may be done
	}
	if !w.class.low {
		w.helpLoops(&h)
	}
	for _, lane := range w.class.lanes {
		for lane < w.lane {
			it, ok := w.pool.lanes[lane].pop()
			if !ok && w.pool.lanes[lane].extra.Load()&useLocal != 0 {
				it, ok = w.pool.rob(lane)
			}
			if !ok {
				break
			}
			if it.job() != nil && !it.job().claimFrom(w.pool, w.class) {
				continue
			}
			if h == nil {
				h = w.borrowWithin()
			}
			if !h.run(it, lane) {
				h = nil
			}
		}
	}
}

// suspendFor suspends the inner job that calls it, if the inner job is about to wait for a job around it. It returns
// true when the inner job has been resumed. It returns false at once if there is nothing to suspend. The caller is on
// the worker's goroutine, or on a coroutine of it.
func (w *Worker) suspendFor(ctx context.Context, over <-chan struct{}, to waitFor) bool {
	h := w.top
	if h == nil || h.nest.id != w.goid.Load() {
		return false
	}
	for !h.nest.detachable {
		if h.nest.outer == nil || h.nest.outerID != h.nest.outer.nest.id {
			return false
		}
		h = h.nest.outer
	}
	n := &h.nest
	if n.awaits = w.around(h, to); n.awaits == nil {
		return false
	}
	if n.limit, n.over = ctx, over; h.mayResume() {
		return false
	}
	if ctx != nil && ctx.Done() != nil {
		n.unhook = context.AfterFunc(ctx, w.wakeOuter)
	}
	w.top.suspend()
	return true
}

// mayResume reports whether there is no reason any more for h to be suspended.
func (h *visitor) mayResume() bool {
	n := &h.nest
	return n.awaits.at() == finished || n.limit != nil && n.limit.Err() != nil || len(n.over) > 0
}

// wakeOuter has the job that waits on this worker, if there is one, look at the suspended jobs. Any goroutine.
func (w *Worker) wakeOuter() {
	select {
	case w.innerDue <- struct{}{}:
	default:
	}
}

// innerHere returns the worker of this pool on whose goroutine the caller runs, and the worker's innerDue. Elsewhere it
// returns nil and nil.
func (p *Pool) innerHere() (w *Worker, due <-chan struct{}) {
	if w = p.workerHere(); w != nil {
		due = w.innerDue
	}
	return w, due
}

// awaitToken waits for a token in done. On a worker it meanwhile resumes the suspended jobs that may go on. Elsewhere w
// is nil.
func (w *Worker) awaitToken(done <-chan struct{}) {
	if w == nil {
		<-done
		return
	}
	for {
		w.resumeInner()
		select {
		case <-done:
			return
		case <-w.innerDue:
		}
	}
}

// around returns the job that the wait is for, if that job is around h or is suspended, or nil. A wait for a link is
// also a wait for the jobs that the link follows. Of a stack that is suspended as a whole, around knows the outermost
// job only.
func (w *Worker) around(h *visitor, to waitFor) *Job {
	for {
		for u := h.nest.outer; u != nil; u = u.nest.outer {
			if to.covers(u.w.cur.job()) {
				return u.w.cur.job()
			}
		}
		if to.covers(w.cur.job()) {
			return w.cur.job()
		}
		for _, u := range w.inner {
			if to.covers(u.w.cur.job()) {
				return u.w.cur.job()
			}
		}
		if to.job == nil {
			return nil
		}
		if t := to.job.turn.Load(); t != nil && to.job.at() == behind {
			to.job = t.strand.holder.Load()
			if to.job != nil && to.job.at() == behind {
				return nil // it has ended, and was submitted again
			}
			continue
		}
		k, follows := to.job.exec.(follower)
		if !follows {
			return nil
		}
		to.job = k.source()
	}
}

// covers reports whether the wait is for j.
func (to waitFor) covers(j *Job) bool {
	if j == nil {
		return false
	}
	k, grouped := j.exec.(member)
	return j == to.job || grouped && k.of() == to.group
}

// stepIn is called on the carrier when the carrier begins or is resumed. It notes that the worker is there
// (workerHere). stepOut is called when the worker leaves the carrier.
func (h *visitor) stepIn() {
	w := h.w.host
	h.nest.outer, h.nest.outerID = w.top, w.goid.Load()
	w.top = h
	w.goid.Store(h.nest.id)
}

func (h *visitor) stepOut() {
	h.w.host.top = h.nest.outer
	h.w.host.goid.Store(h.nest.outerID)
}

// suspend is called on h's carrier, and returns when the carrier is resumed.
func (h *visitor) suspend() {
	h.stepOut()
	h.c.Suspend()
	h.stepIn()
}

// suspended is called by h's resumer when h is suspended. It reports true if the resumer is to go on without h.
// Otherwise it suspends the resumer, too, and then resumes h.
func (h *visitor) suspended() (detached bool, out carrier.Outcome) {
	h.spent += deadline.Now().Sub(h.since)
	if h.nest.detachable {
		h.w.pool.enter() // for Close it runs
		h.w.host.inner = append(h.w.host.inner, h)
		return true, carrier.Suspended
	}
	h.nest.outer.suspend()
	h.since = deadline.Now()
	return false, h.c.Resume()
}

// resumeInner resumes the suspended jobs that may go on, and reports whether there was any.
func (w *Worker) resumeInner() (any bool) {
	for i := 0; i < len(w.inner); {
		if !w.inner[i].mayResume() {
			i++
			continue
		}
		w.resumeAt(i)
		any, i = true, 0 // the list may have changed
	}
	return any
}

// endInner resumes all suspended jobs, when the outermost job has ended. Some still wait: in a circle, or for a job
// that has been submitted again. They sleep.
func (w *Worker) endInner() {
	defer func() {
		if len(w.inner) > 0 { // OnPanic has panicked, or called Goexit
			w.endInner()
		}
	}()
	for len(w.inner) > 0 {
		if !w.resumeInner() {
			w.inner[0].nest.detachable = false
			w.resumeAt(0)
		}
	}
}

// resumeAt resumes one of the suspended jobs.
func (w *Worker) resumeAt(i int) {
	h := w.inner[i]
	w.inner = slices.Delete(w.inner, i, i+1)
	n := &h.nest
	if n.unhook != nil {
		n.unhook()
	}
	started, shown, busy := w.started.Load(), w.shown, w.busyNS
	ended := true
	defer func() { // deferred, as OnPanic may panic
		if ended {
			w.pool.giveBack(h)
		}
	}()
	n.awaits, n.limit, n.over, n.unhook = nil, nil, nil, nil
	w.pool.leave()
	h.since = deadline.Now()
	if started == 0 {
		k := &w.pool.loopKind
		if !h.loop {
			k = h.gauge.Kind
		}
		w.show(k)
		w.started.Store(int64(h.since))
	}
	ended = h.after(h.c.Resume())
	w.started.Store(started)
	w.busyNS = busy // the job's own time has it
	w.show(shown)
}
