package scheduler

import (
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// timing is the part of a Scheduler that reads the clock. The frame goroutine's, except where methods say otherwise.
type timing struct {
	read      func() deadline.Instant // nil for deadline.Now: a direct call
	exact     bool                    // each run is timed alone, because the clock is the caller's
	lastRead  deadline.Instant        // what clock returned
	lastReal  deadline.Instant        // what the system's clock said last
	skew      deadline.Instant        // added to each reading: backward jumps, and a start below 0
	backwards atomic.Int64            // the sum of the backward jumps, for other goroutines
}

// clock reads the clock. The result is never negative and never goes backwards. If the system's clock jumps back, clock
// adds the length of the jump from then on. (In a testing/synctest bubble the clock starts decades before 0.)
func (t *timing) clock() deadline.Instant {
	real := t.time()
	if jump := real - t.lastReal; jump < 0 {
		t.skew -= jump
		if t.lastRead != 0 { // 0 before the first reading, which is no jump
			t.backwards.Add(-int64(jump))
		}
	}
	t.lastReal = real
	t.lastRead = real + t.skew
	return t.lastRead
}

// time reads the clock as it is. Any goroutine.
func (t *timing) time() deadline.Instant {
	if t.read == nil {
		return deadline.Now()
	}
	return t.read()
}

// stopping is the part of a Scheduler for hosts whose slices run on a goroutine of their own.
type stopping struct {
	stop *atomic.Bool // StopOn's; nil if nobody stops slices
}

// StopOn makes slices end, and ShouldYield return true, when stop is true. A slice that begins then starts one task.
// StopOn(nil) ends this. It is for a host whose slices run on another goroutine than its frames. Frame goroutine,
// between slices.
func (s *Scheduler) StopOn(stop *atomic.Bool) {
	s.acquireToken("StopOn")
	s.stop = stop
	s.releaseToken()
}

// stopped reports whether the host wants the frame back.
func (h *stopping) stopped() bool { return h.stop != nil && h.stop.Load() }

// portion is called after each portion of messages or group members. It returns the time, and whether the rest must
// wait for another slice. Outside of slices the rest always waits.
func (r *runs) portion(now deadline.Instant) (_ deadline.Instant, over bool) {
	if !r.slicing {
		return now, true
	}
	now = r.clock()
	if r.current == nil {
		r.now = now
	}
	return now, now >= r.until || r.stopped()
}

// Now returns the scheduler's time; if the clock goes back, the next slice makes up for that. Any goroutine. RunUntil's
// deadline is by the clock itself.
func (s *Scheduler) Now() deadline.Instant {
	lost := s.backwards.Load()
	return s.time().Add(time.Duration(lost))
}

// dueAfter returns when a delay ends that begins now, by the clock without skew and without what Shift has added. So
// Shift need not look for submissions that are unread, or that wait for the end of a run. Any goroutine.
func (c *pacing) dueAfter(delay time.Duration) deadline.Instant {
	return c.time().Add(delay).Add(-time.Duration(c.shifted.Load()))
}
