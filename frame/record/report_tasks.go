package record

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/hist"
	"github.com/frameslice/frameslice/scheduler"
)

// TaskTimes is the part of a Report about the runs of tasks of one priority: how long they waited from when they
// were ready, by how much they were overdue (0 if they were not) and, of those that were not, how long before that they
// began, how long they took, and by how much that was more
// and less than predicted, of those runs for which there was a prediction. See scheduler.Times for what counts.
type TaskTimes struct {
	Priority string       `json:"priority"`
	Wait     Distribution `json:"wait"`
	Late     Distribution `json:"late"`
	Early    Distribution `json:"early"`
	Run      Distribution `json:"run"`
	Over     Distribution `json:"over_prediction"`
	Under    Distribution `json:"under_prediction"`
}

// AddTimes adds to the report what Scheduler.ReadTimes read, which there is with the scheduler's Options.Times.
// They are since the start or Scheduler.ResetTimes, so they include a warm-up that the frames leave out. A
// priority without runs is left out.
func (r *Report) AddTimes(t *scheduler.Times) {
	if t == nil { // before what there is is dropped
		panic("record: AddTimes with nil Times")
	}
	r.Tasks = nil
	for i, p := range deadline.Priorities() {
		if t.Wait[i].Count() > 0 {
			r.Tasks = append(r.Tasks, TaskTimes{
				p.String(), histogram(&t.Wait[i]), histogram(&t.Late[i]), histogram(&t.Early[i]),
				histogram(&t.Run[i]), histogram(&t.Over[i]), histogram(&t.Under[i]),
			})
		}
	}
}

func histogram(h *hist.Histogram) Distribution {
	return Distribution{
		N: h.Count(), Mean: h.Mean(), P50: h.Quantile(0.5), P90: h.Quantile(0.9), P99: h.Quantile(0.99),
		P999: h.Quantile(0.999), Max: h.Max(),
	}
}

// tasks writes the times of tasks, if there are any.
func (t *textTable) tasks(r *Report) {
	if len(r.Tasks) == 0 {
		return
	}
	t.line("")
	const layout = "  %-13s %8s | %9s %8s %8s | %9s %8s %8s | %8s %8s | %9s"
	t.line(layout, "tasks, ms", "runs", "delay p50", "p99", "max", "early p50", "late p99", "max", "run p99",
		"max", "error p99")
	for _, x := range r.Tasks {
		cells := []any{x.Priority, thousands(x.Wait.N)}
		w, e, l, run, over := &x.Wait, &x.Early, &x.Late, &x.Run, &x.Over
		for _, d := range []time.Duration{w.P50, w.P99, w.Max, e.P50, l.P99, l.Max, run.P99, run.Max, over.P99} {
			cells = append(cells, inMS(d))
		}
		t.line(layout, cells...)
	}
}
