package frame

import "github.com/frameslice/frameslice/deadline"

// Rest tells that the host now sleeps until there is something to do: until Scheduler().Next, or until the scheduler's
// Options.Wake is called. It is for a host that draws on demand. Without Rest a long sleep is a gap, which puts all
// timers off (Options.JumpAfter). Frame goroutine, between End and Begin; it panics elsewhere.
//
// The sleep is in no statistics, and for Pressure it is calm. The frame before it counts with the time from its Begin
// to Rest, or with an interval if that is longer. No refresh period is measured over a sleep: a host that rests after
// every frame should set Options.Interval.
//
// Where the pool has no worker, jobs run in slices. So Wake is called for such a job, too.
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

// judgeRest gives the frame before a sleep its interval. The frame teaches nothing else, as nobody waited for the
// display.
func (l *Loop) judgeRest(now deadline.Instant) {
	awake := max(l.last.rests.Sub(l.last.begun), 0)
	l.now.Interval = min(max(awake, l.now.Target), max(now.Sub(l.last.begun), 0))
	l.now.Waited += max(l.now.Interval-awake, 0)
	outside := l.last.rests.Sub(l.last.ended) - l.last.waited
	if !l.gapped(outside, awake-outside) {
		l.gaps = 0
		return
	}
	l.bridge(awake, outside)
}

// rested ends a Rest, if there was one. Ticks of Options.Pace that lie in it were not skipped.
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
