package scheduler

import (
	"context"

	"github.com/frameslice/frameslice/deadline"
)

// Close cancels everything, and the scheduler is of no use after it. Suspended coroutines are unwound,
// their deferred calls run, here and now; tasks that have not run end with ErrClosed, what waits for them
// is released, and what is posted or submitted from now on is Canceled at once. Nothing that the scheduler
// made is left behind: no goroutine, no reference to a function. Call it on the frame goroutine, between
// slices, or within a task: then it takes effect when that task's run ends (within Nest, the outermost run), and
// RunUntil returns. A second Close does nothing.
func (s *Scheduler) Close() {
	if !s.token.CompareAndSwap(0, 1) {
		s.closing.Store(true)
		s.die(ErrClosed)
		return
	}
	if s.nest != nil { // a modal loop is the host: what lies outside of it has yet to end
		s.closing.Store(true)
		s.leave()
		s.die(ErrClosed)
		return
	}
	if !s.sameThread() {
		s.leave()
		panic(errMoved)
	}
	if !s.closed.Load() {
		s.now = s.clock()
		s.shut()
	}
	s.leave()
}

// Context returns a context that is canceled, with the cause ErrClosed, when Close is called: for what was begun
// elsewhere in the name of this scheduler, and for modal loops (Nest). Any goroutine.
func (s *Scheduler) Context() context.Context { return s.life }

// shut is Close, with the token.
func (s *Scheduler) shut() {
	// From here on whoever pushes takes the inbox and cancels what is in it (S8).
	s.closed.Store(true)
	s.die(ErrClosed)
	s.sweepInbox()
	s.sweep(s.unread)
	s.unread = nil

	for len(s.live) > 0 {
		s.unwind(s.live[len(s.live)-1])
	}
	s.unlate()
	s.q.Recall()
	for n := s.q.Peek(deadline.Never); n != nil; n = s.q.Peek(deadline.Never) {
		if s.closeOff(n.Value) {
			s.dropped.Add(1)
		}
	}
	s.shutVerbs()
	s.reportAll()
	for _, c := range s.idle {
		c.stop()
	}
	s.alive -= len(s.idle)
	s.idle = nil
	if s.carrier != nil {
		s.carrier.stop()
		s.carrier = nil
		s.alive--
	}
	s.forced, s.busy, s.posted = nil, nil, nil
	s.arena.flush()
}

// unwind ends the task of c, wherever it is suspended.
func (s *Scheduler) unwind(c *coroutine) {
	it := c.it
	s.unlink(it)
	for {
		w := it.word.Load()
		if it.word.CompareAndSwap(w, w&^(phaseMask|flagAgain)|phaseRun|flagCancel) {
			break
		}
	}
	s.current = it
	s.note(Running, it)
	c.turn(jobCo)
	s.give(c)
}

// shutVerbs cancels what waits for a part of the frame. Coroutines have been unwound. A callback of Each, which may
// have run, is not dropped.
func (s *Scheduler) shutVerbs() {
	lists := []*list{&s.micros, &s.idles}
	for p := range s.callbacks {
		lists = append(lists, &s.callbacks[p])
	}
	for _, l := range lists {
		for it := l.head; it != nil; it = l.head {
			each := it.word.Load()&flagSteps != 0
			if s.closeOff(it) && !each {
				s.dropped.Add(1)
			}
		}
	}
}

// closeOff ends what waits, because of Close.
//
// S39. Of a posted function that waits when the scheduler is closed, one goroutine at a time has the function itself:
// who ended its life, or sweeps the message of that (swept). So Close takes it for a run, which no Cancel ends, and
// tells of it, and lets go of it, before it ends the life. (Its Handle says Running for that moment.) If somebody else
// has canceled it already, the function is not looked at any more: its event has no name (describePosted).
//
// closeOff reports whether it was the one that ended the life.
func (s *Scheduler) closeOff(it *item) bool {
	s.unlink(it)
	claimed := it.task == nil && it.claim()
	s.note(Canceled, it)
	if claimed {
		s.canceled.Add(1)
		it.fn = nil
		it.end(endClosed)
	} else {
		claimed = it.cancel(s, lifeOf(it.word.Load()), endClosed) // its message is swept at once, by the push
	}
	s.part(it)
	return claimed
}

// drop returns the Handle of a function that came after Close.
func (s *Scheduler) drop() Handle {
	s.dropped.Add(1)
	return Handle{life: 1}
}
