package scheduler

import (
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// timing is the part of a Scheduler that reads the clock. The frame goroutine's.
type timing struct {
	lastRead  deadline.Instant // what clock returned
	lastReal  deadline.Instant // what the system's clock said last
	skew      deadline.Instant // added to the clock: what it went backwards, and what it started below 0
	backwards atomic.Int64     // what it went backwards, for other goroutines
}

// clock reads the clock. The result is never negative and never goes backwards: from then on clock adds the time that
// the clock lost. (In a testing/synctest bubble the clock starts decades before 0.)
func (s *Scheduler) clock() deadline.Instant {
	real := s.time()
	if jump := real - s.lastReal; jump < 0 {
		s.skew -= jump
		if s.lastRead != 0 { // otherwise this is its start
			s.backwards.Add(-int64(jump))
		}
	}
	s.lastReal = real
	s.lastRead = real + s.skew
	return s.lastRead
}

// time reads the clock as it is. Any goroutine.
func (s *Scheduler) time() deadline.Instant {
	if s.read == nil {
		return deadline.Now()
	}
	return s.read()
}

// Now returns the scheduler's time; if the clock goes back, the next slice makes up for that. Any goroutine. RunUntil's
// deadline is by the clock itself.
func (s *Scheduler) Now() deadline.Instant {
	lost := s.backwards.Load()
	return s.time().Add(time.Duration(lost))
}
