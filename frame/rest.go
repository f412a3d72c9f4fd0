package frame

import "github.com/frameslice/frameslice/deadline"

// Rest tells that the host does not go on with the next frame, but sleeps until there is something to do: until
// Scheduler().Next or the scheduler's Options.Wake, for a host that draws on demand. The time until the next Begin is
// then no frame's: it is in no statistics, and it is no jump of the clock, which would put off all timers by that
// time. Without Rest a host that sleeps for longer than Options.JumpAfter would wait for a timer for ever. For
// Pressure it is a calm time. Frame goroutine, between End and Begin; it panics elsewhere. After Close it does nothing.
//
// Where the pool has no worker, jobs run in slices or nowhere. So Wake is called for such a job, too: at once, within
// Rest, if one waits, and otherwise when one comes, on the goroutine that submits it.
func (l *Loop) Rest() {
	if !l.gate.enter("Rest", 1<<phaseBetween, false) {
		l.over()
		return
	}
	l.last.valid = false
	if l.last.rests == 0 {
		l.last.rests = deadline.Now()
	}
	l.leave(phaseBetween)
	if wake := l.o.Scheduler.Wake; wake != nil {
		if l.bell == nil {
			l.bell = l.pool.Bell(wake)
		}
		l.bell.Set()
	}
}
