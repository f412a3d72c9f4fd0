package load

import (
	"testing"
	"time"
)

// The mode that has a loop reports it: tasks, jobs, the pool and what ran, over all turns. Other programs may keep
// workers of low priority off the processors, so the comparison is played for longer until a job has run.
func TestLoopOfOursHasItsTasksAndJobs(t *testing.T) {
	for d := 300 * time.Millisecond; ; d *= 3 {
		c := Config{Modes: []Mode{Idle, Frameslice}, Duration: d, Slice: d / 2, Out: "kept"}.WithDefaults()
		s := newSession(c, newRig(c)) // jobs without work: nothing to calibrate
		headless(t.Context(), s, newWaiter())
		r := s.Report()
		if len(r.Loops) != 2 || r.Loops[0].Mode != Idle || r.Loops[0].Report.Tasks != nil {
			t.Fatalf("%d loops", len(r.Loops))
		}
		l, x := r.Loops[1].Report, r.Modes[1]
		worked := l.Run.Ran > 0
		if int(l.Run.N) != x.Frames || l.Run.Sliced == 0 || l.Pool == nil || len(l.Tasks) > 0 != worked ||
			len(l.TaskCosts) > 0 != worked || worked && len(l.JobCosts)*len(l.Jobs) == 0 || l.Runtime == nil {
			t.Errorf("%d of %d frames; %+v", l.Run.N, x.Frames, l)
		}
		runs, tasks := uint64(0), uint64(0)
		for _, c := range l.TaskCosts {
			runs += c.Runs
		}
		for _, p := range l.Tasks {
			tasks += p.Run.N
		}
		if runs != tasks || tasks > l.Run.Ran {
			t.Errorf("%d runs by kind, %d by priority, %d in the frames", runs, tasks, l.Run.Ran)
		}
		if worked && len(l.Runs) > 0 {
			return
		}
		if d > 20*time.Second {
			t.Fatal("no job has run")
		}
	}
}
