package workers

import (
	"context"
	"slices"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/carrier"
)

// A job that yields has others run on top of it, on carriers of its goroutine. If one of those waits for what is
// beneath it, or stands aside itself, neither would go on, though nobody waits in a circle: so it stands aside. Its
// carrier is suspended, which lets the job beneath go on, and resumed when that has ended, before the worker takes
// anything else. The wait could not end earlier, unless it gives up: so a context that is done has the job beneath, if
// it waits (rest), look at what stands aside, and so does Yield.
//
// All of it happens on one goroutine and its coroutines, and a carrier is resumed on the goroutine that made it (a
// runtime.Goexit of the job beneath has its carriers resumed first, by rescue), so it needs no protocol.
//
// What runs on top may itself have run something (Wait, Scope): then all carriers are suspended down to the first whose
// resumer can do without (apart), each by who has resumed the one above. Where a coroutine that is no caller's lies
// between, a fork's for instance, the wait sleeps where it is.
//
// Who waits for the job beneath through a third that another worker runs does not stand aside: that would have to be
// known of all waits at all times. Rejected: letting everybody stand aside who sleeps on top for long, who may hold a
// mutex that the job beneath then waits for; a spare worker for each Yield, which takes a thread where workers have
// threads, and of which there are few; a goroutine for what Yield runs, which has neither the worker's thread nor that
// thread's priority.

// A waitFor is what somebody waits for: a job, or all of a scope.
type waitFor struct {
	job   *Job
	scope *Scope
}

// standAside suspends what runs on top of that job, or of one of that scope, on this worker, and returns true when it
// has been resumed; or false at once if there is no such job. It is called on the worker's goroutine, or a coroutine of
// it, instead of sleeping.
func (w *Worker) standAside(ctx context.Context, over <-chan struct{}, to waitFor) bool {
	h := w.top
	if h == nil || h.own != w.goid.Load() {
		return false
	}
	for !h.apart {
		if h.under == nil || h.outer != h.under.own {
			return false
		}
		h = h.under
	}
	if h.awaits = w.beneath(h, to); h.awaits == nil {
		return false
	}
	if h.limit, h.over = ctx, over; h.mayGoOn() {
		return false
	}
	if ctx != nil && ctx.Done() != nil {
		h.unhook = context.AfterFunc(ctx, w.tellAside)
	}
	w.top.suspend()
	return true
}

// mayGoOn reports whether there is no reason any more to stand aside.
func (h *caller) mayGoOn() bool {
	return State(h.awaits.state.Load()) == Finished || h.limit != nil && h.limit.Err() != nil || len(h.over) > 0
}

// tellAside has the job that waits on this worker, if there is one, look at what stands aside. Any goroutine.
func (w *Worker) tellAside() {
	select {
	case w.asideDue <- struct{}{}:
	default:
	}
}

// asideHere returns the worker of this pool that the caller is on, and its asideDue, or nil and nil.
func (p *Pool) asideHere() (w *Worker, due <-chan struct{}) {
	if w = p.workerHere(); w != nil {
		due = w.asideDue
	}
	return w, due
}

// rest waits for a token in done. On a worker it meanwhile goes on with what stands aside there and need not any more;
// w is nil elsewhere.
func (w *Worker) rest(done <-chan struct{}) {
	if w == nil {
		<-done
		return
	}
	for {
		w.resumeAside()
		select {
		case <-done:
			return
		case <-w.asideDue:
		}
	}
}

// beneath returns the job that is waited for and beneath h, or stands aside itself, or nil. (Of what stands aside as a
// whole stack it knows the lowest.)
func (w *Worker) beneath(h *caller, to waitFor) *Job {
	for {
		for u := h.under; u != nil; u = u.under {
			if to.covers(u.w.cur.job()) {
				return u.w.cur.job()
			}
		}
		if to.covers(w.cur.job()) {
			return w.cur.job()
		}
		for _, u := range w.aside {
			if to.covers(u.w.cur.job()) {
				return u.w.cur.job()
			}
		}
		if to.job == nil {
			return nil
		}
		k, follows := to.job.exec.(follower)
		if !follows {
			return nil
		}
		to.job = k.source()
	}
}

// covers reports whether who waits so waits for j.
func (to waitFor) covers(j *Job) bool {
	if j == nil {
		return false
	}
	k, scoped := j.exec.(*scopeJob)
	return j == to.job || scoped && k.scope == to.scope
}

// stepIn is called on the carrier when it is resumed, and notes that the worker is there (workerHere); stepOut when it
// is left.
func (h *caller) stepIn() {
	w := h.w.host
	h.under, h.outer = w.top, w.goid.Load()
	w.top = h
	w.goid.Store(h.own)
}

func (h *caller) stepOut() {
	h.w.host.top = h.under
	h.w.host.goid.Store(h.outer)
}

// suspend is called on h's carrier, and returns when that is resumed.
func (h *caller) suspend() {
	h.stepOut()
	h.c.Suspend()
	h.stepIn()
}

// suspended sees to what stands aside: it reports true if h's resumer is to do without it, or suspends who has resumed
// it, too, and then goes on with it.
func (h *caller) suspended() (apart bool, out carrier.Outcome) {
	h.spent += deadline.Now().Sub(h.since)
	if h.apart {
		h.w.pool.enter() // it runs, as far as Close is concerned
		h.w.host.aside = append(h.w.host.aside, h)
		return true, carrier.Suspended
	}
	h.under.suspend()
	h.since = deadline.Now()
	return false, h.c.Resume()
}

// resumeAside goes on with what stands aside and need not any more, and reports whether there was any.
func (w *Worker) resumeAside() (any bool) {
	for i := 0; i < len(w.aside); {
		if !w.aside[i].mayGoOn() {
			i++
			continue
		}
		w.goOnWith(i)
		any, i = true, 0 // the list may be another one now
	}
	return any
}

// endAside ends what stands aside, when nothing is beneath any more. What still waits, as in a circle, or for a job
// that has been submitted again, sleeps.
func (w *Worker) endAside() {
	defer func() {
		if len(w.aside) > 0 { // OnPanic has panicked, or called Goexit
			w.endAside()
		}
	}()
	for len(w.aside) > 0 {
		if !w.resumeAside() {
			w.aside[0].apart = false
			w.goOnWith(0)
		}
	}
}

// goOnWith goes on with one of those that stand aside.
func (w *Worker) goOnWith(i int) {
	h := w.aside[i]
	w.aside = slices.Delete(w.aside, i, i+1)
	if h.unhook != nil {
		h.unhook()
	}
	started, shown, busy := w.started.Load(), w.shown, w.busyNS
	ended := true
	defer func() { // deferred, as OnPanic may panic
		if ended {
			w.pool.giveBack(h)
		}
	}()
	h.awaits, h.limit, h.over, h.unhook = nil, nil, nil, nil
	w.pool.leave()
	h.since = deadline.Now()
	if started == 0 {
		k := &w.pool.loopKind
		if !h.loop {
			k = h.gauge.kind
		}
		w.show(k)
		w.started.Store(int64(h.since))
	}
	ended = h.after(h.c.Resume())
	w.started.Store(started)
	w.busyNS = busy // the job's own time has it
	w.show(shown)
}
