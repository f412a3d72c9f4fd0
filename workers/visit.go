package workers

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/carrier"
	"github.com/frameslice/frameslice/internal/costs"
	"github.com/frameslice/frameslice/internal/where"
)

// A visitor is a goroutine that runs jobs but is not a worker of the pool, for example the frame goroutine in RunUntil.
// The jobs get the visitor's Worker, whose queues no other worker looks into. They run on a coroutine, so that a
// runtime.Goexit in a job does not end the visitor's goroutine.
//
// The pool keeps visitors in a free list. Each call that runs a job makes a new coroutine. A coroutine of another
// goroutine, or one made before this goroutine locked its thread, would end the process (internal/carrier).
type visitor struct {
	w    Worker
	c    carrier.Carrier
	body func() // carry, made once
	pass pass

	counted     bool          // by visit
	longest     time.Duration // the longest run, or turn, of the latest RunUntil
	longestKind *kind
	coop        coop // of a coopRole
}

// visitors is a free list.
type visitors [8]atomic.Pointer[visitor]

func (v *visitors) get() *visitor {
	for i := range v {
		if v[i].Load() != nil {
			if h := v[i].Swap(nil); h != nil {
				return h
			}
		}
	}
	return nil
}

func (v *visitors) put(h *visitor) {
	for i := range v {
		if v[i].CompareAndSwap(nil, h) {
			return
		}
	}
}

// borrow returns a visitor for the calling goroutine.
func (p *Pool) borrow() *visitor {
	p.follow.followFromNone()
	if h := p.visitors.get(); h != nil {
		h.w.ledger.meter.forget() // the goroutine has waited since, or is another one
		h.w.until = deadline.Deadline{}
		return h
	}
	h := p.newVisitor(visitorRole)
	h.w.ledger.gauges = new(costs.Gauges[struct{}])
	h.body = h.carry
	return h
}

func (p *Pool) newVisitor(r role) *visitor {
	h := &visitor{}
	h.w.pool, h.w.index, h.w.role = p, -1, r
	h.w.ledger.init(&h.w.seen)
	h.w.hunger = &h.w.calm
	h.w.book = p.guestBook
	h.c.At.Kind, h.c.At.Owner = where.Job, p
	h.w.nested.init(&h.w, where.Job)
	return h
}

// carry runs on the carrier.
func (h *visitor) carry() {
	r := h.w.trace(h.w.cur)
	defer r.End()
	if host := h.w.host; host != nil {
		outer := host.goid.Swap(where.ID()) // workerHere finds the host here
		defer host.goid.Store(outer)
	}
	h.w.invoke(h.w.cur)
}

// giveBack ends the use of a visitor.
func (p *Pool) giveBack(h *visitor) {
	h.c.Close()
	h.w.nested.c.Close()
	h.w.cur = item{}
	h.w.role, h.w.host, h.w.lowered = visitorRole, nil, false
	p.visitors.put(h)
}

// run runs an item that the visitor has claimed, and learns its cost.
func (h *visitor) run(it item, lane int) {
	w := &h.w
	p := w.pool
	g := w.ledger.gaugeOf(&p.kinds, it)
	w.cur, w.lane = it, lane
	w.book.begin(lane, it)
	label := ""
	if it.job() != nil {
		label = it.job().Label
	}
	start := deadline.Now()
	if !p.machine.virtual {
		w.ledger.meter.freshen(start)
	}
	out := h.c.Run(label, h.body)
	now := deadline.Now()
	cost, latest := w.ledger.meter.judge(now.Sub(start), now)
	g.Kind.Latest.Note(latest)
	w.learn(g, it, start, now, cost, out)
	p.byCaller.Add(1)
	w.runLeftForks()
	h.end(out)
}

// end finishes what the visitor has run.
func (h *visitor) end(out carrier.Outcome) {
	w := &h.w
	it := w.cur
	w.cur = item{}
	switch {
	case out == carrier.Panicked:
		h.report(it)
	case it.job() == nil:
	case out == carrier.Returned:
		it.job().finish(nil)
	case w.role == coopRole && h.coop.givenUp:
		it.job().finish(ErrClosed)
	default:
		it.job().finish(ErrGoexit)
	}
}

// report ends an item that panicked. It runs on the goroutine that called RunUntil or Wait, and not on the carrier. But
// OnPanic runs within the job, as on a worker, because it may call Close, for instance.
func (h *visitor) report(it item) {
	p := h.w.pool
	defer where.Enter(where.Job, p).Leave()
	p.failures.caught(&h.c, it)
}
