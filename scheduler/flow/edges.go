package flow

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// edges decides when a debounced or throttled function runs. It is a pure state machine: time is an argument.
//
// Debounced: a burst is a series of calls, each less than wait after the one before. Its leading edge is its
// first call. Its trailing edge is wait after its last one; with most, there are edges in between, most after
// the burst began and after each run, and where they are of no use, because there is no trailing edge, the burst ends
// with the first of them.
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

// call notes that there were calls that nobody had looked at, the first and the last of them at the given times, and
// reports whether the function runs now.
func (e *edges) call(first, last, now deadline.Instant) (run bool) {
	if e.open && e.overBefore(first, last) {
		run = e.expire(now)
	}
	if e.open {
		e.last = max(e.last, last)
		e.owed = e.trailing
		return false
	}
	e.open, e.last, e.ran = true, last, now
	e.owed = e.trailing && !e.leading
	return run || e.leading
}

// overBefore reports whether a burst was over before the first of those calls, or, without a trailing edge, a period
// or MaxWait before the last of them, and nobody has looked since. With a trailing edge the function runs for them at
// that.
func (e *edges) overBefore(first, last deadline.Instant) bool {
	if !e.trailing && last >= e.limit() {
		return true
	}
	return !e.throttle && first >= e.last.Add(e.wait)
}

// limit returns when the period ends, or MaxWait.
func (e *edges) limit() deadline.Instant {
	switch {
	case e.throttle:
		return e.ran.Add(e.wait)
	case e.most > 0:
		return e.ran.Add(e.most)
	}
	return deadline.Never
}

// due returns when to call expire; it means something while open.
func (e *edges) due() deadline.Instant {
	if e.throttle {
		return e.limit()
	}
	return min(e.last.Add(e.wait), e.limit())
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
		e.open = e.trailing && now < e.last.Add(e.wait)
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
