package scheduler

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// drawing is the part of a Scheduler that knows of the host's drawing. The frame goroutine's, but for draw.
type drawing struct {
	draws     list  // coroutines in Co.AfterDraw
	drawWaits int   // how many
	drawLimit *item // the first of them that came when the drawing had begun
	drawAsked bool
	drawBegun bool            // RunPhase(BeforeDraw) was called in this frame
	drawOwed  bool            // and who waited for that drawing has not been woken
	told      [numPhases]bool // the phases of which the host has told at least once

	// draw is what RequestDraw pushes. It never has a life: all that its word says is that it is in the inbox.
	draw item
}

// RequestDraw asks the host to draw soon: the slice ends when the running task ends, ShouldYield says so to
// that task, Next says now and DrawRequested is true until the host begins to draw (RunPhase(BeforeDraw); if
// the host never calls that, RunPhase(AfterDraw) or BeginFrame). A slice that begins meanwhile runs one
// task.
//
// Any goroutine. What happens before it happens before that drawing. It never blocks, takes some 10 ns, does
// not allocate, and wakes a host that sleeps. A game that draws all the time does not need it.
func (s *Scheduler) RequestDraw() {
	it := &s.draw
	for {
		w := it.word.Load()
		if !it.word.CompareAndSwap(w, w|flagInbox) {
			continue
		}
		if w&flagInbox == 0 {
			s.push(it)
		}
		return
	}
}

// DrawRequested reports whether there is a reason to draw a frame: RequestDraw was called, a callback of
// Once waits, or a coroutine in AfterDraw or NextFrame. What the inbox brings, except for RequestDraw, counts
// when RunUntil or RunPhase has read it. Frame goroutine; a few nanoseconds.
func (s *Scheduler) DrawRequested() bool {
	return s.drawAsked || s.draw.word.Load()&flagInbox != 0 || s.onces > 0 ||
		s.draws.head != nil || s.frames.head != nil
}

// absorb ends the request for the drawing that p is about. The inbox has been read.
func (s *Scheduler) absorb(p Phase) {
	s.told[p] = true
	switch p {
	case BeforeDraw:
		s.drawAsked, s.drawBegun, s.drawOwed, s.drawLimit = false, true, true, nil
	case AfterDraw:
		if !s.drawBegun && !s.told[BeforeDraw] { // otherwise what was asked since then has yet to be drawn
			s.drawAsked = false
		}
		s.drawBegun = false
	}
}

// AfterDraw suspends the coroutine until a frame has been drawn that began to be drawn after the call (see
// RunPhase); then it waits for its turn as if it had been submitted at that moment. It asks for a frame: Next
// says now, and DrawRequested is true.
func (co *Co) AfterDraw() { co.begin().park(phaseHeld, (*coroutine).queueDraw) }

func (c *coroutine) queueDraw() {
	c.it.where = inDraw
	c.s.draws.push(c.it)
	c.s.drawWaits++
	if c.s.drawOwed && c.s.drawLimit == nil {
		c.s.drawLimit = c.it
	}
}

// drawn wakes the coroutines that wait for the drawing which has ended. There was none if the host says when it draws,
// and has not.
func (s *Scheduler) drawn() {
	if s.told[BeforeDraw] && !s.drawOwed {
		return
	}
	for it := s.draws.head; it != s.drawLimit; it = s.draws.head {
		s.wakeUp(it, s.now)
	}
	s.drawBegun, s.drawOwed, s.drawLimit = false, false, nil
}

// undraw takes a coroutine out of the list.
func (s *Scheduler) undraw(it *item) {
	if it == s.drawLimit {
		s.drawLimit = it.fore
	}
	s.draws.remove(it)
	s.drawWaits--
}

// YieldReason is why a task should yield. YieldNo, the zero value, says that it need not.
type YieldReason uint8

const (
	YieldNo       YieldReason = iota // go on
	YieldUrgent                      // work of a higher priority comes next; for an idle callback, any work
	YieldDraw                        // a draw was requested
	YieldBudget                      // the slice's deadline has passed, the host stops it, or there is none
	YieldCanceled                    // the task was cancelled, or the scheduler is about to close
)

// String returns "no", "urgent", "draw", "budget" or "canceled".
func (r YieldReason) String() string {
	switch r {
	case YieldNo:
		return "no"
	case YieldBudget:
		return "budget"
	case YieldUrgent:
		return "urgent"
	case YieldDraw:
		return "draw"
	case YieldCanceled:
		return "canceled"
	}
	return "invalid reason"
}

// YieldReason is Scheduler.YieldReason.
func (co *Co) YieldReason() YieldReason { return co.running().s.YieldReason() }

// YieldReason tells the task that calls it whether it should yield or return soon, and why: if for several
// reasons, the one that is last in the list of the constants. Only within a task (an idle callback is one).
// Callbacks of phases and microtasks have no budget and cannot be continued, so there, and outside of all
// work, it returns YieldBudget. It takes about 35 ns.
func (s *Scheduler) YieldReason() YieldReason {
	it := s.current
	switch {
	case it == nil || !s.slicing || it.word.Load()&laneMask >= phaseLane<<laneShift:
		return YieldBudget
	case it.word.Load()&flagCancel != 0 || s.closing.Load():
		return YieldCanceled
	}
	now := s.clock()
	if now >= s.until || s.stopped() {
		return YieldBudget
	}
	if s.isUnread() {
		s.drain(now)
	}
	switch {
	case s.drawAsked:
		return YieldDraw
	case s.preempts(it):
		return YieldUrgent
	}
	s.goOn(now)
	return YieldNo
}

// goOn notes that the running task asked and may go on.
func (s *Scheduler) goOn(now deadline.Instant) {
	since := s.asked
	if since == 0 {
		since = s.now.Add(-s.apart)
	}
	s.asked, s.stretch = now, max(s.stretch, now.Sub(since))
}

// unasked returns the longest stretch of the run, which ends at now and took cost, in which the task did not ask
// whether to yield: what is learned of its kind. How long the run was depends on how much time there was.
func (s *Scheduler) unasked(now deadline.Instant, cost time.Duration) time.Duration {
	if s.asked == 0 {
		return cost
	}
	d := max(s.stretch, now.Sub(s.asked))
	s.asked, s.stretch = 0, 0
	return d
}

// preempts reports whether something is ready that goes before the running item.
func (s *Scheduler) preempts(it *item) bool {
	n := s.q.Peek(s.lastRead)
	if n == nil {
		return false
	}
	if t := it.task; t != nil && t.Idle != nil && !t.timedOut {
		return true
	}
	return n.Priority() > s.priorityOf(it) && !s.goesOnBefore(it, n)
}

// goesOnBefore reports whether the next step of the running item would come before n all the same: its place is
// sooner (old work overtakes), and it has not used up what its continuations may use of the slice (requeue), nor
// overdue work its share (candidate). A function has no next step.
func (s *Scheduler) goesOnBefore(it *item, n *node) bool {
	t := it.task
	if s.q.Policy != deadline.ByExpiration || t == nil || t.Step == nil && t.Co == nil || !s.sooner(it, n.Value) {
		return false
	}
	run := time.Duration(s.lastRead-s.now) + s.apart
	used, steps, quota, lateUsed := run, uint32(1), s.contQuota, s.lateUsed
	if t.slice == s.n {
		used += t.usedTime
		steps += t.steps
	}
	if s.currentLate {
		quota = min(quota, s.lateQuota)
		lateUsed += run
	}
	if used >= quota || steps >= contSteps {
		return false
	}
	return s.lateRan == 0 || lateUsed < s.lateQuota || !s.q.Expired(&it.node, s.lastRead)
}
