package workers

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/carrier"
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
}

// borrow returns a caller for the calling goroutine.
func (p *Pool) borrow() *caller {
	p.lent.Add(1)
	for i := range p.callers {
		if p.callers[i].Load() != nil {
			if h := p.callers[i].Swap(nil); h != nil {
				return h
			}
		}
	}
	h := &caller{}
	h.w.pool = p
	h.w.index = -1
	h.w.gauges = new(gauges)
	h.body = h.carry
	return h
}

// carry runs on the carrier. Its name is looked for on stacks: see onStack.
func (h *caller) carry() {
	h.w.invoke(h.w.cur)
}

// giveBack ends the use of a caller.
func (p *Pool) giveBack(h *caller) {
	h.c.Close()
	h.w.fork.Close()
	h.w.cur = item{}
	p.lent.Add(-1)
	for i := range p.callers {
		if p.callers[i].CompareAndSwap(nil, h) {
			return
		}
	}
}

// run runs an item that the caller has claimed, and learns what it cost.
func (h *caller) run(it item, lane int) {
	w := &h.w
	p := w.pool
	g := w.gauges.find(&p.kinds, it)
	w.cur, w.lane = it, lane
	label := ""
	if it.job != nil {
		label = it.job.Label
	}
	start := deadline.Now()
	out := h.c.Run(label, h.body)
	g.observe(deadline.Now().Sub(start))
	p.byCaller.Add(1)
	w.cur = item{}
	w.runLeftForks()
	switch out {
	case carrier.Returned:
		if it.job != nil {
			it.job.finish(nil)
		}
	case carrier.Panicked:
		p.panicked.Add(1)
		pe := h.c.Panic
		if it.job != nil {
			it.job.finish(pe)
		} else {
			p.unhandled(pe)
		}
	case carrier.Exited:
		if it.job != nil {
			it.job.finish(ErrGoexit)
		}
	}
}

// tooLong is how many jobs RunUntil takes in vain, because they do not fit, before it gives up.
const tooLong = 4

// RunUntil runs queued jobs on the calling goroutine, the most urgent lane first, and returns how many it
// ran: when d is reached, or nothing is queued, or nothing that is fits. A job is begun only if its predicted
// cost (learned from earlier runs of its kind, here and on workers) fits before d. Of the kinds that have
// never run it tries one job in each call: such a job may overrun d. With the zero Deadline it runs all that
// is queued.
//
// It is meant for the frame goroutine, with what is left of its slice, but any goroutine may call it, except
// from within a job. A job's panic or runtime.Goexit does not reach the caller. It takes about 60 ns if
// nothing is queued, and some 700 ns and eight small allocations if there is something to run, plus 150 ns
// for each job.
//
// On a pool without workers a Job may call Worker.Yield to be continued in a later call.
func (p *Pool) RunUntil(d deadline.Deadline) (ran int) {
	if p.state.Load() == gone || !p.anyQueued() {
		return 0
	}
	p.restless.Add(awoke)
	h := p.borrow()
	h.w.until = d
	ran = h.drain(d)
	p.giveBack(h)
	p.settle()
	return ran
}

// settle undoes restless.Add(awoke).
func (p *Pool) settle() {
	p.restless.Add(^uint64(0))
	if p.state.Load() != running {
		p.hint()
	}
}

func (h *caller) drain(d deadline.Deadline) (ran int) {
	p := h.w.pool
	_, ends := d.Instant()
	probed, misfits := false, 0
	now := deadline.Now()
	var turns [numLanes]int // how many jobs are to have their turn in this call, one each
	for at := range turns {
		if l := &p.lanes[at]; l.extra.Load()&useYielded != 0 {
			turns[at] = l.yielded.size()
		}
	}
	for at := 0; at < numLanes && misfits < tooLong && !d.ExceededAt(now); {
		l := &p.lanes[at]
		if turns[at] > 0 {
			turns[at]--
			if it, ok := l.yielded.pop(); ok {
				if h.goOn(l, it, d) {
					ran++
				}
				now = deadline.Now()
				at = 0
			}
			continue
		}
		it, ok := l.pop()
		if !ok {
			it, ok = p.rob(at)
		}
		if !ok {
			at++
			continue
		}
		// Claimed before its fields are looked at: the entry may be stale, and the job its owner's again.
		if it.job != nil && !it.job.claim() {
			continue
		}
		cost := p.costOf(it)
		// Without an end there is nothing to overrun.
		if ends && (cost == 0 && probed || !d.Fits(now, cost)) {
			if it.job != nil {
				it.job.state.Store(uint32(Queued))
			}
			p.hold(at, it)
			misfits++
			at++ // the rest of the lane is probably of the same sort
			continue
		}
		probed = probed || cost == 0
		if it.job != nil && it.job.Func != nil && p.crewOf[at].want.Load() == 0 {
			it.job.slice = p.begin(it, at)
			if h.goOn(l, it, d) {
				ran++
			}
		} else {
			h.run(it, at)
			ran++
		}
		now = deadline.Now()
		at = 0
	}
	return ran
}

// costOf returns the predicted cost of it, 0 if it is not known.
func (p *Pool) costOf(it item) time.Duration {
	key, _ := p.kinds.key(it)
	if k := p.kinds.lookup(key); k != nil {
		return time.Duration(k.cost.Load())
	}
	return 0
}

// hold puts an item back that was taken in vain, ahead of what came after it.
func (p *Pool) hold(at int, it item) {
	l := &p.lanes[at]
	l.use(useHeld)
	l.held.push(it)
	p.crewOf[at].notify()
	if p.state.Load() == gone {
		p.reap()
	}
}

// rob takes the oldest shared item of a lane from some worker.
func (p *Pool) rob(at int) (item, bool) {
	c := p.crewOf[at]
	for i := range c.used.Load() {
		v := c.slots[i].Load()
		if v == nil {
			continue
		}
		for {
			it, ok, retry := v.deques[at].steal()
			if ok {
				return it, true
			}
			if !retry {
				break
			}
		}
	}
	return item{}, false
}

// anyQueued reports whether there is anything for RunUntil.
func (p *Pool) anyQueued() bool {
	for at := range p.lanes {
		l := &p.lanes[at]
		if !l.empty() || l.extra.Load()&useYielded != 0 && !l.yielded.empty() {
			return true
		}
		c := p.crewOf[at]
		for i := range c.used.Load() {
			if v := c.slots[i].Load(); v != nil && v.deques[at].shared() > 0 {
				return true
			}
		}
	}
	return false
}
