package frame

import (
	"cmp"
	"slices"

	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// Report computes the report of everything that the loop knows of its frames since New, or since its Recorder was
// Reset: NewReport of what is recorded, with the environment. If the scheduler has Options.Times, the report has the
// times and costs of tasks since New. If the pool has Options.Insight, the report has those of jobs since New. name is
// the variant's, as it is to stand in tables. NewReport makes a report of less, or of several loops.
//
// Frame goroutine, between two frames or in a frame's own work (as in the f of Run), or anybody when the frames are
// over, after Close too; in a task it panics. It takes some 25 ms, so it is for the end of a run: a frame in which it
// is called is late.
func (l *Loop) Report(name string) *record.Report {
	l.refuseTask("Report")
	phase := l.gate.phase()
	if !l.gate.enter("Report", 1<<phaseBetween|1<<phaseOpen, true) {
		l.over() // what the tasks that were unwound have counted is there then
		return l.report(name)
	}
	defer l.leave(phase)
	if phase == phaseBetween { // else Begin has
		l.takeBack() // until then the slice in the shadow counts
	}
	return l.report(name)
}

// report reads what only the goroutine that drains may read.
func (l *Loop) report(name string) *record.Report {
	frames := l.rec.Snapshot()
	wait := "host"
	if l.pacer.interval > 0 { // Run or Options.Pace has started it
		wait = l.o.Wait.String()
	}
	r := record.NewReport(name, frames, record.ReadEnvironment(wait))
	r.HostCause, r.HostLate = l.sched.HostCause()
	if l.host != l.sched {
		if kind, n := l.host.HostCause(); n > r.HostLate {
			r.HostCause, r.HostLate = kind, n
		}
	}
	var insight workers.Insight
	if l.pool.Insight(&insight) {
		r.AddJobs(&insight)
	}
	if r.Dropped = l.sched.Stats().Dropped; l.host != l.sched {
		r.Dropped += l.host.Stats().Dropped
	}
	var times, more scheduler.Times
	if l.sched.ReadTimes(&times) {
		costs := l.sched.ReadCosts(nil)
		if l.host != l.sched && l.host.ReadTimes(&more) {
			times.Add(&more)
			costs = addCosts(costs, l.host.ReadCosts(nil))
		}
		r.AddTasks(&times, costs)
	}
	return r
}

// addCosts returns the costs of two schedulers together, the greatest total first.
func addCosts(a, b []scheduler.Cost) []scheduler.Cost {
	for _, c := range b {
		if i := slices.IndexFunc(a, func(o scheduler.Cost) bool { return o.Kind == c.Kind }); i >= 0 {
			a[i].Add(c)
		} else {
			a = append(a, c)
		}
	}
	slices.SortFunc(a, func(x, y scheduler.Cost) int {
		return cmp.Or(cmp.Compare(y.Total, x.Total), cmp.Compare(x.Kind, y.Kind))
	})
	return a
}
