package workers

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

const (
	// tooLong is how many jobs of a lane that do not fit RunUntil looks at before it leaves the lane. At most half of
	// them are jobs that did not fit in an earlier call, so that old misfits do not hide newer jobs.
	tooLong = 4

	// patience is how long a job that does not fit waits where no worker takes it. Then the job goes first in a call,
	// whatever it costs. From half of that time on it goes first in a call in which it fits. Otherwise such a job would
	// wait without end, if no call has more time, or if shorter jobs use up every call. One job goes first so in each
	// patience. It is a time and not a number of calls, as a program may call several times a frame.
	patience = 100 * time.Millisecond
)

// A pass is one call of RunUntil, by lanes.
type pass struct {
	older   [numLanes]int // how many items of lane.older from before the call it has yet to look at
	turns   [numLanes]int // how many jobs that have yielded are to have a turn, one turn each
	misfits [numLanes]int // how many items it has taken that did not fit
	probed  bool          // it has tried a job of unknown cost
	floored bool          // a less urgent lane had its turn, and no job there fitted
}

// A pump is what the calls of RunUntil have in common.
type pump struct {
	last   lastPump
	passed atomic.Int64  // since when they have passed jobs over, or 0: see runPassed
	row    atomic.Int32  // jobs in a row of lanes without workers: see floorLane
	bottom atomic.Int32  // the less urgent lane that had its turn last
	forced atomic.Uint64 // Stats.Forced
}

// drain runs queued jobs until d, and returns how many: see Pool.RunUntil.
func (cl *caller) drain(d deadline.Deadline) (ran int) {
	p, s := cl.w.pool, &cl.pass
	end, ends := d.Instant()
	now, stale := deadline.Now(), 0
	p.follow.followProcs(now)
	p.pump.last.Store(int64(now))
	cl.w.until = d
	cl.w.ledger.meter.forget() // the goroutine has waited since
	cl.longest, cl.longestKind = 0, nil
	s.begin(p, ends)
	if ends && now < end && p.pump.passed.Load() != 0 && p.machine.affords(end.Sub(now)) && cl.runPassed(now) {
		ran++
		now = deadline.Now()
	}
	for at, turn := s.firstLane(p); at < numLanes && now < end; {
		l := &p.lanes[at]
		if s.turns[at] > 0 {
			if ends && !p.machine.affords(end.Sub(now)) {
				break
			}
			s.turns[at]--
			if it, ok := l.yielded.Pop(); ok {
				p.machine.quota.Bucket.Began(p.kinds.costOf(it))
				k := p.kinds.kindOf(it)
				if cl.resumeJob(it, d) {
					ran++
				}
				now = cl.noteRun(k, now)
				p.pump.hadRun(l, turn)
				at, turn = s.firstLane(p)
			}
			continue
		}
		it, ok := s.takeOldest(p, at)
		if !ok {
			if !turn {
				at++
				continue
			}
			if s.misfits[at] == 0 {
				p.pump.hadRun(l, turn) // the lane is empty, and has had its turn
			}
			s.floored = s.misfits[at] > 0
			at, turn = s.firstLane(p)
			continue
		}
		// The job's fields may be read only after lookFrom: the entry may be stale, and the job its owner's again.
		if it.job() != nil && !it.job().lookFrom(l.class) {
			l.staleRemoved()
			if stale++; stale%32 == 0 {
				now = deadline.Now()
			}
			continue
		}
		// Without an end there is nothing to overrun.
		if ends && (!s.fits(p, at, it, end, now) || !p.machine.affords(p.kinds.costOf(it))) {
			p.lanes.putOlder(at, it)
			s.misfits[at]++
			continue
		}
		if ends {
			p.machine.quota.Bucket.Began(p.kinds.costOf(it))
		}
		k := p.kinds.kindOf(it) // before the run: after it the job is its owner's
		if cl.start(it, at) {
			ran++
		}
		now = cl.noteRun(k, now)
		p.pump.hadRun(l, turn)
		at, turn = s.firstLane(p)
	}
	if ends {
		p.pump.notePassed(&p.lanes, now)
	}
	return ran
}

// noteRun notes what ran since begin, and returns the time.
func (cl *caller) noteRun(k *kind, begin deadline.Instant) (now deadline.Instant) {
	now = deadline.Now()
	if d := now.Sub(begin); d > cl.longest {
		cl.longest, cl.longestKind = d, k
	}
	return now
}

// begin notes what is in the queues when the call begins.
func (s *pass) begin(p *Pool, ends bool) {
	*s = pass{}
	for at := range p.lanes {
		l := &p.lanes[at]
		s.older[at] = math.MaxInt
		if ends {
			// Items that this call puts back come behind these, and are for the next call.
			s.older[at] = l.older.Size()
		}
		if l.extra.Load()&useYielded != 0 {
			s.turns[at] = l.yielded.Size()
		}
	}
}

// firstLane returns the lane to look at next, and whether that is the turn of a lane that is not the most urgent one.
func (s *pass) firstLane(p *Pool) (at int, turn bool) {
	if !s.floored && p.pump.row.Load() >= floor {
		if at = p.pump.floorLane(&p.lanes); at >= 0 {
			return at, true
		}
	}
	return 0, false
}

// floorLane returns the lane without workers whose turn it is to go before more urgent ones, or -1. The turn goes to
// the least urgent lane with jobs, next time to the lane above, and so on. The most urgent lane with jobs has no turn,
// because it goes first anyway.
func (u *pump) floorLane(ls *lanes) int {
	most := 0
	for most < numLanes && !ls[most].deserted() {
		most++
	}
	bottom := int(u.bottom.Load())
	for i := range numLanes {
		if at := (bottom + 2*numLanes - 1 - i) % numLanes; at > most && ls[at].deserted() {
			return at
		}
	}
	return -1
}

// hadRun notes that a job of the lane has run.
func (u *pump) hadRun(l *lane, turn bool) {
	if turn {
		u.row.Store(0)
		u.bottom.Store(int32(l.at))
	} else if !l.served() {
		u.row.Add(1)
	}
}

// deserted reports whether jobs wait in a lane without workers.
func (l *lane) deserted() bool { return !l.served() && l.orphaned(false) }

// takeOldest takes the oldest item of a lane. It takes no item twice in one call. An item that does not fit goes back
// into the lane at once, for the workers.
func (s *pass) takeOldest(p *Pool, at int) (it item, ok bool) {
	if s.misfits[at] >= tooLong {
		return item{}, false
	}
	l := &p.lanes[at]
	if s.misfits[at] < tooLong/2 && s.older[at] > 0 && l.extra.Load()&useOlder != 0 {
		s.older[at]--
		if it, ok = l.older.Pop(); ok {
			return it, true
		}
	}
	if it, ok = l.outside.Pop(); ok {
		return it, true
	}
	if l.extra.Load()&useBelow != 0 {
		if it, ok = l.below.Pop(); ok {
			return it, true
		}
	}
	return l.takeFromAnyWorker()
}

// fits reports whether the item may run before end. For an item of unknown cost it returns true once in a call, and
// only where there is no worker. A job that waits by its nature never fits where there are workers.
func (s *pass) fits(p *Pool, at int, it item, end, now deadline.Instant) bool {
	cost, left := p.kinds.costOf(it), end.Sub(now)
	switch {
	case left <= 0 || cost > left:
		return false
	case p.lanes[at].served():
		return !it.waits() && p.lanes[at].class.neverLong(p.kinds.known(it), max(left, noise*cost), now)
	case cost > 0:
		return true
	case s.probed:
		return false
	}
	s.probed = true
	return true
}

// neverLong reports whether jobs of a kind, which may be nil, never take longer than most on the workers of c. The
// guess of a cost ignores the most expensive twentieth of the runs, because a task has nowhere else to run. A job has.
// So of its kind's latest runs, and of those under way, none may be longer than most: what the call has left, or what a
// busy machine makes of the guess.
func (c *class) neverLong(k *kind, most time.Duration, now deadline.Instant) bool {
	if k == nil || k.Latest.Runs() < history || k.Latest.Longest() > most {
		return false
	}
	for i := range c.used.Load() {
		if c.slots[i].Load().seen.isLonger(k, max(most, shortRun), now) {
			return false
		}
	}
	return true
}

// runPassed runs one of the jobs that have not fitted, if such jobs have waited for long, and reports whether the job
// ended.
func (cl *caller) runPassed(now deadline.Instant) (ended bool) {
	p, u := cl.w.pool, &cl.w.pool.pump
	since := u.passed.Load()
	waited := now.Sub(deadline.Instant(since))
	if since == 0 || waited < patience/2 || !u.passed.CompareAndSwap(since, 0) {
		return false
	}
	first, turn := cl.pass.firstLane(p)
	for i := range 1 + numLanes {
		at := i - 1
		if i == 0 {
			at = first
		}
		l := &p.lanes[at]
		if l.extra.Load()&useOlder == 0 || l.served() {
			continue
		}
		for {
			it, ok := l.older.Pop()
			if !ok {
				break
			}
			if it.job() != nil && !it.job().lookFrom(l.class) {
				l.staleRemoved()
				continue
			}
			cost := p.kinds.costOf(it)
			end, _ := cl.w.until.Instant()
			if left := end.Sub(now); left <= 0 || cost > left {
				if waited < patience {
					p.lanes.putOlder(at, it)
					u.passed.CompareAndSwap(0, since)
					return false
				}
				u.forced.Add(1)
			}
			p.machine.quota.Bucket.Began(cost)
			k := p.kinds.kindOf(it)
			ended = cl.start(it, at)
			cl.noteRun(k, now)
			u.hadRun(l, turn && i == 0)
			return ended
		}
	}
	return false
}

// notePassed notes since when calls with an end leave jobs in lane.older, of lanes without workers.
func (u *pump) notePassed(ls *lanes, now deadline.Instant) {
	passed := false
	for at := range ls {
		l := &ls[at]
		passed = passed || l.extra.Load()&useOlder != 0 && !l.served() && !l.older.Empty()
	}
	switch since := u.passed.Load(); {
	case !passed && since != 0:
		u.passed.Store(0)
	case passed && since == 0:
		u.passed.CompareAndSwap(0, int64(now))
	}
}

// start runs an item that no other goroutine can take any more, and reports whether the item ended.
func (cl *caller) start(it item, at int) (ended bool) {
	p := cl.w.pool
	j := it.job()
	if j == nil {
		cl.run(it, at)
		return true
	}
	at = j.Priority.Lane() // a stale entry may have been in another lane
	yields := j.Func != nil && !p.lanes[at].served()
	if yields {
		p.lanes[at].use(useYielded) // before the job is seen to run: a waiter has to look whether the job yields
	}
	j.unlook(true)
	if !yields {
		cl.run(it, at)
		return true
	}
	return p.beginYielder(it, at, cl.w.ledger.gaugeOf(&p.kinds, it), cl.w.until)
}
