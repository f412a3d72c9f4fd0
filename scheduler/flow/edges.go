package flow

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// edges decides when a debounced or throttled function runs. It is a pure state machine: time is an argument.
//
// Debounced: a burst is a series of calls, each less than wait after the one before. The function runs wait after the
// last call.
//
// Throttled: the function runs at the first call, which begins a period of wait. If there are calls in a period, the
// function runs at the end of that period, and the next period begins. Otherwise the throttle is at rest.
type edges struct {
	wait     time.Duration
	throttle bool

	open    bool             // within a burst or a period
	pending bool             // there was a call that the function has not run for
	last    deadline.Instant // the last call
	ran     deadline.Instant // throttled: the last run, or the beginning
}

// call notes calls that are new, the first and the last of them at the given times, and reports whether the function
// runs now.
func (e *edges) call(first, last, now deadline.Instant) (run bool) {
	if e.open && !e.throttle && first >= e.last.Add(e.wait) { // the burst was over, and nobody has looked since
		run = e.expire(now)
	}
	if e.open {
		e.last, e.pending = max(e.last, last), true
		return false
	}
	e.open, e.last, e.ran = true, last, now
	e.pending = !e.throttle
	return run || e.throttle
}

// due returns when to call expire, while open.
func (e *edges) due() deadline.Instant {
	if e.throttle {
		return e.ran.Add(e.wait)
	}
	return e.last.Add(e.wait)
}

// expire reports whether the function runs now because an edge has passed.
func (e *edges) expire(now deadline.Instant) bool {
	if !e.open || now < e.due() {
		return false
	}
	run := e.pending
	e.pending, e.ran = false, now
	e.open = e.throttle && run
	return run
}

// flush ends a burst, and reports whether the function runs now.
func (e *edges) flush() bool {
	run := e.open && e.pending
	e.open, e.pending = false, false
	return run
}

// cancel forgets all calls.
func (e *edges) cancel() { e.open, e.pending = false, false }
