package scheduler

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// After is [Scheduler.Post] after the delay d, counted from this call. The timeout begins when the delay ends.
func (s *Scheduler) After(p deadline.Priority, d time.Duration, f func()) Handle {
	return s.post("After with", p, d, f, nil, 0)
}

// post is After, for a group whose anchor is fore. The verb is for the panic about a nil function.
func (s *Scheduler) post(verb string, p deadline.Priority, d time.Duration, f func(), fore *item, flags word) Handle {
	if f == nil {
		panic("scheduler: " + verb + " a nil function")
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
