package scheduler

// Work is a kind of work, as events tell them apart.
type Work uint8

// The kinds of work.
const (
	WorkFunc      Work = iota // a function: of Post, or Task.Func
	WorkStep                  // Task.Step
	WorkCo                    // a coroutine: of Go, or Task.Co
	WorkPeriodic              // Task.Func with a Period
	WorkIdle                  // an idle callback: of WhenIdle, or Task.Idle
	WorkOnce                  // a callback of Once
	WorkEach                  // a callback of Each
	WorkMicrotask             // a microtask
)

// String returns the kind in words.
func (w Work) String() string {
	switch w {
	case WorkFunc:
		return "function"
	case WorkStep:
		return "steps"
	case WorkCo:
		return "coroutine"
	case WorkPeriodic:
		return "periodic"
	case WorkIdle:
		return "idle"
	case WorkOnce:
		return "once"
	case WorkEach:
		return "each"
	case WorkMicrotask:
		return "microtask"
	}
	return "invalid work"
}

// work returns what kind of work the exported fields describe.
func (t *Task) work() Work {
	switch {
	case t.Step != nil:
		return WorkStep
	case t.Co != nil:
		return WorkCo
	case t.Idle != nil:
		return WorkIdle
	case t.Period > 0:
		return WorkPeriodic
	}
	return WorkFunc
}

// sentWork is work as of the last Submit.
func (t *Task) sentWork() Work { return Work(t.sent.work.Load()) }

// postedWork returns the kind of work of an item that is no task.
func postedWork(w word) Work {
	switch {
	case w&laneMask < phaseLane<<laneShift:
		return WorkFunc
	case w&flagMicro != 0:
		return WorkMicrotask
	case w&flagSteps != 0:
		return WorkEach
	}
	return WorkOnce
}
