package flow

import (
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// RateLimit is a token bucket: Burst tokens, and a new one every Every. Fill in the exported fields and use
// it; they must not change afterwards, and it must not be copied. Its methods may be called from any
// goroutine, do not block and share one atomic word.
//
// The word is the time at which the bucket would be full again ("generic cell rate algorithm", ITU-T I.371):
// a bucket that is full at time t has (t - now) / Every tokens less than Burst. So there is nothing to fill,
// and a rate is kept to the nanosecond, whatever the frames do.
//
// When the scheduler's clock goes backwards, there are fewer tokens, by as many as had come in the time that is lost,
// until the next slice begins: that reads the clock and finds out how much was lost, which is added from there on, as
// if the clock had stood still. A jump forwards is a rest, after which there are up to Burst tokens at once, also where
// Scheduler.Shift takes it out of the delays of what is queued. (The bucket could not follow: a token that another
// goroutine takes between the jump and Shift would be lost for as long as the jump was, and all after it.)
type RateLimit struct {
	// Every is the time between tokens, the inverse of the rate. The default (zero) value, as a negative one, is no
	// limit. A bucket that would take longer than 146 years to fill gets its tokens that soon.
	Every time.Duration

	// Burst is how many tokens the bucket holds: so many may be used at once after a rest. The default (zero)
	// value is 1. The methods panic if it is negative.
	Burst int

	// MaxDelay is how far ahead Post may queue; beyond it returns ErrFull. The default (zero) value is one
	// minute; negative means that Post never waits.
	MaxDelay time.Duration

	// Scheduler is whose clock is read, and where Post queues. Without one, the default, the clock is deadline.Now, and
	// Post panics.
	Scheduler *scheduler.Scheduler

	full atomic.Int64 // 0 is a bucket that was never used
}

const defaultMaxDelay = time.Minute

// Allow takes a token if there is one, and reports whether there was.
func (r *RateLimit) Allow() bool {
	_, ok := r.reserve(0)
	return ok
}

// Post queues f for when its token is there. It returns ErrFull if that is more than MaxDelay ahead, or ErrClosed
// after the scheduler has been closed, and then takes no token and returns no task. Canceling the task does not give
// the token back. It allocates the Task; it panics if f is nil, p invalid or Scheduler nil.
func (r *RateLimit) Post(p deadline.Priority, f func()) (*scheduler.Task, error) {
	if f == nil {
		panic("flow: RateLimit.Post of a nil function")
	}
	mustBeValid(p)
	mustNotBeNil(r.Scheduler, "RateLimit.Post")
	if r.Scheduler.Context().Err() != nil {
		return nil, scheduler.ErrClosed
	}
	most := r.MaxDelay
	if most == 0 {
		most = defaultMaxDelay
	}
	delay, ok := r.reserve(max(most, 0))
	if !ok {
		return nil, ErrFull
	}
	t := &scheduler.Task{Priority: p, Delay: delay, Func: f}
	r.Scheduler.Submit(t)
	return t, nil
}

// Wait suspends the coroutine until its token is there; however long that takes. When the task is canceled
// meanwhile the token is lost.
func (r *RateLimit) Wait(co *scheduler.Co) {
	if delay, _ := r.reserve(math.MaxInt64); delay > 0 {
		co.Sleep(delay)
	}
}

// longestFill is for how long a bucket fills at most.
const longestFill = math.MaxInt64 / 2

// reserve takes a token that is there in at most most, and returns when.
func (r *RateLimit) reserve(most time.Duration) (delay time.Duration, ok bool) {
	if r.Burst < 0 {
		panic(fmt.Sprintf("flow: RateLimit with a negative Burst: %d", r.Burst))
	}
	if r.Every <= 0 {
		return 0, true
	}
	now := deadline.Now()
	if r.Scheduler != nil {
		now = r.Scheduler.Now()
	}
	burst := time.Duration(max(r.Burst, 1))
	every := min(r.Every, max(longestFill/burst, 1)) // so that nothing below overflows
	room := (burst - 1) * every
	for {
		old := r.full.Load()
		full := now
		if old != 0 {
			full = max(now, deadline.Instant(old))
		}
		delay = max(full.Sub(now)-room, 0)
		if delay > most {
			return delay, false
		}
		next := int64(full.Add(every))
		if next == 0 {
			next = 1 // 0 says that it was never used
		}
		if r.full.CompareAndSwap(old, next) {
			return delay, true
		}
	}
}
