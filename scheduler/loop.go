package scheduler

import (
	"fmt"
	"os"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/fault"
)

// failed ends a task that panicked with v, or called Goexit if v is nil.
func (s *Scheduler) failed(c *coroutine, it *item, v any) {
	label := nameOf(it.name())
	var pe *PanicError
	var err error
	if v == nil {
		pe = submittedAt(fault.Capture(label, ErrGoexit), s.stackOf(it))
		err = ErrGoexit
		s.total.exited++
	} else {
		pe = submittedAt(fault.Capture(label, v), s.stackOf(it))
		err = pe
	}
	if t := it.task; t != nil {
		t.failure.Store(&err)
	}
	if m := s.memberOf(it); m != nil && m.g != nil {
		m.g.failure.CompareAndSwap(nil, &err)
	}
	if s.firstPanic == nil {
		s.firstPanic = pe
	}
	s.reports = append(s.reports, pe)
	if c.job == jobCo {
		c.ended(endFailed)
	} else {
		s.end(it, endFailed)
	}
}

// end ends the life of an item that ran.
func (s *Scheduler) end(it *item, how word) {
	t := it.task
	if t != nil && how != endFailed {
		if w := it.word.Load(); w&flagCancel != 0 {
			how = endCanceled
		}
	}
	if how == endCanceled && s.closed.Load() {
		how = endClosed
	}
	switch how {
	case endDone:
		s.total.done++
	case endFailed:
		s.total.failed++
	default:
		s.canceled.Add(1)
	}
	s.noteEnd(how, it)
	again, w := it.end(how)
	if t == nil {
		if w&flagMember != 0 {
			s.part(it)
		}
		it.fn = nil
		if w&flagInbox == 0 {
			s.arena.put(it)
		}
		return
	}
	t.closeDone(lifeOf(w))
	if t.waitLife == lifeOf(w) && t.waiters.head != nil {
		s.releaseWaiters(t, t.errOf(how))
	}
	if again {
		if t.member.g != nil || t.sent.group.Load() != nil {
			s.join(it, lifeOf(w)+1)
		}
		s.enqueue(it, deadline.Priority(t.sent.prio.Load()), s.now)
	} else if w&flagMember != 0 {
		s.part(it)
	}
}

// endPosted is end for a posted function that returned. A cancellation that came while it ran failed.
func (s *Scheduler) endPosted(it *item) {
	s.total.done++
	if s.watch != nil {
		s.noteSlow(EventDone, it)
	}
	w := it.word.Load()
	if !it.word.CompareAndSwap(w, w&(lifeMask|flagInbox)|endDone<<endShift) {
		_, w = it.end(endDone)
	}
	it.fn = nil
	if w&(flagMember|flagInbox) == 0 {
		s.arena.put(it)
		return
	}
	if w&flagMember != 0 {
		s.part(it)
	}
	if w&flagInbox == 0 {
		s.arena.put(it)
	}
}

// runPlain runs plain functions and steps, beginning with it, until the next item is a coroutine's or there
// is none. It is on the carrier. One deferred function (guarded's) serves the whole run.
func (s *Scheduler) runPlain(it *item) {
	for it != nil {
		t := it.task
		switch {
		case t == nil:
			it.fn()
			s.stepped(it)
			s.endPosted(it)
		case t.Func != nil:
			begun := s.now
			t.Func()
			s.stepped(it)
			if t.Period > 0 {
				s.ticked(it, begun)
			} else {
				s.end(it, endDone)
			}
		case t.Idle != nil:
			s.runIdle(t)
			s.stepped(it)
			s.end(it, endDone)
		case t.Co != nil:
			s.hand(it)
			return
		case t.Step():
			s.stepped(it)
			if s.again(it) {
				continue
			}
			if it.release(phaseReady) {
				s.note(EventYielded, it)
				s.requeue(it)
			} else {
				s.end(it, endCanceled)
			}
		default:
			s.stepped(it)
			s.end(it, endDone)
		}
		it = s.pick()
	}
	s.hand(nil)
}

// hand leaves to the frame goroutine an item that was picked on a coroutine and does not run there; nil
// says that the slice is over.
func (s *Scheduler) hand(it *item) { s.handed, s.isHanded = it, true }

// loop runs the slice. It is the only caller of turn but for Close.
func (s *Scheduler) loop() {
	it := s.pick()
	for it != nil {
		s.isHanded = false
		t := it.task
		if t == nil || t.Co == nil {
			if s.carrier == nil {
				s.carrier = s.take()
			}
			s.carrier.first = it
			c := s.carrier
			c.turn(jobPlain)
			s.give(c)
		} else {
			s.turnOf(it)
		}
		if len(s.reports) > 0 {
			s.reportAll()
			s.now = s.clock() // what the handler took is not the next task's
		}
		if s.isHanded {
			it, s.handed = s.handed, nil
		} else {
			it = s.pick()
		}
	}
}

// turnOf gives a coroutine task a turn.
func (s *Scheduler) turnOf(it *item) {
	c := it.task.c
	if c == nil {
		c = s.take()
		c.it, it.task.c = it, c
		c.place = len(s.live)
		s.live = append(s.live, c)
		it.word.Or(flagLive)
	}
	c.turn(jobCo)
	s.give(c)
}

// reportAll calls OnPanic for what failed since the last time.
func (s *Scheduler) reportAll() {
	for i := 0; i < len(s.reports); i++ {
		pe := s.reports[i]
		if s.onPanic == nil {
			complain(pe)
			continue
		}
		c := s.take()
		c.report = pe
		c.turn(jobReport)
		c.report = nil
		s.give(c)
	}
	clear(s.reports)
	s.reports = s.reports[:0]
}

// complain prints what nobody handles.
func complain(pe *PanicError) {
	fmt.Fprintf(os.Stderr, "scheduler: %v\n\n%s\n", pe, pe.Stack)
}
