package frame_test

import (
	"runtime/pprof"
	"strings"
	"testing"

	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// labelsNow returns the labels of all goroutines, as a profile has them.
func labelsNow(t *testing.T) string {
	var b strings.Builder
	if err := pprof.Lookup("goroutine").WriteTo(&b, 1); err != nil {
		t.Error(err)
	}
	return b.String()
}

// With Options.Profile goroutines that run tasks and jobs have labels, and callbacks and later work do not keep them.
func TestTasksAndJobsHaveLabels(t *testing.T) {
	needsThreads(t)
	for _, n := range []int{0, 64} {
		l := frame.New(frame.Options{
			Interval: 50 * ms, Profile: n, WorkersOnly: true, Workers: workers.Options{Workers: 1},
		})
		seen := map[string]string{}
		look := func(in string) { seen[in] = labelsNow(t) }
		s := l.Scheduler()
		s.Submit(&scheduler.Task{Label: "plain", Func: func() { look("plain") }})
		s.Submit(&scheduler.Task{Label: "steps", Step: func() bool { look("steps"); return false }})
		s.Submit(&scheduler.Task{Label: "co", Co: func(co *scheduler.Co) { co.NextFrame(); look("co") }})
		done := make(chan struct{})
		l.Pool().Submit(&workers.Job{Label: "decode", Func: func(*workers.Worker) { look("decode"); close(done) }})
		<-done
		for len(seen) < 4 {
			l.Begin()
			l.Slice()
			l.End()
		}
		l.Host().Once(scheduler.BeforeUpdate, func() { look("callback") })
		l.Begin()
		l.End()
		for in, label := range map[string]string{
			"plain": `"task":"plain"`, "steps": `"task":"steps"`, "co": `"task":"co"`, "decode": `"job":"decode"`,
		} {
			if got := strings.Contains(seen[in], label); got != (n > 0) {
				t.Errorf("Profile %d: label %s is there: %v", n, label, got)
			}
		}
		if seen["callback"] == "" || strings.Contains(seen["callback"], `"task":"plain"`) ||
			strings.Contains(seen["callback"], `"task":"steps"`) {
			t.Errorf("Profile %d: a callback has the label of a task, or did not run", n)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}
