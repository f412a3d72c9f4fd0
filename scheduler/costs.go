package scheduler

import "github.com/frameslice/frameslice/internal/costs"

// Cost is what the runs of one kind of task have taken: of the tasks with one Label, or of those without one that have
// one function. What counts as a run is as in Times. Expected is what a further run is expected to take, and by what it
// is admitted to a slice: a high quantile of what it took lately. 0 is less than 20 µs, which always fits. Of a run that
// asks ShouldYield it is the longest stretch between two answers. Task.Cost does not enter into it.
type Cost = costs.Cost

// ReadCosts appends what each kind of task has cost to buf, and returns it, sorted: the greatest total first. There is
// something to tell with Options.Times, since New or ResetTimes. Beyond 1,024 kinds all are forgotten, and counting
// begins again: labels are to be names of kinds, not of tasks. Frame goroutine; some 10 µs, and 0.1 µs for each kind.
func (s *Scheduler) ReadCosts(buf []Cost) []Cost { return s.kinds.Report(buf) }
