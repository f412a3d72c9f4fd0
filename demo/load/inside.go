package load

import (
	"cmp"
	"slices"

	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// inside is what the frames of a mode and its loop tell of all its slices: what frame.Report is made of.
type inside struct {
	frames  *record.Snapshot
	ours    bool // what follows is known
	times   *scheduler.Times
	costs   []scheduler.Cost
	insight workers.Insight
}

// begin is called when the warm-up of a slice is over.
func (n *inside) begin(x Executor) {
	if in, ok := x.(looped); ok {
		in.inner().Scheduler().ResetTimes()
	}
}

// end is called at the end of a slice, before its executor is closed.
func (n *inside) end(x Executor, s *record.Snapshot) {
	if n.frames == nil {
		n.frames = s
	} else {
		n.frames.Merge(s)
	}
	in, ok := x.(looped)
	if !ok {
		return
	}
	if n.times == nil {
		n.times = new(scheduler.Times)
	}
	n.ours = true
	var times scheduler.Times
	in.inner().Scheduler().ReadTimes(&times)
	n.times.Add(&times)
	for _, c := range in.inner().Scheduler().ReadCosts(nil) {
		if i := slices.IndexFunc(n.costs, func(have scheduler.Cost) bool { return have.Kind == c.Kind }); i >= 0 {
			n.costs[i].Add(c)
		} else {
			n.costs = append(n.costs, c)
		}
	}
	var insight workers.Insight
	in.inner().Pool().Insight(&insight)
	n.insight.Add(&insight)
}

func (n *inside) report(m Mode, env record.Environment) *record.Report {
	r := record.NewReport(string(m), n.frames, env)
	if n.ours {
		slices.SortFunc(n.costs, func(a, b scheduler.Cost) int { return cmp.Compare(b.Total, a.Total) })
		r.AddTasks(n.times, n.costs)
		r.AddJobs(&n.insight)
	}
	return r
}
