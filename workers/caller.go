package workers

import (
	"context"
	"runtime/trace"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/carrier"
	"github.com/frameslice/frameslice/internal/where"
)

// A caller is a goroutine that is not a worker but runs jobs: it has a Worker for the jobs' sake, whose
// queues nobody else looks into, and a carrier, so that a job's runtime.Goexit does not end the goroutine,
// which may be the frame's. Callers are kept by the pool; carriers are made anew in each call that runs a
// job, because one that was made on another goroutine, or before this one locked its thread, would end the
// process (internal/carrier).
type caller struct {
	w    Worker
	c    carrier.Carrier
	body func() // carry, made once
	pass pass
	turn turn     // whose it is, among the lanes without workers
	next follower // a link that its job's end leaves to it, or nil: J9

	// Of the run that is under way: see aside.go.
	gauge  *gauge
	since  deadline.Instant // when it was begun, or resumed
	spent  time.Duration    // in turns before
	loop   bool             // it is a part of a loop, and not an item
	apart  bool             // its resumer goes on without it if it stands aside
	own    uintptr          // the number of the carrier's goroutine, if there is a host
	outer  uintptr          // and of its resumer's
	under  *caller          // beneath it on the same worker
	awaits *Job             // for which it stands aside, unless
	limit  context.Context  // is done, or
	over   <-chan struct{}  // has a token; both may be nil
	unhook func() bool      // limit tells nobody any more
}

// borrow returns a caller for the calling goroutine.
func (p *Pool) borrow() *caller {
	p.followFromNone()
	for i := range p.callers {
		if p.callers[i].Load() != nil {
			if h := p.callers[i].Swap(nil); h != nil {
				return h
			}
		}
	}
	h := &caller{}
	h.w.pool, h.w.index = p, -1
	h.w.hunger = &h.w.calm
	h.w.gauges = new(gauges)
	h.c.At.Kind, h.c.At.Owner = where.Job, p
	h.w.fork.At.Kind, h.w.fork.At.Owner = where.Job, p
	h.body = h.carry
	return h
}

// carry runs on the carrier.
func (h *caller) carry() {
	if trace.IsEnabled() {
		defer trace.StartRegion(context.Background(), h.w.pool.nameOf(h.w.cur)).End()
	}
	if h.w.host != nil {
		h.own = where.ID()
		h.stepIn()
		defer h.stepOut()
	}
	h.w.invoke(h.w.cur)
}

// giveBack ends the use of a caller.
func (p *Pool) giveBack(h *caller) {
	h.c.Close()
	h.w.fork.Close()
	h.w.cur = item{}
	h.w.lowered, h.w.host = false, nil
	h.loop, h.apart, h.under, h.next = false, false, nil, nil
	for i := range p.callers {
		if p.callers[i].CompareAndSwap(nil, h) {
			return
		}
	}
}

// run runs an item that the caller has claimed, and learns what it cost. It reports false if the item stands aside,
// which with apart it may: then h is not the caller's any more.
func (h *caller) run(it item, lane int) (ended bool) {
	w := &h.w
	p := w.pool
	h.gauge = w.gauges.find(&p.kinds, it)
	w.cur, w.lane = it, lane
	if p.guestBook != nil {
		p.guestBook.begin(lane, it)
	}
	label := ""
	if it.job() != nil {
		label = it.job().Label
	}
	h.since, h.spent = deadline.Now(), 0
	return h.after(h.c.Run(label, h.body))
}

// after is what follows a turn of the carrier.
func (h *caller) after(out carrier.Outcome) (ended bool) {
	for apart := false; out == carrier.Suspended; {
		if apart, out = h.suspended(); apart {
			return false
		}
	}
	if h.loop {
		h.endLoop()
		return true
	}
	w := &h.w
	p, it := w.pool, w.cur
	d := h.spent + deadline.Now().Sub(h.since)
	h.gauge.observe(d)
	if p.guestBook != nil && out == carrier.Returned {
		h.gauge.kind.Count(d, 1)
	}
	p.byCaller.Add(1)
	w.cur = item{}
	w.runLeftForks()
	switch out {
	case carrier.Returned:
		if it.job() != nil {
			it.job().finishBefore(h.next, nil)
		}
	case carrier.Panicked:
		h.report(it, p.caught(&h.c, it))
	case carrier.Exited:
		if it.job() != nil {
			it.job().finish(ErrGoexit)
		}
	}
	if host := w.host; host != nil && len(host.aside) > 0 {
		host.resumeAside()
	}
	return true
}

// report ends an item that panicked. It does so on the goroutine that called RunUntil or Wait, and not on the carrier;
// but what OnPanic does, Close for instance, it does within the job, as on a worker.
func (h *caller) report(it item, pe *PanicError) {
	p := h.w.pool
	p.panicked.Add(1)
	defer where.Enter(where.Job, p).Leave()
	if it.job() != nil {
		it.job().finish(pe) // which may be a function's, with nobody else to tell
	} else {
		p.unhandled(pe)
	}
}

// enter is called before a goroutine that is not a worker takes a job to run, leave when that has ended.
func (p *Pool) enter() {
	p.guests.Add(1)
	p.restless.Add(awoke)
}

func (p *Pool) leave() {
	p.guests.Add(-1)
	p.settle()
}

// settle undoes restless.Add(awoke).
func (p *Pool) settle() {
	p.restless.Add(^uint64(0))
	if p.state.Load() != running {
		p.hint()
	}
}
