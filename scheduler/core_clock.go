package scheduler

import (
	"sync/atomic"

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
