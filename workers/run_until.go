package workers

import (
	"math"

	"github.com/frameslice/frameslice/deadline"
)

// tooLong is how many jobs of a lane RunUntil takes in vain, because they do not fit, before it gives the lane
// up. At most half of them are such that it held already, so that these do not hide what came later.
const tooLong = 4

// A pass is one call of RunUntil, by lanes.
type pass struct {
	again   [numLanes]int // how many held items it has yet to look at
	turns   [numLanes]int // how many jobs are to have their turn in it, one each
	misfits [numLanes]int // how many it has taken in vain
	sour    [numLanes]int // how many of them had been held
	probed  bool          // it has tried a job of which nothing is known
}

// RunUntil runs queued jobs on the calling goroutine, the most urgent lane first, and returns how many it ran: when d
// is reached, or nothing is queued, or nothing fits of what it looks at. In a lane it looks at one job after the other,
// and at no more when it has found four that do not fit. Those go behind the others that did not fit in earlier calls,
// so the next call looks at others. Of the lanes that have no workers another one goes first after 15 jobs in a row,
// each in its turn.
//
// A job is begun only if its predicted cost (learned from earlier runs of its kind, here and on workers) fits
// before d. A kind that has never run is left to the workers of its lane to learn. Only where there are none
// does each call try one such job, which may overrun d, and there one of those that have not fitted for some 50 ms goes
// first if it fits then, and after 100 ms whatever it costs. With the zero Deadline RunUntil runs all that is queued.
//
// It is meant for the frame goroutine, with what is left of its slice, but any goroutine may call it, except
// from within a job. A job's panic or runtime.Goexit does not reach the caller. It takes about 60 ns if
// nothing is queued, and some 700 ns and eight small allocations if there is something to run, plus 150 ns
// for each job.
//
// Under a CPU quota below one processor RunUntil with a deadline leaves a job for later that would take the frames'
// share: see Options.Workers.
//
// On a pool without workers a Job may call Worker.Yield to be continued in a later call, and what has to fit of one
// that asks Worker.ShouldYield is the longest stretch between two answers.
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

// drain is RunUntil when it has a caller.
func (h *caller) drain(d deadline.Deadline) (ran int) {
	p, s := h.w.pool, &h.pass
	_, ends := d.Instant()
	now, stale := deadline.Now(), 0
	p.followProcs(now)
	p.follow.pumped.Store(int64(now))
	if ends && !d.ExceededAt(now) && p.passed.Load() != 0 && p.affords(d.RemainingAt(now)) && h.runPassed(now) {
		ran++
		now = deadline.Now()
	}
	s.begin(p, ends)
	for at := h.turn.first(p); at < numLanes && !d.ExceededAt(now); {
		if s.turns[at] > 0 {
			if ends && !p.affords(d.RemainingAt(now)) {
				break
			}
			s.turns[at]--
			l := &p.lanes[at]
			if it, ok := l.yielded.Pop(); ok {
				p.began(p.costOf(it))
				if h.goOn(l, it, d) {
					ran++
				}
				now = deadline.Now()
				at = h.turn.ran(p, at)
			}
			continue
		}
		it, ok, held := s.take(p, at)
		if !ok {
			at = h.turn.none(at, s.misfits[at] > 0)
			continue
		}
		// Looked at only when nobody else may have it: the entry may be stale, and the job its owner's again.
		if it.job() != nil && !it.job().lookFrom(p, nil) {
			p.lanes[at].sifted.met()
			if stale++; stale%32 == 0 {
				now = deadline.Now()
			}
			continue
		}
		// Without an end there is nothing to overrun.
		if ends && (!s.fits(p, at, it, d, now) || !p.affords(p.costOf(it))) {
			p.hold(at, it)
			s.misfits[at]++
			if held {
				s.sour[at]++
			}
			at = h.turn.unfit(at)
			continue
		}
		if ends {
			p.began(p.costOf(it))
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

// begin notes what is there when the call begins.
func (s *pass) begin(p *Pool, ends bool) {
	*s = pass{}
	for at := range p.lanes {
		l := &p.lanes[at]
		s.again[at] = math.MaxInt
		if ends {
			// What this call puts back is behind what was held before: it is looked at in the next one.
			s.again[at] = l.held.Size()
		}
		if l.extra.Load()&useYielded != 0 {
			s.turns[at] = l.yielded.Size()
		}
	}
}

// take takes the oldest item of a lane, but none twice in one call of RunUntil: misfits must not keep what
// fits from being found, nor be kept from the workers meanwhile.
func (s *pass) take(p *Pool, at int) (it item, ok, held bool) {
	if s.misfits[at] >= tooLong {
		return item{}, false, false
	}
	l := &p.lanes[at]
	if s.sour[at] < tooLong/2 && s.again[at] > 0 && l.extra.Load()&useHeld != 0 {
		s.again[at]--
		if it, ok = l.held.Pop(); ok {
			return it, true, true
		}
	}
	if l.extra.Load()&useSifted != 0 {
		if it, ok = l.sifted.pop(); ok {
			return it, true, false
		}
	}
	if it, ok = l.outside.Pop(); ok {
		return it, true, false
	}
	if l.extra.Load()&useBelow != 0 {
		if it, ok = l.below.Pop(); ok {
			return it, true, false
		}
	}
	it, ok = p.rob(at)
	return it, ok, false
}

// fits reports whether the item may run before d. Of one of which nothing is known it says so once in a call, and only
// where no worker could learn it.
func (s *pass) fits(p *Pool, at int, it item, d deadline.Deadline, now deadline.Instant) bool {
	cost := p.costOf(it)
	if !d.Fits(now, cost) {
		return false
	}
	if cost > 0 {
		return true
	}
	if s.probed || p.crewOf[at].want.Load() > 0 {
		return false
	}
	s.probed = true
	return true
}

// hold puts an item back that was taken in vain, ahead of what came after it.
func (p *Pool) hold(at int, it item) {
	if it.job() != nil {
		at = it.job().Priority.Lane() // a stale entry may have been in another
		it.job().unlook(false)        // before it is visible: whoever finds it now may claim it
	}
	l := &p.lanes[at]
	l.use(useHeld)
	l.held.Push(it)
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
			it, ok, retry := v.batches[at].Steal()
			if !ok && !retry {
				it, ok, retry = v.deques[at].Steal()
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
		if l.extra.Load()&useYielded != 0 && !l.yielded.Empty() || p.queued(at) {
			return true
		}
	}
	return false
}

// queued reports whether a job waits for its start in the lane.
func (p *Pool) queued(at int) bool { return p.crewOf[at].has(at) }
