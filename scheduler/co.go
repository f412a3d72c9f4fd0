package scheduler

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// A Co has the methods by which a coroutine suspends itself. It is valid only within the function that it was passed
// to. Elsewhere its methods panic, as far as they can tell.
//
// If the task is cancelled, the method that suspends the coroutine, or the next one, unwinds the function by a panic.
// Do not recover: the next call unwinds again, by runtime.Goexit.
type Co struct{ t *Task }

// running returns the coroutine that calls.
func (co *Co) running() *coroutine {
	t := co.t
	if t != nil {
		if c := t.c; c != nil && c.s.current == &t.item {
			return c
		}
	}
	panic("scheduler: Co used outside its function")
}

// begin is the common start of all methods that suspend. It unwinds the coroutine if the task was cancelled.
func (co *Co) begin() *coroutine {
	c := co.running()
	if c.it.word.Load()&flagCancel != 0 {
		c.quit()
	}
	return c
}

// park ends a run of c in the given state, and returns with the next one. queue puts the item where it waits.
func (c *coroutine) park(state word, queue func(c *coroutine)) {
	c.s.stepped(c.it)
	c.release(state)
	c.s.note(Suspended, c.it)
	queue(c)
	c.suspend()
}

// release ends a run of c in the given state. A task that was cancelled just now unwinds at once.
func (c *coroutine) release(state word) {
	if !c.it.release(state) {
		c.s.current = c.it
		c.quit()
	}
}

// suspend gives the turn away and returns when c's item has been claimed again.
func (c *coroutine) suspend() {
	c.since = c.s.now
	if !c.Yield() {
		panic("scheduler: a suspended coroutine was stopped")
	}
	if c.it.word.Load()&flagCancel != 0 {
		c.quit()
	}
}

// Yield lets more urgent work run. The coroutine continues in this slice while time is left and its kind is not limited
// for what it leaves to the host; otherwise in the next. See [Stats.HostCause] for such a kind. Yield costs about
// 42 ns, and 70 to 100 ns more if other work runs.
func (co *Co) Yield() {
	c := co.begin()
	s, it := c.s, c.it
	s.steppedBriefly(it)
	if s.goesOn(it) {
		return
	}
	c.release(stateReady)
	s.note(Queued, it)
	s.requeue(it)
	next := s.claimNext()
	if next == it {
		if it.word.Load()&flagCancel != 0 {
			c.quit()
		}
		return
	}
	s.handOver(next)
	c.suspend()
}

// NextFrame suspends the coroutine until the next frame begins (see [Scheduler.BeginFrame]).
func (co *Co) NextFrame() {
	co.begin().park(stateHeld, (*coroutine).queueFrame)
}

// WaitUntil suspends the coroutine until f returns true. It calls f at once, and then once a frame, when the
// coroutine's turn comes. It is "for !f() { co.NextFrame() }".
func (co *Co) WaitUntil(f func() bool) {
	if f == nil {
		panic("scheduler: WaitUntil of a nil function")
	}
	co.begin()
	for !f() {
		co.NextFrame()
	}
}

func (c *coroutine) queueFrame() {
	c.it.where = inFrame
	c.s.frames.push(c.it)
}

// Sleep suspends the coroutine for at least d, by the time of its group if it has one. Sleep of zero or less is Yield.
func (co *Co) Sleep(d time.Duration) {
	if d <= 0 {
		co.Yield()
		return
	}
	c := co.begin()
	s, it := c.s, c.it
	s.stepped(it)
	c.release(stateReady)
	s.note(Queued, it)
	s.resubmit(it, s.now, d)
	c.suspend()
}

// Wait suspends the coroutine until t has ended and returns t's Err. It returns at once if t was never submitted. t
// must belong to the same scheduler. Two tasks that wait for each other wait until one is cancelled.
//
// Until a later SetPriority, t and the tasks that t waits for have at least this task's priority.
func (co *Co) Wait(t *Task) error {
	c := co.begin()
	s := c.s
	if t == nil {
		panic("scheduler: Wait for nil")
	}
	if t == c.it.task {
		panic("scheduler: a task that waits for itself")
	}
	if s.isUnread() {
		s.drain(s.lastRead)
	}
	w := t.item.word.Load()
	if w&stateMask == stateIdle {
		return t.Err()
	}
	if t.s.Load() != s {
		panic("scheduler: Wait for a task of another scheduler")
	}
	if t.waiters.head != nil && t.awaitedGeneration != generationOf(w) {
		s.releaseWaiters(t, ErrCanceled)
	}
	t.awaitedGeneration = generationOf(w)
	c.waitsFor = t
	s.lift(t, c.it.node.Priority())
	c.park(stateHeld, (*coroutine).queueWait)
	err := c.waitErr
	c.waitErr = nil
	return err
}

func (c *coroutine) queueWait() {
	c.it.where = inWait
	c.waitsFor.waiters.push(c.it)
	c.s.waiting++
}

// Priority returns the task's present priority.
func (co *Co) Priority() deadline.Priority {
	c := co.running()
	if c.s.isUnread() { // there may be a request for another priority
		c.s.drain(c.s.lastRead)
	}
	return c.it.node.Priority()
}

// ShouldYield reports whether the running task should yield or return soon: the slice's deadline has passed, the task
// was cancelled, a draw was requested, or work of a higher priority comes next. It is true in callbacks and microtasks,
// and outside of tasks. It takes about 35 ns: call it every few microseconds.
//
// A task that asks often fits into a small slice: the estimate of its cost is its longest stretch without a call.
func (s *Scheduler) ShouldYield() bool { return !s.mayGoOn() }

// ShouldYield reports whether to suspend soon: see [Scheduler.ShouldYield].
func (co *Co) ShouldYield() bool { return co.running().s.ShouldYield() }

// mayGoOn is the opposite of ShouldYield.
func (s *Scheduler) mayGoOn() bool {
	it := s.current
	if it == nil || !s.slicing || it.word.Load()&laneMask >= phaseLane<<laneShift {
		return false
	}
	if it.word.Load()&flagCancel != 0 || s.closing.Load() {
		return false
	}
	now := s.clock()
	if now >= s.until || s.stopped() {
		return false
	}
	if s.ran >= s.most {
		s.dice.NoteSlice()
		return false
	}
	if s.isUnread() {
		s.drain(now)
	}
	if s.drawAsked {
		return false
	}
	s.releaseDue(s.lastRead)
	if s.preempts(it) {
		return false
	}
	s.goOn(now)
	return true
}

// goOn notes that the running task asked and may continue.
func (l *slice) goOn(now deadline.Instant) {
	since := l.asked
	if since == 0 {
		since = l.now
	}
	l.asked, l.stretch = now, max(l.stretch, now.Sub(since))
}

// AfterDraw suspends the coroutine until a frame has been drawn whose drawing began after the call. It asks for a
// frame: see [Scheduler.DrawRequested].
func (co *Co) AfterDraw() { co.begin().park(stateHeld, (*coroutine).queueDraw) }

func (c *coroutine) queueDraw() {
	c.it.where = inDraw
	c.s.draws.push(c.it)
}
