package scheduler

import (
	"sync/atomic"

	"github.com/frameslice/frameslice/deadline"
)

// timing is the part of a Scheduler that reads the clock. The frame goroutine's, except where methods say otherwise.
type timing struct {
	read      func() deadline.Instant // nil for deadline.Now: a direct call
	lastRead  deadline.Instant        // what clock returned
	lastReal  deadline.Instant        // what the system's clock said last
	skew      deadline.Instant        // added to the clock: what it went backwards, and what it started below 0
	backwards atomic.Int64            // what it went backwards, for other goroutines
}

// clock reads the clock. The result is never negative and never goes backwards: from then on clock adds the time that
// the clock lost. (In a testing/synctest bubble the clock starts decades before 0.)
func (t *timing) clock() deadline.Instant {
	real := t.time()
	if jump := real - t.lastReal; jump < 0 {
		t.skew -= jump
		if t.lastRead != 0 { // otherwise this is its start
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
