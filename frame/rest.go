package frame

import "github.com/frameslice/frameslice/deadline"

// Rest tells that the host does not go on with the next frame, but sleeps until there is something to do: until
// Scheduler().Next or the scheduler's Options.Wake, for a host that draws on demand. The time until the next Begin is
// then no frame's: it is in no statistics, and no gap, which would put off all timers by that time. Without Rest a
// host that sleeps for longer than 250 ms would wait for a timer for ever (Options.JumpAfter). For
// Pressure it is a calm time. ExampleLoop_Rest in rest_test.go is such a host. As no period is measured over it, a host
// that calls it after every frame had better set Options.Interval. Frame goroutine, between End and Begin; it panics
// elsewhere. After Close it does nothing.
//
// Where the pool has no worker, jobs run in slices or nowhere. So Wake is called for such a job, too: at once, within
// Rest, if one waits, and otherwise when one comes, on the goroutine that submits it.
func (l *Loop) Rest() {
	l.refuseTask("Rest")
	if !l.gate.enter("Rest", 1<<phaseBetween, false) {
		l.over()
		return
	}
	defer l.leave(phaseBetween) // with which the loop may close, and the bell with it
	l.last.valid = false
	if l.last.rests == 0 {
		l.last.rests = deadline.Now()
	}
	if wake := l.o.Scheduler.Wake; wake != nil {
		if l.bell == nil {
			l.bell = l.pool.Bell(wake)
		}
		l.bell.Set()
	}
}

// rested ends a Rest, if there was one. Ticks of Options.Pace that lie in it were not skipped, and the next one is not
// overdue.
func (l *Loop) rested(now deadline.Instant) {
	at := l.last.rests
	if at == 0 {
		return
	}
	l.last.rests = 0
	if l.bell != nil {
		l.bell.Unset()
	}
	if l.pacing {
		l.pacer.start(now, l.pacer.interval)
	}
	l.pressure.rest(now.Sub(at))
}
