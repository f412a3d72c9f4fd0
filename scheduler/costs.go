package scheduler

import "github.com/frameslice/frameslice/internal/costs"

// Cost is what the runs of one kind of task have taken: tasks with one Label, or tasks without a label that have one
// function. What counts as a run is as in Times.
//
// A task is admitted to a slice if Expected fits: a high quantile of what a run took lately. 0 is less than 20 µs,
// which always fits. For a run that asks ShouldYield, Expected is the longest stretch between two answers. Task.Cost
// does not enter into Expected.
type Cost = costs.Cost

// ReadCosts appends what each kind of task has cost to buf, and returns it, sorted: the greatest total first. There is
// something to tell with Options.Times, since New or ResetTimes. Beyond 1,024 kinds all are forgotten, and counting
// begins again: labels are to be names of kinds, not of tasks. Frame goroutine; some 10 µs, and 0.1 µs for each kind.
func (s *Scheduler) ReadCosts(buf []Cost) []Cost { return s.kinds.Report(buf) }
