package workers

import (
	"context"
	"math"
	"runtime/trace"

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
	// again says how many of a lane's held items RunUntil has yet to look at.
	again [numLanes]int
	turn  turn     // whose it is, among the lanes without workers
	stack [32]byte // for goidIn
}

// borrow returns a caller for the calling goroutine.
func (p *Pool) borrow() *caller {
	p.lent.Add(1)
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
	h.w.spot = p.spot()
	h.body = h.carry
	return h
}

// carry runs on the carrier. Its name is looked for on stacks: see onStack.
func (h *caller) carry() {
	if p := h.w.pool; p.cycles != nil {
		defer p.runsHere(h.w.cur)()
	}
	h.w.spot.arrive()
	h.tag()
	if trace.IsEnabled() {
		defer trace.StartRegion(context.Background(), h.w.pool.nameOf(h.w.cur)).End()
	}
	if w := h.w.host; w != nil {
		outer := w.goid.Load()
		w.goid.Store(goid()) // for workerHere
		defer w.goid.Store(outer)
	}
	h.w.invoke(h.w.cur)
}

// giveBack ends the use of a caller.
func (p *Pool) giveBack(h *caller) {
	h.c.Close()
	h.w.fork.Close()
	h.w.repay()
	h.w.spot.goid.Store(0)
	h.w.cur = item{}
	h.w.lowered, h.w.stands, h.w.visits, h.w.host = false, false, false, nil
	p.lent.Add(-1)
	for i := range p.callers {
		if p.callers[i].CompareAndSwap(nil, h) {
			return
		}
	}
	h.w.spot.leave()
}

// run runs an item that the caller has claimed, and learns what it cost.
func (h *caller) run(it item, lane int) {
	w := &h.w
	p := w.pool
	g := w.gauges.find(&p.kinds, it)
	w.cur, w.lane = it, lane
	if p.guestBook != nil {
		p.guestBook.begin(lane, it)
	}
	label := ""
	if it.job != nil {
		label = it.job.Label
	}
	start := deadline.Now()
	out := h.lift(label)
	g.observe(deadline.Now().Sub(start))
	p.byCaller.Add(1)
	w.cur = item{}
	w.runLeftForks()
	w.repay()
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

// tooLong is how many jobs of a lane RunUntil takes in vain, because they do not fit, before it gives the lane
// up. At most half of them are such that it held already, so that these do not hide what came later.
const tooLong = 4

// RunUntil runs queued jobs on the calling goroutine, the most urgent lane first, and returns how many it
// ran: when d is reached, or nothing is queued, or nothing fits of what it looks at: in each lane, all until
// four have not fitted. Those go behind the others that did not fit before, so the next call looks at others.
// Of the lanes that have no workers another one goes first after 15 jobs in a row, each in its turn.
//
// A job is begun only if its predicted cost (learned from earlier runs of its kind, here and on workers) fits
// before d. A kind that has never run is left to the workers of its lane to learn. Only where there are none
// does each call try one such job, which may overrun d, and there one of those that have not fitted for some 100 ms
// is begun all the same, first. With the zero Deadline RunUntil runs all that is queued.
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
	p.enter()
	defer p.leave() // deferred, as OnPanic may panic
	h := p.borrow()
	defer p.giveBack(h)
	defer p.keepTurn(h, p.takeTurn(h))
	h.w.until = d
	return h.drain(d)
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

func (h *caller) drain(d deadline.Deadline) (ran int) {
	p := h.w.pool
	_, ends := d.Instant()
	probed := false
	var misfits, sour [numLanes]int // sour: misfits that had been held
	now := deadline.Now()
	p.followProcs(now)
	p.follow.pumped.Store(int64(now))
	if ends && !d.ExceededAt(now) && h.runPassed(now) {
		ran++
		now = deadline.Now()
	}
	for at := range h.again {
		h.again[at] = math.MaxInt
		if ends {
			// What this call puts back is behind what was held before: it is looked at in the next one.
			h.again[at] = p.lanes[at].held.size()
		}
	}
	var turns [numLanes]int // how many jobs are to have their turn in this call, one each
	for at := range turns {
		if l := &p.lanes[at]; l.extra.Load()&useYielded != 0 {
			turns[at] = l.yielded.size()
		}
	}
	for at := h.turn.first(p); at < numLanes && !d.ExceededAt(now); {
		l := &p.lanes[at]
		if turns[at] > 0 {
			turns[at]--
			if it, ok := l.yielded.pop(); ok {
				if h.goOn(l, it, d) {
					ran++
				}
				now = deadline.Now()
				at = h.turn.ran(p, at)
			}
			continue
		}
		var it item
		ok, held := false, false
		if misfits[at] < tooLong {
			it, ok, held = h.take(at, sour[at] < tooLong/2)
		}
		if !ok {
			at = h.turn.none(at, misfits[at] > 0)
			continue
		}
		// Looked at only when nobody else may have it: the entry may be stale, and the job its owner's again.
		if it.job != nil && !it.job.lookFrom(p, nil) {
			continue
		}
		cost := p.costOf(it)
		served := p.crewOf[at].want.Load() > 0
		fits := !ends || d.Fits(now, cost) // without an end there is nothing to overrun
		if ends && cost == 0 {
			fits = fits && !served && !probed
			probed = probed || fits
		}
		if !fits {
			p.hold(at, it)
			misfits[at]++
			if held {
				sour[at]++
			}
			at = h.turn.unfit(at)
			continue
		}
		if h.start(it, at) {
			ran++
		}
		now = deadline.Now()
		at = h.turn.ran(p, at)
	}
	if ends {
		p.notePassed(now)
	}
	return ran
}

// take takes the oldest item of a lane, but none twice in one call of RunUntil: misfits must not keep what
// fits from being found, nor be kept from the workers meanwhile.
func (h *caller) take(at int, mayHeld bool) (it item, ok, held bool) {
	p := h.w.pool
	l := &p.lanes[at]
	if mayHeld && h.again[at] > 0 && l.extra.Load()&useHeld != 0 {
		h.again[at]--
		if it, ok = l.held.pop(); ok {
			return it, true, true
		}
	}
	if it, ok = l.outside.pop(); ok {
		return it, true, false
	}
	if l.extra.Load()&useBelow != 0 {
		if it, ok = l.below.pop(); ok {
			return it, true, false
		}
	}
	it, ok = p.rob(at)
	return it, ok, false
}

// hold puts an item back that was taken in vain, ahead of what came after it.
func (p *Pool) hold(at int, it item) {
	if it.job != nil {
		at = it.job.Priority.Lane() // a stale entry may have been in another
		it.job.unlook(false)        // before it is visible: whoever finds it now may claim it
	}
	l := &p.lanes[at]
	l.use(useHeld)
	l.held.push(it)
	p.crewOf[at].notify()
	p.noneIfGone()
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
			it, ok, retry := v.batches[at].steal()
			if !ok && !retry {
				it, ok, retry = v.deques[at].steal()
			}
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
		if l.extra.Load()&useYielded != 0 && !l.yielded.empty() || p.queued(at) {
			return true
		}
	}
	return false
}

// queued reports whether a job waits for its start in the lane.
func (p *Pool) queued(at int) bool { return p.crewOf[at].has(at) }
