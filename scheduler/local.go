package scheduler

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// Local is a Scheduler as the frame goroutine sees it: what Post, After and Handle.Cancel do, for two thirds of what
// they cost, because nobody else can be in the way. Work goes past the inbox, right into the queue. All else is the
// same, whichever of the two verbs of a name is used: order, Handles, faults, Stats.
//
// Its methods may be called where the frame goroutine's others may (between slices; with a frame.Loop, from its Begin
// to its End), and also in tasks, callbacks and microtasks, which run in its stead. From any other goroutine they are a
// data race, which nothing but the race detector finds: what is not sure where it runs posts with Scheduler.Post.
//
// S35. What comes by Local is queued as if Post had been called and the inbox read at once. So it may only be done
// where no message of the frame goroutine's own can be unread, or it would be overtaken (S4): if there is anything in
// the inbox, or being read, the verb is the Scheduler's. The stamp is the scheduler's last reading of the clock, which
// no stamp in the queue is ahead of. Between slices the first one reads it anew, so that what is posted after a
// long sleep is not born as old as that, and calls Options.Wake; those that follow have the same stamp, and they cannot
// be old, since there is work now for which a slice has to come. The item's word is as the drain would leave it: for
// other goroutines (S3, S6) it is one that was read. It is so since the item's last life ended, which is when the next
// one is counted: in the step that ends a run or a cancellation here, or when the last message has been read
// (nextLife). Nobody has a Handle of it before Post returns one, so nobody can ask for anything.
type Local struct{ s *Scheduler }

// Local returns the scheduler's verbs for the frame goroutine. It costs nothing.
func (s *Scheduler) Local() Local { return Local{s} }

// local is the part of a Scheduler that Local needs. The frame goroutine's.
type local struct {
	stamped bool // the clock was read in this slice, or by Local since the last one
	items   localArena
}

// Post is Scheduler.Post for the frame goroutine. It takes some 8 ns, and spares the slice the reading of a message.
func (l Local) Post(p deadline.Priority, f func()) Handle {
	s := l.s
	if !s.isDirect() || f == nil {
		return s.Post(p, f)
	}
	mustBeValid(p)
	if !s.stamped {
		s.stampLocal()
	}
	return s.queueLocal(p, s.lastRead, 0, f)
}

// After is Scheduler.After for the frame goroutine: the delay counts from this call, which reads the clock.
func (l Local) After(p deadline.Priority, d time.Duration, f func()) Handle {
	s := l.s
	if d <= 0 {
		return l.Post(p, f)
	}
	if !s.isDirect() || f == nil {
		return s.After(p, d, f)
	}
	mustBeValid(p)
	if s.stamped {
		s.clock()
	} else {
		s.stampLocal()
	}
	return s.queueLocal(p, s.lastRead, d, f)
}

// Cancel is h.Cancel for the frame goroutine: the same, and what waits in the queue is forgotten at once.
func (l Local) Cancel(h Handle) bool {
	s, it := l.s, h.it
	if it == nil || h.s != s {
		return h.Cancel()
	}
	w := it.word.Load()
	next := w&lifeMask | endCanceled<<endShift
	if it.index >= localIndex && s.watch == nil {
		next = nextLife(w, endCanceled)
	}
	if w&^(laneMask|endMask) != uint64(h.life)<<lifeShift|phaseReady || !it.word.CompareAndSwap(w, next) {
		return h.Cancel() // there is a message about it, or it is a member's, a microtask, or one of Each
	}
	s.total.canceled++
	s.note(EventCanceled, it)
	s.unlink(it)
	it.fn = nil
	s.recycle(it)
	return true
}

// isDirect reports whether work may go past the inbox.
func (s *Scheduler) isDirect() bool {
	return s.inbox.Load() == nil && s.unread == nil && !s.telling && !s.closed.Load()
}

// stampLocal makes lastRead a stamp for what is posted between slices.
func (s *Scheduler) stampLocal() {
	s.clock()
	s.stamped = true
	if s.wake != nil {
		s.wake()
	}
}

func (s *Scheduler) queueLocal(p deadline.Priority, now deadline.Instant, delay time.Duration, f func()) Handle {
	it := s.local.items.get(p.Lane())
	it.fn = f
	if s.sites != nil {
		it.life = s.sites.here()
	}
	s.queue(it, p, now, delay, 0)
	s.note(EventQueued, it)
	return Handle{s, it, lifeOf(it.word.Load())}
}
