package frame

// Rest tells that the host does not go on with the next frame, but sleeps until there is something to do: until
// Scheduler().Next or the scheduler's Options.Wake, for a host that draws on demand. The time until the next Begin is
// then no frame's: it is in no statistics, and it is no jump of the clock, which would put off all timers by that
// time. Without Rest a host that sleeps for longer than Options.JumpAfter would wait for a timer for ever. Frame
// goroutine, between End and Begin; it panics elsewhere. After Close it does nothing.
func (l *Loop) Rest() {
	if !l.gate.enter("Rest", 1<<phaseBetween, false) {
		l.over()
		return
	}
	l.last.valid = false
	l.leave(phaseBetween)
}
