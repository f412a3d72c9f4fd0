package record

import (
	"fmt"
	"strings"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// KindCost is the part of a Report about one kind of work: what it cost. Kind is its label, or its function's name.
type KindCost struct {
	Kind string        `json:"kind"`
	Runs uint64        `json:"runs"`
	Time time.Duration `json:"time_ns"` // of all runs
	Mean time.Duration `json:"mean_ns"`
	Max  time.Duration `json:"max_ns"`
	// Expected is by what a further one is admitted to a slice; 0 if there is no need to know.
	Expected time.Duration `json:"expected_ns"`
}

// JobTimes is the part of a Report about the jobs of one priority: how many workers ran, how many of those they took
// from another worker, how many the frame goroutine or others ran who wait, and how long they waited for their start.
type JobTimes struct {
	Priority string       `json:"priority"`
	Run      uint64       `json:"run"`
	Stolen   uint64       `json:"stolen"`
	Guests   uint64       `json:"ran_by_caller"`
	Delay    Distribution `json:"wait"`
}

// AddCosts adds to the report what Scheduler.ReadCosts read: tasks by kind, the greatest total first.
func (r *Report) AddCosts(costs []scheduler.Cost) {
	r.TaskCosts = nil
	for _, c := range costs {
		r.TaskCosts = append(r.TaskCosts, kindCost(c.Kind, c.Runs, c.Total, c.Max, c.Expected))
	}
}

// AddInsight adds to the report what Pool.Insight told, with the pool's Options.Insight: jobs by kind, how long those
// of each priority waited, and how long wake-ups of workers took. It is since the pool was made.
func (r *Report) AddInsight(s *workers.Insight) {
	if s == nil { // before what there is is dropped
		panic("record: AddInsight with nil Insight")
	}
	r.JobCosts, r.Jobs, r.Wake, r.WokenLate = nil, nil, histogram(&s.Wake), s.Late
	for _, k := range s.Kinds {
		r.JobCosts = append(r.JobCosts, kindCost(k.Kind, k.Runs, k.Total, k.Max, k.Expected))
	}
	for i, p := range deadline.Priorities() {
		if l := &s.Lanes[i]; l.Run+l.Guests > 0 {
			r.Jobs = append(r.Jobs, JobTimes{p.String(), l.Run, l.Stolen, l.Guests, histogram(&l.Delay)})
		}
	}
}

func kindCost(kind string, runs uint64, total, most, expected time.Duration) KindCost {
	return KindCost{kind, runs, total, total / time.Duration(max(runs, 1)), most, expected}
}

// costs writes what kinds of work cost, if that is known.
func (t *textTable) costs(title string, kinds []KindCost) {
	if len(kinds) == 0 {
		return
	}
	t.line("")
	t.line("  %-34s %9s %9s %9s %9s %9s", title, "runs", "total", "mean", "max", "expected")
	for i, k := range kinds {
		if i == costRows {
			t.line("  and %d further kinds", len(kinds)-i)
			break
		}
		expected := "-"
		if k.Expected > 0 {
			expected = inMS(k.Expected)
		}
		t.line("  %-34s %9s %9s %9s %9s %9s", tail(k.Kind, 34), thousands(k.Runs),
			inMS(k.Time), inMS(k.Mean), inMS(k.Max), expected)
	}
}

// costRows is how many kinds the text tells of; JSON has all.
const costRows = 12

// tail returns the end of a name that is too long: of a function the part that tells it from others.
func tail(s string, n int) string {
	if i := strings.LastIndexByte(s, '/'); len(s) > n && i >= 0 {
		s = s[i+1:]
	}
	if r := []rune(s); len(r) > n {
		return "…" + string(r[len(r)-n+1:])
	}
	return s
}

// jobs writes how long jobs waited, if that is known.
func (t *textTable) jobs(r *Report) {
	rows := make([]named, 0, len(r.Jobs)+1)
	for _, j := range r.Jobs {
		rows = append(rows, named{fmt.Sprintf("%s, %s jobs", j.Priority, thousands(j.Run+j.Guests)), j.Delay})
	}
	if len(rows) > 0 {
		rows = append(rows, named{fmt.Sprintf("wake-up of a worker, %s late", thousands(r.WokenLate)), r.Wake})
	}
	t.distributions("jobs' wait for a start, ms", rows)
}
