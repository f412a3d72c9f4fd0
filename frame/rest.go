package frame

import "github.com/frameslice/frameslice/deadline"

// Next returns when the next frame will have something to do, as Scheduler.Next does for tasks, and now if jobs wait
// that nobody but a slice runs, as they do on a pool without workers; false if there is nothing. A host that draws on
// demand sleeps until then, or until the scheduler's Options.Wake. On a pool without workers that is not called for a
// job that another goroutine submits in the meantime: such a host is given work by Post, or by a Loader. With
// PlaceShadow a slice may still be running, so it is always now. Frame goroutine, between End and Begin; it panics
// elsewhere. After Close it returns false. It takes as long as Scheduler.Next, and some 100 ns for each worker.
func (l *Loop) Next() (at deadline.Instant, ok bool) {
	if !l.gate.enter("Next", 1<<phaseBetween, false) {
		return 0, false
	}
	defer l.leave(phaseBetween)
	if l.shadow != nil {
		return deadline.Now(), true
	}
	at, ok = l.sched.Next()
	if l.pool.Stats(&l.crew); l.crew.Workers == 0 && l.unserved() {
		return deadline.Now(), true
	}
	return at, ok
}

// Rest tells that the host does not go on with the next frame, but sleeps until there is something to do: until
// Next or the scheduler's Options.Wake, for a host that draws on demand. The time until the next Begin is
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
