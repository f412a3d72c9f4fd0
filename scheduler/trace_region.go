package scheduler

import "github.com/frameslice/frameslice/internal/regions"

// While a trace is taken (runtime/trace), a run of a task is a region with the task's label, or else the name of its
// function. A phase of callbacks is a region with the phase's name. A slice asks once whether a trace is taken.
//
// S50. A turn of a coroutine task is a region on the goroutine that resumes the coroutine. The region ends at the
// yield, and the next turn has a region of its own. So a region that the program keeps open over a yield is on another
// goroutine.
//
// S51. The run of a plain function or step is a region on the carrier's goroutine. Runs of less than kindFloor with the
// same name, one after the other, share a region, because a region takes longer than such a run. Such a row ends
// before the carrier gives the turn back, before the inbox is read, and with a panic or a Goexit.

// While runs are kept (KeepRuns), the goroutine that runs a task has the label "task" for CPU profiles. It keeps the
// label until it runs another kind of task, or callbacks.

// markRun tells the trace and CPU profiles of a run of it on the carrier.
func (r *runs) markRun(it *item) {
	if r.traced {
		r.traceRun(it)
	}
	if r.keepsRuns() && (it.task == nil || it.task.Co == nil) {
		r.kinds.of(it).Tag(taskTag)
	}
}

// taskTag is the label of a task for CPU profiles. Each run sets the label, as a function of the program may have
// changed the goroutine's.
const taskTag = "task"

// traceRun begins a row for a run of it on the carrier, unless the run continues with the row before.
func (r *runs) traceRun(it *item) {
	if it.task != nil && it.task.Co != nil { // that runs on another goroutine
		r.row.End()
		return
	}
	label := r.kinds.of(it).Short()
	if r.row.Open() {
		if label == r.rowLabel {
			return
		}
		r.row.End()
	}
	r.row, r.rowLabel = r.meter.Begin(regions.Task, label), label
}
