package load

import (
	"cmp"
	"slices"

	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// inside is what the frames of a mode, its loop and the runtime tell of all its slices: what frame.Report is made of.
type inside struct {
	frames  *frame.Snapshot
	runtime frame.RuntimeStats
	ours    bool // what follows is known
	times   *scheduler.Times
	costs   []scheduler.Cost
	pool    workers.Stats
	insight workers.Insight

	before     frame.RuntimeStats // of the slice in progress
	poolBefore workers.Stats
}

// begin is called when the warm-up of a slice is over.
func (n *inside) begin(x Executor) {
	if in, ok := x.(looped); ok {
		in.inner().Scheduler().ResetTimes()
		in.inner().Pool().Stats(&n.poolBefore)
	}
	n.before = frame.ReadRuntime()
}

// end is called at the end of a slice, before its executor is closed.
func (n *inside) end(x Executor, s *frame.Snapshot) {
	n.runtime = n.runtime.Plus(frame.ReadRuntime().Since(n.before))
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
	var pool workers.Stats
	in.inner().Pool().Stats(&pool)
	n.pool.Workers, n.pool.Background = pool.Workers, pool.Background
	n.pool.Run += pool.Run - n.poolBefore.Run
	n.pool.Stolen += pool.Stolen - n.poolBefore.Stolen
	n.pool.RanByCaller += pool.RanByCaller - n.poolBefore.RanByCaller
	n.pool.Parked += pool.Parked - n.poolBefore.Parked
	n.pool.Woken += pool.Woken - n.poolBefore.Woken
	var insight workers.Insight
	in.inner().Pool().Insight(&insight)
	n.insight.Add(&insight)
}

func (n *inside) report(m Mode, env frame.Environment) *frame.Report {
	r := frame.NewReport(string(m), n.frames, env)
	r.AddRuntime(n.runtime)
	if n.ours {
		slices.SortFunc(n.costs, func(a, b scheduler.Cost) int { return cmp.Compare(b.Total, a.Total) })
		slices.SortFunc(n.insight.Kinds, func(a, b workers.KindInsight) int { return cmp.Compare(b.Total, a.Total) })
		r.AddTimes(n.times)
		r.AddCosts(n.costs)
		r.AddPool(&workers.Stats{}, &n.pool)
		r.AddInsight(&n.insight)
	}
	return r
}
