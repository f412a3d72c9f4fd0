package scheduler

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// Local is a Scheduler as the frame goroutine sees it: what Post, After and the methods of a Handle do, for half of
// what they cost, because nobody else can be in the way. Work goes past the inbox, right into the queue. All else is
// the same, whichever of the two verbs of a name is used: order, faults, Stats, events.
//
// Its methods, and those of a LocalHandle, may be called where the frame goroutine's others may (between slices; with
// a frame.Loop, whose Scheduler().Local() it is, from its Begin to its End, or with frame.PlaceShadow only to its
// Slice, as tasks run beside the host from there on), and also in tasks, callbacks and microtasks, which run in its
// stead. From any other goroutine they are a data race, which nothing but the race detector finds: what is not sure
// where it runs, or may be cancelled from elsewhere, posts with Scheduler.Post.
//
// S35. What comes by Local is queued as if Post had been called and the inbox read at once. So it may only be done
// where no message of the frame goroutine's own can be unread, or it would be overtaken (S4): if there is anything in
// the inbox, or being read, the verb is the Scheduler's. The stamp is the scheduler's last reading of the clock,
// which no stamp of a Post in the queue is ahead of. Between slices the first one reads it anew, so that what is
// posted after a long sleep is not born as old as that, and calls Options.Wake; those that follow have the same
// stamp, up to the next slice, BeginFrame or Next. They are as old as that if none comes, though there is work now.
// Shift reads the clock, so no stamp is from before a jump and not moved. What is queued at once is ahead of all that
// becomes ready later, some of which would be ahead of a Post, as that is read later still: a coroutine in NextFrame
// whose frame then begins, or the task that posts, if it goes behind its peers (S10).
//
// An item of Local belongs to the frame goroutine alone, so it has no protocol: no other goroutine has a reference to
// it, as LocalHandles are that goroutine's too, and it is never in the inbox. Its word is never written; who reads it
// sees a posted function that is ready. Where it stands is in item.where: in one of the lists of what waits, nowhere
// while it runs, or how it ended. Which life it is, is the number of its Push, which is never used again: so a
// LocalHandle of an earlier one misses. (With Options.Stacks one place has two that look alike and are not equal: of
// what went right into the queue, and of what went by the inbox.) Rejected: a Handle for all goroutines. Then the
// turn, its end and Cancel are locked operations, and take 8 of 45 ns.
type Local struct{ s *Scheduler }

// Local returns the scheduler's verbs for the frame goroutine. It costs nothing.
func (s *Scheduler) Local() Local { return Local{s} }

// local is the part of a Scheduler that Local needs. The frame goroutine's.
type local struct {
	stamped bool // the clock was read in this slice, or by Local since the last one
	items   localArena
}

// Post is Scheduler.Post for the frame goroutine. It takes some 10 ns, and spares the slice the reading of a message.
func (l Local) Post(p deadline.Priority, f func()) LocalHandle {
	s := l.s
	if !s.isDirect() || f == nil {
		return localHandle(s.Post(p, f))
	}
	mustBeValid(p)
	if !s.stamped {
		s.stampLocal()
	}
	return s.queueLocal(p, s.lastRead, 0, f)
}

// After is Scheduler.After for the frame goroutine: the delay counts from this call, which reads the clock. It may end
// up to 1 µs too early, as the reading may be behind: see S33.
func (l Local) After(p deadline.Priority, d time.Duration, f func()) LocalHandle {
	s := l.s
	if d <= 0 {
		return l.Post(p, f)
	}
	if !s.isDirect() || f == nil {
		return localHandle(s.After(p, d, f))
	}
	mustBeValid(p)
	if s.stamped {
		s.clock()
	} else {
		s.stampLocal()
	}
	return s.queueLocal(p, s.lastRead, d, f)
}

// isDirect reports whether work may go past the inbox.
func (s *Scheduler) isDirect() bool {
	return !s.isUnread() && !s.telling && !s.closed.Load()
}

// stampLocal makes lastRead a stamp for what is posted between slices.
func (s *Scheduler) stampLocal() {
	s.clock()
	s.stamped = true
	s.quick.Begin()
	if s.wake != nil {
		s.wake()
	}
}

func (s *Scheduler) queueLocal(p deadline.Priority, now deadline.Instant, delay time.Duration, f func()) LocalHandle {
	it := s.local.items.get(p.Lane())
	it.fn = f
	if s.sites != nil {
		it.life = s.sites.here()
	}
	s.queue(it, p, now, delay, 0)
	s.note(EventQueued, it)
	return LocalHandle{s, it, it.node.Order()}
}
