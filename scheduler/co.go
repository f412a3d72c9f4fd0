package scheduler

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// Co is what a coroutine suspends itself with. It is valid only within the function that it was passed to:
// on the goroutine that runs that function, until it returns. Elsewhere its methods panic, as far as they
// can tell.
//
// When the task is cancelled, the method in which it is suspended, or the next one that it calls, does not
// return: it unwinds the function by a panic, so that deferred calls run. Do not recover from it; if you
// do, the next call unwinds again, by runtime.Goexit.
//
// The function runs on a goroutine of its own, in turns with the frame goroutine, on the frame goroutine's
// thread. It must not end a turn with another thread-lock state than it began with (runtime.LockOSThread
// without its UnlockOSThread): the runtime kills the program for that.
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

// begin is the common start of all that suspends: it unwinds a coroutine that is to end.
func (co *Co) begin() *coroutine {
	c := co.running()
	if c.it.word.Load()&flagCancel != 0 {
		c.quit()
	}
	if c.nests {
		panic(errNestSuspend)
	}
	return c
}

// park ends a run of c in the given phase, and returns with the next one. queue puts the item where it waits.
func (c *coroutine) park(phase word, queue func(c *coroutine)) {
	s, it := c.s, c.it
	s.stepped(it)
	if !it.release(phase) {
		s.current = it // it was cancelled just now, and unwinds at once
		c.quit()
	}
	s.note(EventParked, it)
	queue(c)
	c.suspend()
}

// suspend gives the turn away and returns when c's item has been claimed again.
func (c *coroutine) suspend() {
	if !c.yield(struct{}{}) {
		panic("scheduler: a suspended coroutine was stopped")
	}
	if c.it.word.Load()&flagCancel != 0 {
		c.quit()
	}
}

// Yield lets go of the frame: what is more urgent runs, and this coroutine goes on, in this slice if time
// is left, in the next otherwise. It comes before its equals (see the package comment for the order) until
// its runs have used half of the slice, then after them, so that a coroutine which does nothing but yield
// starves nobody. If nothing else is to run, it returns without a switch, after some 42 ns; a switch adds
// 70 to 100 ns.
func (co *Co) Yield() {
	c := co.begin()
	s, it := c.s, c.it
	s.stepped(it)
	if s.again(it) {
		return
	}
	if !it.release(phaseReady) {
		s.current = it
		c.quit()
	}
	s.note(EventYielded, it)
	s.requeue(it)
	next := s.pick()
	if next == it {
		if it.word.Load()&flagCancel != 0 {
			c.quit()
		}
		return
	}
	s.hand(next)
	c.suspend()
}

// NextFrame suspends the coroutine until the next frame begins (see [Scheduler.BeginFrame]); then it waits
// for its turn as if it had been submitted at that moment.
func (co *Co) NextFrame() {
	co.begin().park(phaseHeld, (*coroutine).queueFrame)
}

func (c *coroutine) queueFrame() {
	c.it.where = inFrame
	c.s.frames.push(c.it)
	c.s.framing++
}

// Sleep suspends the coroutine for at least d; then it waits for its turn as if it had been submitted at
// that moment. Sleep of zero or less is Yield.
func (co *Co) Sleep(d time.Duration) {
	if d <= 0 {
		co.Yield()
		return
	}
	c := co.begin()
	s, it := c.s, c.it
	s.stepped(it)
	if !it.release(phaseReady) {
		s.current = it
		c.quit()
	}
	s.note(EventYielded, it)
	s.resubmit(it, s.now, d)
	c.suspend()
}

// Wait suspends the coroutine until t has ended and returns t's Err. It returns at once if t has ended or
// was never submitted. t must belong to the same scheduler; two tasks that wait for each other wait until
// one is cancelled.
//
// From then on t has at least the priority of this task, so that what is urgent does not wait for what is
// not; so has what t itself waits for. If this task's priority is raised while it waits, so is theirs. A
// SetPriority of t, or of its group, that comes later has the last word.
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
	if w&phaseMask == phaseIdle {
		return t.Err()
	}
	if t.s.Load() != s {
		panic("scheduler: Wait for a task of another scheduler")
	}
	if t.waiters.head != nil && t.waitLife != lifeOf(w) {
		s.releaseWaiters(t, ErrCanceled)
	}
	t.waitLife = lifeOf(w)
	c.waitsFor = t
	s.lift(t, s.priorityOf(c.it))
	c.park(phaseHeld, (*coroutine).queueWait)
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
	return c.s.present(c.it)
}

// present returns the priority of the item that runs, with what was asked for in the run itself, by a SetPriority that
// has not been read yet.
func (s *Scheduler) present(it *item) deadline.Priority {
	m := s.memberOf(it)
	if it.word.Load()&flagPrio != 0 || m != nil && m.g != nil && m.g.asked.Load() != m.stamp {
		s.drain(s.lastRead)
	}
	return s.priorityOf(it)
}
