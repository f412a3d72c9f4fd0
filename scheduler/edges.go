package scheduler

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// edges decides when a debounced or throttled function runs. It is a pure state machine: time is an argument.
//
// Debounced: a burst is a series of calls, each less than wait after the one before. Its leading edge is its
// first call. Its trailing edge is wait after its last one; with most, there are edges in between, most after
// the burst began and after each run.
//
// Throttled: the first call begins a period of wait. At the end of a period the function runs if there was a
// call in it, and the next period begins; if there was none, the throttle is at rest. So runs are at
// least wait apart, which two edges of two bursts, above, need not be.
//
// At a trailing edge the function runs only for a call that it has not run for: one call with both edges is
// one run, at once.
type edges struct {
	wait, most        time.Duration
	leading, trailing bool
	throttle          bool

	open bool             // within a burst or a period
	owed bool             // there was a call for which the trailing edge is to run
	last deadline.Instant // the last call
	ran  deadline.Instant // the last run, or the beginning
}

// call notes that there were calls, the last of them at the given time, and reports whether the function runs
// now.
func (e *edges) call(at, now deadline.Instant) bool {
	if e.open {
		e.last = max(e.last, at)
		e.owed = e.trailing
		return false
	}
	e.open, e.last, e.ran = true, at, now
	e.owed = e.trailing && !e.leading
	return e.leading
}

// due returns when to call expire; it means something while open.
func (e *edges) due() deadline.Instant {
	if e.throttle {
		return e.ran.Add(e.wait)
	}
	at := e.last.Add(e.wait)
	if e.most > 0 {
		at = min(at, e.ran.Add(e.most))
	}
	return at
}

// expire looks whether an edge has passed, and reports whether the function runs now.
func (e *edges) expire(now deadline.Instant) bool {
	if !e.open || now < e.due() {
		return false
	}
	run := e.owed
	e.owed, e.ran = false, now
	if e.throttle {
		e.open = run
	} else {
		e.open = now < e.last.Add(e.wait)
	}
	return run
}

// flush runs what is owed now. A throttle's next period begins with that; a burst ends.
func (e *edges) flush(now deadline.Instant) bool {
	run := e.open && e.owed
	e.owed = false
	if e.throttle && run {
		e.ran = now
	}
	e.open = e.open && e.throttle
	return run
}

// cancel forgets all calls.
func (e *edges) cancel() { e.open, e.owed = false, false }
