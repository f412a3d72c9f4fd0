package scheduler

// work is a kind of work, as events tell them apart.
type work uint8

const (
	workFunc     work = iota // a function: of Post, or Task.Func
	workStep                 // Task.Step
	workCo                   // a coroutine: of Go, or Task.Co
	workPeriodic             // Task.Func with a Period
	workIdle                 // an idle callback: of WhenIdle, or Task.Idle
	workMicrotask
	workOnce                        // a callback of Once in the first phase; the other phases follow
	workEach = workOnce + numPhases // a callback of Each, in the same way
)

var workNames = [...]string{
	"function", "steps", "coroutine", "periodic", "idle", "microtask",
	"once before update", "once before draw", "once after draw",
	"each before update", "each before draw", "each after draw",
}

func (w work) String() string { return workNames[w] }

// work returns what kind of work the exported fields describe.
func (t *Task) work() work {
	switch {
	case t.Step != nil:
		return workStep
	case t.Co != nil:
		return workCo
	case t.Idle != nil:
		return workIdle
	case t.Period > 0:
		return workPeriodic
	}
	return workFunc
}

// sentWork is work as of the last Submit.
func (t *Task) sentWork() work { return work(t.sent.work.Load()) }

// postedWork returns the kind of work of an item that is no task.
func postedWork(w word) work {
	phase := work(w&laneMask>>laneShift) - phaseLane
	switch {
	case w&laneMask < phaseLane<<laneShift:
		return workFunc
	case w&flagMicro != 0:
		return workMicrotask
	case w&flagSteps != 0:
		return workEach + phase
	}
	return workOnce + phase
}
