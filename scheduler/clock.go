package scheduler

import (
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/counter"
)

// timing is the part of a Scheduler that reads the clock. The frame goroutine's.
type timing struct {
	counts    bool // the counter may be used: see S33
	quick     counter.Clock
	lastRead  deadline.Instant // what clock returned
	lastReal  deadline.Instant // what the system's clock said last
	skew      deadline.Instant // added to the clock: what it went backwards, and what it started below 0
	backwards atomic.Int64     // what it went backwards, for other goroutines
}

// anchorReach is how far two readings of the system's clock in a slice may be apart. Further apart they may be of two
// clocks: that of a coroutine which was made in another bubble, if the runtime lets it run at all.
const anchorReach = deadline.Instant(time.Second)

// clock reads the clock. What it returns is never negative and never goes backwards: if the clock does,
// what it lost is added from then on. (In a testing/synctest bubble the clock starts decades before 0.)
//
// S33. Within a slice most readings are of the processor's counter, where package counter can vouch for it: behind
// the clock by less than 1 µs, and never ahead, if the counter runs evenly (P2 there); ahead by 250 µs at most if it
// does not (P1). So deadlines are met 1 µs later than they could be, and delays end when they should, not before.
// The first reading of a slice is the clock's, and so is all that other goroutines read. With Options.Clock
// nothing is counted, nor in a bubble: each anchor is refused whose goroutine is in one (K4), and all those
// of a slice in which two readings of the clock are more than a second apart.
func (s *Scheduler) clock() deadline.Instant {
	if s.quick.Ready() {
		if ns, ok := s.quick.At(counter.Read()); ok {
			s.lastRead = max(s.lastRead, deadline.Instant(ns)+s.skew)
			return s.lastRead
		}
	}
	return s.readClock()
}

func (s *Scheduler) readClock() deadline.Instant {
	var real deadline.Instant
	switch {
	case s.read != nil:
		real = s.read()
	case s.counts && s.quick.Due():
		real = s.anchor()
	default:
		real = deadline.Now()
	}
	if jump := real - s.lastReal; jump < 0 || jump > anchorReach {
		if jump < 0 {
			s.skew -= jump
			if s.lastRead != 0 { // otherwise this is its start
				s.backwards.Add(-int64(jump))
			}
		}
		s.quick.Stop()
	}
	s.lastReal = real
	s.lastRead = max(s.lastRead, real+s.skew) // the counter may have been ahead
	return s.lastRead
}

// anchor reads the clock, and has the counter go on from there.
func (s *Scheduler) anchor() deadline.Instant {
	if counter.Virtual() {
		s.quick.Stop()
		return deadline.Now()
	}
	before := counter.Read()
	real := deadline.Now()
	after := counter.Read()
	s.quick.Note(int64(real), before, after)
	return real
}

// time reads the clock as it is. Any goroutine.
func (s *Scheduler) time() deadline.Instant {
	if s.read == nil {
		return deadline.Now()
	}
	return s.read()
}

// Now returns the time by the scheduler's clock: Options.Clock, or deadline.Now. If the clock goes back, Now adds what
// it lost, from the next slice on; until then Now is behind. Any goroutine.
//
// A time of Now is for what it differs by from another: RunUntil ends by the clock itself.
func (s *Scheduler) Now() deadline.Instant {
	lost := s.backwards.Load()
	return s.time().Add(time.Duration(lost))
}
