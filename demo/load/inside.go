package load

import (
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// inside is what the frames of a mode and its loop tell of all its slices: what record.Report is made of.
type inside struct {
	frames  *record.Snapshot
	ours    bool // what follows is known
	times   *scheduler.Times
	insight workers.Insight
	runs    []workers.Run // with Config.Record
	dropped uint64
}

// begin is called when the warm-up of a slice is over.
func (n *inside) begin(x Executor) {
	if in, ok := x.(looped); ok {
		in.inner().Scheduler().Internal().ResetTimes()
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
	var insight workers.Insight
	in.inner().Pool().Insight(&insight)
	n.insight.Add(&insight)
	own := in.inner().Report("")
	n.runs, n.dropped = append(n.runs, own.Runs...), n.dropped+own.RunsDropped
}

func (n *inside) report(m Mode, env record.Environment) *record.Report {
	r := record.NewReport(string(m), n.frames, env)
	if n.ours {
		n.insight.Runs, n.insight.RunsDropped = n.runs, n.dropped // of tasks, too
		r.AddWork(n.times, &n.insight)
	}
	return r
}
