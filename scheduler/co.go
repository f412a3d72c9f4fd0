package scheduler

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// Co is what a coroutine suspends itself with. It is valid only within the function that it was passed to; elsewhere
// its methods panic, as far as they can tell.
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

// begin is the common start of all that suspends. It unwinds a coroutine that is to end.
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
		s.current = it // cancelled just now: the task unwinds at once
		c.quit()
	}
	s.note(Suspended, it)
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

// Yield lets more urgent work run. The coroutine goes on in this slice if time is left, otherwise in the next. It costs
// some 42 ns, and 70 to 100 ns more if other work runs.
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
	s.note(Queued, it)
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

// NextFrame suspends the coroutine until the next frame begins (see [Scheduler.BeginFrame]).
func (co *Co) NextFrame() {
	co.begin().park(phaseHeld, (*coroutine).queueFrame)
}

func (c *coroutine) queueFrame() {
	c.it.where = inFrame
	c.s.frames.push(c.it)
	c.s.framing++
}

// Sleep suspends the coroutine for at least d. Sleep of zero or less is Yield.
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

// lift gives t at least the priority p of a coroutine that waits for t, and so on along the chain of waits. A circle
// ends the chain, because nothing is lifted twice. A lift is never undone: t may have other waiters, and ends soon.
func (s *Scheduler) lift(t *Task, p deadline.Priority) {
	for t != nil {
		it := &t.item
		w := it.word.Load()
		switch {
		case w&phaseMask == phaseIdle || it.fatal:
			return
		case w&flagNew != 0: // it has not been read from the inbox yet
			if lanePriority(w) < p {
				it.setPriority(s, lifeOf(w), p)
			}
			return
		case s.priorityOf(it) >= p || s.soonEnough(it, p):
			return
		}
		s.moveTo(it, p, s.now)
		t = nil
		if it.where == inWait {
			t = it.task.c.waitsFor
		}
	}
}

// soonEnough reports whether a timeout of its own makes a task overdue before the priority p would.
func (s *Scheduler) soonEnough(it *item, p deadline.Priority) bool {
	return s.q.Policy == deadline.ByExpiration && it.timeout() != 0 &&
		s.q.Expiration(&it.node) <= s.q.Start(&it.node).Add(s.q.Timeouts.Of(p))
}

// Priority returns the task's present priority.
func (co *Co) Priority() deadline.Priority {
	c := co.running()
	return c.s.present(c.it)
}

// present returns the priority of the item that runs. It reads the inbox if the run itself has asked for another one.
func (s *Scheduler) present(it *item) deadline.Priority {
	m := s.memberOf(it)
	if it.word.Load()&flagPrio != 0 || m != nil && m.g != nil && m.g.asked.Load() != m.stamp {
		s.drain(s.lastRead)
	}
	return s.priorityOf(it)
}
