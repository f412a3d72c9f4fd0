package frame

import "github.com/frameslice/frameslice/deadline"

// Rest tells that the host does not go on with the next frame, but sleeps until there is something to do: until
// Scheduler().Next or the scheduler's Options.Wake, for a host that draws on demand. Without Rest a host that sleeps
// for longer than 250 ms would wait for a timer for ever, as such a gap puts off all timers (Options.JumpAfter). For
// Pressure the sleep is a calm time. ExampleLoop_Rest in rest_test.go is such a host. As no period is measured over it,
// a host that calls it after every frame had better set Options.Interval. Frame goroutine, between End and Begin; it
// panics elsewhere. After Close it does nothing.
//
// The sleep is in no statistics, but for what is left of an interval after the frame: that frame took from its Begin
// to Rest, or as long as a frame should, whichever is longer. So one that kept the host from its events for a second
// is a late frame, and one of a millisecond is in time. As every frame's, that is recorded with the next one.
//
// Where the pool has no worker, jobs run in slices or nowhere. So Wake is called for such a job, too: at once, within
// Rest, if one waits, and otherwise when one comes, on the goroutine that submits it.
func (l *Loop) Rest() {
	l.refuseTask("Rest")
	if !l.gate.enter("Rest", 1<<phaseBetween, false) {
		l.over()
		return
	}
	defer l.leave(phaseBetween) // with which the loop may close
	if l.last.rests == 0 {
		l.last.rests = deadline.Now()
	}
	l.last.slept = l.last.slept || l.last.valid
	l.last.valid = false
	l.seat.Rest()
}

// judgeRest gives the frame before a sleep its interval. Nothing else is learned from it: neither the host's period nor
// what it does after a slice shows where nobody waits for the display.
func (l *Loop) judgeRest(now deadline.Instant) {
	awake := max(l.last.rests.Sub(l.last.begun), 0)
	l.now.Interval = min(max(awake, l.now.Target), max(now.Sub(l.last.begun), 0))
	l.now.Waited += max(l.now.Interval-awake, 0)
	outside := l.last.rests.Sub(l.last.ended) - l.last.waited
	if !l.gapped(outside, awake-outside) {
		l.row = 0
		return
	}
	l.bridge(awake, outside)
}

// rested ends a Rest, if there was one. Ticks of Options.Pace that lie in it were not skipped, and the next one is not
// overdue.
func (l *Loop) rested(now deadline.Instant) {
	at := l.last.rests
	if at == 0 {
		return
	}
	l.last.rests, l.last.slept = 0, false
	if l.pacing {
		l.pacer.start(now, l.pacer.interval)
	}
	l.pressure.rest(now.Sub(at))
}
