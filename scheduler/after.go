package scheduler

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// After queues f with priority p to start after d, counted from this call, and then like any other work: its
// timeout begins when the delay ends. A delay that is not positive is none. Any goroutine may call it, also a
// task. It never blocks, takes some 10 ns and the time of a reading of the clock, and does not allocate once as
// many functions as wait now have waited before; so it costs less than a [Task] with a Delay, which has room for
// more. After Close it returns a Handle that is Canceled. It panics if f is nil or p invalid.
func (s *Scheduler) After(p deadline.Priority, d time.Duration, f func()) Handle {
	return s.after(p, d, f, nil, 0)
}

// After is Scheduler.After into the group. If the group is cancelled, so is the function.
func (g *Group) After(p deadline.Priority, d time.Duration, f func()) Handle {
	h := g.s.after(p, d, f, &g.anchor.item, flagMember)
	if g.canceled.Load() {
		h.Cancel()
	}
	return h
}

func (s *Scheduler) after(p deadline.Priority, d time.Duration, f func(), fore *item, flags word) Handle {
	if f == nil {
		panic("scheduler: After with a nil function")
	}
	mustBeValid(p)
	if s.closed.Load() {
		return s.drop()
	}
	it := s.arena.get(p.Lane())
	it.fn, it.fore = f, fore
	if d > 0 {
		it.node.Stamp(s.time().Add(d))
		flags |= flagDelay
	}
	life := lifeOf(it.word.Load()) + 1
	it.word.Store(uint64(life)<<lifeShift | phaseReady | flagInbox | flagNew | flags | word(p.Lane())<<laneShift)
	s.push(it)
	return Handle{s, it, life}
}
