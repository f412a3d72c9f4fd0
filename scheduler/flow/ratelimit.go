package flow

import (
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// RateLimit is a token bucket: it holds Burst tokens, and gets a new one every Every. Set the fields before the first
// use; do not copy a RateLimit.
type RateLimit struct {
	// Every is the time between tokens. Zero or less means no limit.
	Every time.Duration

	// Burst is how many tokens there are after a rest. The default (zero) is 1. The methods panic if Burst is negative.
	Burst int

	// MaxDelay is how far ahead Post may queue. The default (zero) is one minute; negative is nothing ahead.
	MaxDelay time.Duration

	// Scheduler is where Post queues, and whose clock counts. Without one (nil), deadline.Now counts and Post panics.
	Scheduler *scheduler.Scheduler

	// Group, if not nil, has what Post queues as members, and tokens count in its time. It is one of Scheduler.
	Group *scheduler.Group

	// full is when the bucket will be full again (the generic cell rate algorithm, ITU-T I.371). A bucket that is full
	// at time t has (t - now) / Every tokens less than Burst. So nothing has to fill the bucket. 0 is a bucket that was
	// never used.
	full atomic.Int64
}

const defaultMaxDelay = time.Minute

// Allow takes a token, and reports whether there was one.
func (r *RateLimit) Allow() bool {
	_, _, ok := r.reserve(0)
	return ok
}

// Post queues f for when its token is there. It returns ErrFull if that is more than MaxDelay ahead, or
// scheduler.ErrClosed, and then takes no token. A canceled task keeps its token. Post allocates the task. It panics if
// f or Scheduler is nil, or p is invalid.
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
	delay, _, ok := r.reserve(max(most, 0))
	if !ok {
		return nil, ErrFull
	}
	t := &scheduler.Task{Priority: p, Delay: delay, Group: r.Group, Func: f}
	r.Scheduler.Submit(t)
	return t, nil
}

// Wait suspends the coroutine until its token is there. With a Group, the coroutine is a member of it. If the task is
// canceled meanwhile, the token is lost. A coroutine of another group, whose time is slower, may wait for longer.
func (r *RateLimit) Wait(co *scheduler.Co) {
	delay, at, _ := r.reserve(math.MaxInt64)
	for delay > 0 { // a sleep counts in the time of the coroutine's group, which may be faster
		co.Sleep(delay)
		delay = at.Sub(r.now())
	}
}

// longestFill is the longest time that a bucket takes to fill, 146 years.
const longestFill = math.MaxInt64 / 2

// now reads the clock by which tokens count.
func (r *RateLimit) now() deadline.Instant {
	switch {
	case r.Group != nil:
		return r.Group.Now()
	case r.Scheduler != nil:
		return r.Scheduler.Now()
	}
	return deadline.Now()
}

// reserve takes a token if there is one within most, and returns when there is, and the delay until then.
func (r *RateLimit) reserve(most time.Duration) (delay time.Duration, at deadline.Instant, ok bool) {
	if r.Burst < 0 {
		panic(fmt.Sprintf("flow: RateLimit with a negative Burst: %d", r.Burst))
	}
	if r.Every <= 0 {
		return 0, 0, true
	}
	now := r.now()
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
			return delay, 0, false
		}
		next := int64(full.Add(every))
		if next == 0 {
			next = 1 // 0 says that it was never used
		}
		if r.full.CompareAndSwap(old, next) {
			return delay, now.Add(delay), true
		}
	}
}
