package scheduler

import (
	"context"

	"github.com/frameslice/frameslice/deadline"
)

// Close cancels everything and ends the scheduler. Suspended coroutines unwind in Close. Tasks that have not run, and
// later ones, end with [ErrClosed]. No goroutine stays behind.
//
// Frame goroutine, between slices or within a task. Within a task Close takes effect when the run ends, and RunUntil
// returns. A second Close does nothing.
func (s *Scheduler) Close() {
	if !s.taken.CompareAndSwap(false, true) {
		s.closing.Store(true)
		s.cancelCtx(ErrClosed)
		return
	}
	if wrong := s.misplaced(); wrong != "" {
		s.releaseToken()
		panic(wrong)
	}
	if !s.closed.Load() {
		s.now = s.clock()
		s.shut()
	}
	s.releaseToken()
}

// Context returns a context that Close cancels, with the cause ErrClosed. Use it for work on other goroutines. Any
// goroutine.
func (s *Scheduler) Context() context.Context { return s.ctx }

// shut is Close, with the token.
func (s *Scheduler) shut() {
	lists := []*item{s.unread} // what was submitted before is swept here, where events are told
	s.unread = nil
	for list := s.inbox.take(); list != nil; list = s.inbox.take() {
		lists = append(lists, list)
	}
	// From here on each push takes the inbox and cancels what is in it (S8).
	s.closed.Store(true)
	s.cancelCtx(ErrClosed)
	for _, list := range lists {
		s.sweep(list, s.watch)
	}
	s.sweepInbox(s.watch)

	for len(s.live) > 0 {
		s.live[len(s.live)-1].unwind()
	}
	s.restoreOverdue()
	s.q.Recall()
	for n := s.q.Peek(deadline.Never); n != nil; n = s.q.Peek(deadline.Never) {
		if s.closeOff(n.Value) {
			s.dropped.Add(1)
		}
	}
	s.shutPaced()
	s.shutVerbs()
	s.reportAll()
	for _, c := range s.idle {
		c.Stop()
	}
	s.alive -= len(s.idle)
	s.idle = nil
	if s.carrier != nil {
		s.carrier.Stop()
		s.carrier = nil
		s.alive--
	}
	s.starved, s.posted = nil, nil
	s.arena.flush()
}

// unwind ends the task of c, wherever it is suspended, because of Close.
func (c *coroutine) unwind() {
	s, it := c.s, c.it
	s.unlink(it)
	for {
		w := it.word.Load()
		if it.word.CompareAndSwap(w, w&^(stateMask|flagAgain)|stateRun|flagCancel) {
			break
		}
	}
	s.current = it
	s.note(Running, it)
	c.turn(jobCo)
	s.putCoroutine(c)
}

// shutVerbs cancels the microtasks, idle callbacks and phase callbacks that wait. Coroutines have been unwound before.
// A callback of Each may have run, so it does not count as dropped.
func (s *Scheduler) shutVerbs() {
	lists := []*round{&s.micros, &s.idles}
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

// closeOff ends an item that waits, because of Close.
//
// S39. Suppose that a posted function waits when the scheduler is closed. One goroutine at a time may touch the
// function itself: the goroutine that ended the generation, or the goroutine that sweeps the message about the end
// (swept). So Close claims the function as if for a run, which no Cancel ends. It notes the event and lets go of the
// function before it ends the generation. (The Handle says Running for that moment.) If the function was cancelled
// already, Close does not look at it, and its event has no name (describePosted).
//
// closeOff reports whether this call ended the generation.
func (s *Scheduler) closeOff(it *item) bool {
	s.unlink(it)
	claimed := it.task == nil && it.claim()
	if it.task == nil || it.task.id != 0 { // otherwise its end was told with the message about it
		s.note(Canceled, it)
	}
	if claimed {
		s.canceled.Add(1)
		it.fn = nil
		it.markEnded(endClosed)
	} else {
		claimed = it.cancel(&s.intake, generationOf(it.word.Load()), endClosed) // the push sweeps the message
	}
	s.leaveGroup(it)
	return claimed
}

// shutPaced cancels what is parked, and what is delayed by the time of a group, because of Close.
func (s *Scheduler) shutPaced() {
	for len(s.kept) > 0 {
		g := s.kept[len(s.kept)-1]
		it := g.parked.head
		if it == nil {
			it = g.later.Peek(deadline.Never).Value
		}
		if it.where == isGroupEntry {
			g.later.Remove(&it.node)
			it.task.Group.alarm = deadline.Never
			s.keepOrNot(g)
		} else if s.closeOff(it) {
			s.dropped.Add(1)
		}
	}
}
