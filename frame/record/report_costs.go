package record

import (
	"fmt"
	"slices"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/hist"
	"github.com/frameslice/frameslice/internal/words"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// Times are of tasks or jobs of one priority; see scheduler.Times. Wait is from ready to the start. Late and Early
// compare the start with the expiration, Over and Under the run with its prediction. Jobs have only Wait.
type Times struct {
	Priority string       `json:"priority"`
	Wait     Distribution `json:"wait"`
	Late     Distribution `json:"late,omitzero"`
	Early    Distribution `json:"early,omitzero"`
	Run      Distribution `json:"run,omitzero"`
	Over     Distribution `json:"over_prediction,omitzero"`
	Under    Distribution `json:"under_prediction,omitzero"`
}

// AddWork adds the tasks of Scheduler.ReadTimes, and the jobs of Pool.Profile. A nil one adds nothing. Both include
// the warm-up.
func (r *Report) AddWork(tasks *scheduler.Times, jobs *workers.Profile) {
	if t := tasks; t != nil {
		r.Tasks, r.TaskCosts = nil, slices.Clone(t.Kinds)
		for i, p := range deadline.Priorities() {
			if t.Wait[i].Count() > 0 {
				r.Tasks = append(r.Tasks, Times{
					Priority: p.String(), Wait: histogram(&t.Wait[i]), Late: histogram(&t.Late[i]),
					Early: histogram(&t.Early[i]), Run: histogram(&t.Run[i]), Over: histogram(&t.Over[i]),
					Under: histogram(&t.Under[i]),
				})
			}
		}
	}
	if jobs != nil {
		r.Runs, r.RunsDropped = append(r.Runs, jobs.Runs...), r.RunsDropped+jobs.RunsDropped
		r.LateFrames = r.lateFrames()
		r.Cheaper = r.Snapshot.savings(r.Runs)
		r.Jobs, r.JobCosts, r.Wake, r.WokenLate = nil, slices.Clone(jobs.Kinds), histogram(&jobs.Wake), jobs.Late
		for i, p := range deadline.Priorities() {
			if d := histogram(&jobs.Lanes[i].Delay); d.N > 0 {
				r.Jobs = append(r.Jobs, Times{Priority: p.String(), Wait: d})
			}
		}
	}
}

func histogram(h *hist.Histogram) Distribution {
	return distributionBy(h.Count(), h.Mean(), h.Max(), func(p float64) time.Duration { return h.Percentile(p) })
}

// costs writes the costs of kinds, if there are any.
func (t *textTable) costs(title string, kinds []scheduler.Cost) {
	if len(kinds) == 0 {
		return
	}
	t.Line("")
	t.Line("  %-34s %9s %9s %9s %9s %9s", title, "runs", "total", "mean", "max", "expected")
	for i, k := range kinds {
		if i == costRows {
			t.Line("  and %d further kinds", len(kinds)-i)
			break
		}
		expected := "-"
		if k.Expected > 0 {
			expected = inMS(k.Expected)
		}
		t.Line("  %-34s %9s %9s %9s %9s %9s", words.Tail(k.Kind, 34), thousands(k.Runs),
			inMS(k.Total), inMS(k.Total/time.Duration(max(k.Runs, 1))), inMS(k.Max), expected)
	}
}

// costRows is how many kinds the text has; JSON has all.
const costRows = 12

// jobs writes the waits of jobs, if there are any.
func (t *textTable) jobs(r *Report) {
	rows := make([]named, 0, len(r.Jobs)+1)
	for _, j := range r.Jobs {
		rows = append(rows, named{fmt.Sprintf("%s, %s jobs", j.Priority, thousands(j.Wait.N)), j.Wait})
	}
	if len(rows) > 0 {
		rows = append(rows, named{fmt.Sprintf("wake-up of a worker, %s late", thousands(r.WokenLate)), r.Wake})
	}
	t.distributions("jobs' wait for a start, ms", rows)
}

// tasks writes the times of tasks, if there are any.
func (t *textTable) tasks(r *Report) {
	if len(r.Tasks) == 0 {
		return
	}
	t.Line("")
	const layout = "  %-13s %8s | %9s %8s %8s | %9s %8s %8s | %8s %8s | %9s"
	t.Line(layout, "tasks, ms", "runs", "delay p50", "p99", "max", "early p50", "late p99", "max", "run p99",
		"max", "error p99")
	for _, x := range r.Tasks {
		cells := []any{x.Priority, thousands(x.Wait.N)}
		w, e, l, run, over := &x.Wait, &x.Early, &x.Late, &x.Run, &x.Over
		for _, d := range []time.Duration{w.P50, w.P99, w.Max, e.P50, l.P99, l.Max, run.P99, run.Max, over.P99} {
			cells = append(cells, inMS(d))
		}
		t.Line(layout, cells...)
	}
}
