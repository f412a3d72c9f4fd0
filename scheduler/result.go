package scheduler

import "time"

// Result says what a slice did.
type Result struct {
	Ran      int // runs: functions, steps, and stretches of coroutines between two suspensions
	Expired  int // those of them that were overdue when they started; Immediate work does not count
	Deferred int // tasks passed over because they would not have fitted into what was left
	TooBig   int // tasks run although they do not fit into a whole slice like this one
	Ready    int // tasks that are ready and left for the next slice, as Stats counts them, the inbox left out

	Microtasks int  // microtasks run, which Ran does not count
	Held       bool // microtasks wait for the next frame, because this one has run 1,000
	Draw       bool // RequestDraw was called, and ended the slice if something was left

	Used time.Duration // from the start of the slice to the end of its last task

	// Worst is the longest run.
	Worst struct {
		Label string // the task's Label, or its function's name
		Cost  time.Duration
	}
}

// worstName returns the name of the longest run. It remembers the last function's name, which takes 50 ns
// to find.
func (s *Scheduler) worstName() string {
	if s.worstPC == 0 || s.worstLabel != "" {
		return s.worstLabel
	}
	if s.worstPC != s.namedPC {
		s.namedPC, s.named = s.worstPC, nameOf(s.worstPC, "")
	}
	return s.named
}
