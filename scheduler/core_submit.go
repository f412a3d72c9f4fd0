package scheduler

func functions(t *Task) (n int) {
	if t.Func != nil {
		n++
	}
	if t.Step != nil {
		n++
	}
	if t.Co != nil {
		n++
	}
	if t.Idle != nil {
		n++
	}
	return n
}

// mustBeWhole panics if the exported fields contradict each other.
func (t *Task) mustBeWhole() {
	if functions(t) != 1 {
		panic(errShape)
	}
	if t.Period > 0 && t.Func == nil {
		panic("scheduler: Submit of a Task with a Period and without a Func")
	}
	if t.Func == nil && t.CatchUp > 0 {
		panic("scheduler: Submit of a Task with a CatchUp and without a Func")
	}
	if t.Idle != nil && t.Delay > 0 {
		panic("scheduler: Submit of an idle Task with a Delay")
	}
}

// adopt takes a task that was never submitted, or that its old scheduler has let go of. A task that is still linked in
// an inbox may be in a queue too.
func (s *Scheduler) adopt(t *Task) {
	if s.life == nil {
		panic(errZero)
	}
	t.mustBeLetGo()
	t.s.Store(s)
}

func (t *Task) mustBeLetGo() {
	if t.s.Load() != nil && t.item.word.Load()&(phaseMask|flagInbox) != phaseIdle {
		panic("scheduler: Submit of a Task that another scheduler has not done with")
	}
}

// errZero is what the zero Scheduler panics with.
const errZero = "scheduler: a Scheduler that is not from New"

// The panics of Submit.
const (
	errForeign = "scheduler: Submit into a group of another scheduler"
	errQueued  = "scheduler: Submit of a Task that is queued"
)
