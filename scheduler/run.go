package scheduler

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

const (
	// passLimit is how many tasks that do not fit are looked past in one slice.
	passLimit = 32
	// sweepLimit is how many overdue tasks are set aside at most to find a fresh one, before one task.
	sweepLimit = 4096
	// flatLimit tasks without any progress of the clock end a slice that has a deadline.
	flatLimit = 1 << 17
	// readyLimit bounds what counting visits: it is done after each slice, and 100,000 timers that are due must
	// not make that take a millisecond.
	readyLimit = 256

	// contSteps and contTime bound what one task's continuations run ahead of their peers in a slice. The
	// time is for slices without a deadline, in which everything gets its turn anyway; otherwise it is half of
	// the slice. The explainer of the web's scheduler.yield suggests a second, too.
	contSteps = 4096
	contTime  = time.Second
)

// RunUntil runs tasks until d, or until nothing is ready, and says what it did. It starts at least one task
// if any is ready, an overdue one if there is one, even if d has passed; otherwise a task starts only if it
// is expected to end by d. It cannot interrupt a task: it returns late by what its last task takes longer
// than was left. Frame goroutine; it panics if called within a task, or while another goroutine is in it,
// and nothing else happens then.
//
// With the zero Deadline it runs until nothing is ready, which a task that always submits another can put
// off for ever.
//
// An idle slice takes about 120 ns, one with work some 240 ns beside that work, and nothing is allocated.
func (s *Scheduler) RunUntil(d deadline.Deadline) Result {
	s.enter("RunUntil")
	if s.closed.Load() {
		s.leave()
		return Result{}
	}
	if (s.slices < lockChecks || raceEnabled) && !s.sameThread() {
		s.leave()
		panic(errMoved)
	}
	var r Result
	var p *PanicError
	if s.nest != nil {
		r, p = s.sliceWithin(d)
	} else {
		r, p = s.runSlice(d)
		s.leave()
	}
	if p != nil && s.rethrow {
		panic(p)
	}
	return r
}

// runSlice is RunUntil with the token.
func (s *Scheduler) runSlice(d deadline.Deadline) (r Result, p *PanicError) {
	s.begin(d)
	if s.fresh {
		s.latePhases()
	}
	s.loop()
	r = s.finish()
	p = s.firstPanic
	s.firstPanic = nil
	return r, p
}

// begin sets up the slice that ends at d.
func (s *Scheduler) begin(d deadline.Deadline) {
	s.quick.Stop()
	now := s.clock()
	s.quick.Begin()
	end, ok := d.Instant()
	length := time.Duration(1<<63 - 1)
	lateQuota, contQuota := length, contTime
	if ok {
		end = end.Add(time.Duration(s.skew))
		length = max(end.Sub(now), 0)
		lateQuota = time.Duration(s.share * float64(length))
		contQuota = length / 2
	} else {
		end = deadline.Never
	}
	s.slices++
	s.slice = slice{
		slicing: true, n: s.slices, start: now, now: now, until: end, length: length, special: true,
		fresh: s.frameBegun || !s.framed, lateQuota: lateQuota, contQuota: contQuota,
		idling: s.idling && s.framed && !s.frameBegun,
	}
	s.owes()
	s.countLeaps()
	s.frameBegun = false
	s.microBefore = s.microTotal
	if !s.framed {
		s.newMicroFrame()
		s.releaseFrames(now)
	}
}

// finish ends the slice.
func (s *Scheduler) finish() Result {
	r := Result{
		Ran: s.ran, Expired: s.expired, Deferred: s.passedBefore + len(s.passed), TooBig: s.tooBig,
		Used:       s.now.Sub(s.start),
		Microtasks: int(s.microTotal - s.microBefore), Held: s.microHeld, Draw: s.drawAsked,
		Worst: Offender{s.worstName(), s.worstCost, s.sites.stack(s.worstSite)},
	}
	s.restore()
	s.total.add(r)
	s.arena.flush()
	if s.closing.Load() && s.nest == nil {
		s.shut()
	}
	s.slicing = false
	s.quick.Stop()
	s.charging, s.owed = nil, nil
	s.starve(r.Used)
	if s.q.Len() > 0 {
		for _, p := range deadline.Priorities() {
			if s.q.LenOf(p) > 0 {
				r.Ready += s.q.LenReady(p, s.now, readyLimit)
			}
		}
	}
	return r
}

// over reports whether the slice has ended. The first task always starts.
func (s *Scheduler) over() bool {
	if s.ran == 0 {
		return s.closing.Load()
	}
	return s.now >= s.until || s.drawAsked || s.closing.Load() || s.stopped() ||
		s.flat >= flatLimit && s.until != deadline.Never
}

// pick returns the next item to run, claimed, or nil if the slice is over. This is the common case: nobody wants
// anything, there is time for any task that is known, and the first in the queue is not overdue.
func (s *Scheduler) pick() *item {
	left := time.Duration(s.until - s.now) // Never is far enough away
	if s.special || s.inbox.Load() != nil || left <= 0 || left < s.kinds.high || s.closing.Load() ||
		s.stopped() {
		return s.pickSlow()
	}
	n, expired := s.q.Head(s.now)
	if n == nil {
		return s.pickSlow()
	}
	it := n.Value
	w := it.word.Load()
	if w&(phaseMask|flagNew|flagMember|flagOwnCost) != phaseReady || it.where != inQueue || it.skips != 0 ||
		expired && s.overdue(n) || !it.word.CompareAndSwap(w, w&^phaseMask|phaseRun) {
		return s.pickSlow()
	}
	it.where = nowhere
	if n.Timed() {
		s.fetch(n)
	}
	s.q.Remove(n)
	s.ran++
	s.current, s.currentLate = it, false
	return it
}

// fetch brings into the cache, some at a time, what comes after n, which has come due. Delayed tasks run in
// another order than they lie in, so each would wait for some lines one after the other; so they are waited for
// together.
func (s *Scheduler) fetch(n *node) {
	const group = 8
	var next [2 * group]*node
	for i, n := range next[:s.q.Ahead(n, next[:])] {
		it := n.Value
		if i >= group {
			s.touched += it.word.Load() // which is in the line of what the others need: next time
		} else if t := it.task; t != nil && t.done.Load() != nil {
			s.touched++
		}
	}
}

// pickSlow is pick with all that there is to consider.
func (s *Scheduler) pickSlow() *item {
	s.special, s.charging, s.owed = true, nil, nil
	read := false
	for {
		if s.micros.head != nil && !s.closing.Load() {
			if it := s.pickMicro(); it != nil {
				return it
			}
		}
		if s.inbox.Load() != nil || s.unread != nil {
			if s.ran > 0 && s.stopped() {
				return nil
			}
			s.drain(s.now)
			read = true
		}
		if s.over() || read && len(s.busy) > 0 && s.stopped() { // what is chosen now would be a cancelled member
			return nil
		}
		s.bigCost, s.owed = 0, nil
		n := s.choose()
		if n == nil {
			if s.inbox.Load() == nil || s.now >= s.until {
				return s.pickIdle()
			}
			s.now = s.clock() // the end of one thing may have been the beginning of another
			continue
		}
		it := n.Value
		if it.word.Load()&flagMember != 0 && !s.mayRun(it) {
			continue
		}
		overdue := s.overdue(n)
		if s.owed != nil || len(s.weighted) > 0 {
			s.charge(n)
		}
		s.unlink(it)
		if !it.claim() {
			continue // cancelled; its message is on the way
		}
		if s.bigCost > 0 {
			s.tooBig++
			s.total.offender = Offender{nameOf(it.name()), s.bigCost, s.stackOf(it)}
		}
		s.ran++
		s.noteForced(it)
		s.current, s.currentLate = it, overdue
		if overdue {
			s.expired++
			s.lateRan++
		}
		s.special = s.isSpecial()
		s.note(EventStarted, it)
		return it
	}
}

// isSpecial reports whether the next task is, or may be, another one than the first of the queue, or somebody
// wants to know of it. What makes it so sets special, and only pickSlow clears it: so the common case pays for
// one look at one field, whatever there is to consider.
func (s *Scheduler) isSpecial() bool {
	return len(s.forced) > 0 || s.late.head != nil || s.lateRan > 0 || s.q.Policy != deadline.ByExpiration ||
		s.micros.head != nil || s.unread != nil || s.drawAsked || s.owing != 0 ||
		len(s.weighted) > 0 || s.flat >= flatLimit || s.watch != nil
}

// again reports whether it, a task with more to do whose run has just ended, goes on at once, because nobody
// wants anything and it would be the next one again. Then its next run has begun; for other goroutines it is
// one run, after which a cancellation is seen. This is pick without the way through the queue: it saves 20 ns
// of 63.
func (s *Scheduler) again(it *item) bool {
	t, w := it.task, it.word.Load()
	left := time.Duration(s.until - s.now) // Never is far enough away
	switch {
	case s.special || left <= 0 || s.inbox.Load() != nil || w&(flagCancel|flagMember|flagAgain) != 0:
	case s.closing.Load() || s.stopped() || t.usedTime >= s.contQuota || t.steps >= contSteps:
	case (left < s.kinds.high || w&flagOwnCost != 0) && !s.fits(&it.node):
	case !s.q.LeadsInTime(&it.node, s.now):
	default:
		s.ran++
		s.current, s.currentLate = it, false
		return true
	}
	return false
}

// overdue reports whether n's expiration has passed. Immediate work is not backlog: it is born expired.
func (s *Scheduler) overdue(n *node) bool {
	return s.q.Expired(n, s.now) && s.q.PriorityOf(n) != deadline.Immediate
}

type node = deadline.Node[*item]

// stepped accounts for the run that just ended. It reads the clock: the end of this run is the start of the
// next.
func (s *Scheduler) stepped(it *item) {
	t := s.clock()
	cost := time.Duration(t-s.now) + s.apart
	if cost == 0 {
		s.flat++
		s.special = s.special || s.flat >= flatLimit
	} else {
		s.flat, s.apart = 0, 0
	}
	s.now = t
	if s.currentLate {
		s.lateUsed += cost
	}
	if s.charging != nil {
		s.pay(cost)
	}
	if cost > s.worstCost {
		s.worstCost = cost
		s.worstPC, s.worstLabel = it.name()
		if s.sites != nil {
			s.worstSite = it.life
		}
	}
	s.observe(it, cost)
	if p := it.node.Priority(); p < deadline.Normal {
		s.useOwn(it, p, cost)
	}
	if s.watch != nil {
		s.watch.ran += cost
	}
	if t := it.task; t != nil && it.word.Load()&flagSteps != 0 {
		if t.slice != s.n {
			t.slice, t.usedTime, t.steps = s.n, 0, 0
		}
		t.usedTime += cost
		t.steps++
	}
	it.skips = 0
	s.current = nil
}
