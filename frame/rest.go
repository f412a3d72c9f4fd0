package frame

import "github.com/frameslice/frameslice/deadline"

// Rest tells that the host now sleeps, until Scheduler().Next or the scheduler's Options.Wake. It is for a host that
// draws on demand: without Rest a long sleep puts all timers off. Frame goroutine, between End and Begin; it panics
// elsewhere.
//
// The sleep is in no statistics. The frame before it counts from its Begin to Rest, at least an interval. A host that
// rests after every frame should set Options.Interval, because sleeps hide the display's period. If the pool has no
// worker, jobs call Wake, too.
func (l *Loop) Rest() {
	l.gate.refuseTask("Rest", &l.home)
	if !l.gate.enterCall("Rest", 1<<gateBetween, false) {
		l.ends.over()
		return
	}
	defer l.leaveOrClose(gateBetween) // with which the loop may close
	if l.last.rests == 0 {
		l.last.rests = deadline.Now()
	}
	l.last.slept = l.last.slept || l.last.valid
	l.last.valid = false
	l.jobs.runner.Rest()
}

// judgeRest gives the frame before a sleep its interval. The frame teaches nothing else, as nobody waited for the
// display.
func (l *Loop) judgeRest(now deadline.Instant) {
	awake := max(l.last.rests.Sub(l.last.begun), 0)
	l.now.Interval = min(max(awake, l.now.Target), max(now.Sub(l.last.begun), 0))
	l.now.Waited += max(l.now.Interval-awake, 0)
	outside := max(l.last.rests.Sub(l.last.ended)-l.last.waited, 0)
	l.bridge(awake, outside)
}

// rested ends a Rest, if there was one. Ticks of Options.Pace that lie in it were not skipped.
func (l *Loop) rested(now deadline.Instant) {
	at := l.last.rests
	if at == 0 {
		return
	}
	l.last.rests, l.last.slept = 0, false
	l.tempo.restart(now)
	l.pressure.rest(now.Sub(at))
}
