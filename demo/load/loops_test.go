package load

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// What a report tells of a mode's frames in depth is of the same frames as its table.
func TestLoopsAreOfTheSameFramesAsTheTable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := Config{Mode: Inline, Duration: 6 * time.Second, Slice: 3 * time.Second}
		c.Interval, c.Job = tick, 10*time.Millisecond
		c.Load = 200 / (c.WithDefaults().rate(cpus()) / DefaultLoad)
		s := virtual(c, 4*time.Millisecond, 10*time.Millisecond)
		headless(t.Context(), s)
		r := s.Report()
		x, l := r.Modes[0], r.Loops[0]
		run := &l.Report.Run
		if l.Mode != Inline || int(run.N) != x.Frames || int(run.Missed) != x.Missed || int(run.WarmUp) != x.Warmup ||
			run.HitchRatio != x.Hitch || run.Time.Seconds() != x.Seconds || !l.Report.Whole || run.First != 2 {
			t.Errorf("%+v, the table has %+v", run, x)
		}
		if run.Updates[0] != 0 || l.Report.Runtime == nil || l.Report.Tasks != nil || l.Report.Pool != nil {
			t.Errorf("updates %v, %+v", run.Updates, l.Report)
		}
	})
}

// The mode that has a loop tells of it: tasks, jobs, the pool, over all turns.
func TestLoopOfOursHasItsTasksAndJobs(t *testing.T) {
	r, err := Run(t.Context(), Config{
		Compare: true, Modes: []Mode{Idle, Frameslice}, Duration: 600 * time.Millisecond, Slice: 300 * time.Millisecond,
		Warmup: -1, Load: 0.2, Flight: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Loops) != 2 || r.Loops[0].Mode != Idle || r.Loops[0].Report.Tasks != nil {
		t.Fatalf("%d loops", len(r.Loops))
	}
	l, x := r.Loops[1].Report, r.Modes[1]
	worked := l.Run.Ran > 0 // on a busy machine perhaps not
	if int(l.Run.N) != x.Frames || l.Run.Sliced == 0 || l.Pool == nil || len(l.Tasks) > 0 != worked ||
		len(l.TaskCosts) > 0 != worked || worked && len(l.JobCosts)*len(l.Jobs) == 0 || l.Runtime == nil {
		t.Errorf("%d of %d frames; %+v", l.Run.N, x.Frames, l)
	}
	runs := uint64(0)
	for _, c := range l.TaskCosts {
		runs += c.Runs
	}
	tasks := uint64(0)
	for _, p := range l.Tasks {
		tasks += p.Run.N
	}
	if runs != tasks || tasks > l.Run.Ran {
		t.Errorf("%d runs by kind, %d by priority, %d in the frames", runs, tasks, l.Run.Ran)
	}
	var text strings.Builder
	if err := r.WriteText(&text, true); err != nil {
		t.Errorf("%v\n%s", err, &text)
	}
	for i, line := range strings.Split(text.String(), "\n") {
		if len(line) > 118 && strings.HasPrefix(line, "  ") {
			t.Errorf("line %d has %d columns: %s", i+1, len(line), line)
		}
	}
	for _, d := range r.Traces {
		if d.Err != "" || !strings.Contains(text.String(), d.File) {
			t.Errorf("%v is not told", d)
		}
	}
}
