package flow

import "github.com/frameslice/frameslice/scheduler"

// InLook reports whether look runs and has answered.
func InLook(t *Throttle) bool {
	return t.p.bell.task.State() == scheduler.Running && t.p.bell.word.Load() == 0
}

// CallLate rings as Call does, and returns what it does then.
func CallLate(t *Throttle) (rest func()) {
	t.p.bell.word.Or(wantCall)
	return func() { t.p.s.Submit(&t.p.bell.task) }
}
