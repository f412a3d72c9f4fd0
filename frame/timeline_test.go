package frame_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/internal/timeline"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// The trace of a report has the runs of tasks and jobs, and an arrow from a submission to the job to the hand-back.
func TestTraceOfTasksAndJobs(t *testing.T) {
	needsThreads(t)
	for _, place := range placements() {
		events := 0
		l := frame.New(frame.Options{
			Interval: 10 * ms, Placement: place, Profile: 1000, WorkersOnly: true, Recorder: record.Options{WarmUp: -1},
			Workers:   workers.Options{Workers: 1},
			Scheduler: scheduler.Options{OnEvent: func(scheduler.Event) { events++ }},
		})
		var done atomic.Bool
		l.Go(deadline.Normal, func(co *scheduler.Co) {
			job := workers.Submit(l.Pool(), deadline.Normal, func(context.Context) (int, error) {
				time.Sleep(12 * ms)
				return 7, nil
			})
			_, _ = scheduler.Await(co, job)
			time.Sleep(ms)
			done.Store(true)
		})
		for n := 0; n < 1000 && !done.Load(); n++ {
			l.Begin()
			l.Slice()
			time.Sleep(3 * ms)
			l.End()
		}
		l.Begin()
		rep := l.Report("traced")
		l.End()
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := rep.Save(dir, "x"); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, "x.trace.json"))
		if err != nil {
			t.Fatal(err)
		}
		var trace struct {
			TraceEvents []struct{ Ph, Name string }
		}
		if err := json.Unmarshal(text, &trace); err != nil {
			t.Fatal(err)
		}
		count := map[string]int{}
		for _, e := range trace.TraceEvents {
			count[e.Ph]++
		}
		where := timeline.Frame
		if place == frame.PlaceShadow {
			where = timeline.Shadow
		}
		elsewhere := slices.ContainsFunc(rep.Runs, func(r workers.Run) bool {
			return r.Where < timeline.Worker && r.Where != where
		})
		if elsewhere || count["s"] != 1 || count["t"] != 1 || count["f"] != 1 || len(rep.Runs) < 3 || events < 5 {
			t.Errorf("%v: %d arrows begin, %d continue, %d end; %+v; OnEvent heard of %d",
				place, count["s"], count["t"], count["f"], rep.Runs, events)
		}
	}
}

// A loop without the option keeps no runs.
func TestNoProfile(t *testing.T) {
	bubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
		l.Post(deadline.Normal, func() { time.Sleep(ms) })
		l.Begin()
		l.Slice()
		l.End()
		if rep := l.Report("none"); len(rep.Runs) != 0 {
			t.Errorf("got %+v", rep.Runs)
		}
	})
	testkit.Panics(t, "frame: New with Options.Profile of 1048577, more than 1048576", func() {
		frame.New(frame.Options{Profile: 1<<20 + 1})
	})
}

// A task costs little more with the option, and nothing allocates. The least time of a slice with 100 tasks tells.
func BenchmarkTaskWithProfile(b *testing.B) {
	for name, n := range map[string]int{"off": 0, "on": 4096} {
		b.Run(name, func(b *testing.B) {
			l := frame.New(frame.Options{Interval: time.Second, Profile: n, Workers: workers.Options{Workers: -1}})
			defer l.Close()
			const row = 100
			ran, least := 0, time.Hour
			f := func() { ran++ }
			b.ReportAllocs()
			for b.Loop() {
				l.Begin()
				for range row {
					l.Post(deadline.Normal, f)
				}
				ran = 0
				t := time.Now()
				l.Slice()
				if d := time.Since(t); ran == row {
					least = min(least, d)
				}
				l.End()
			}
			b.ReportMetric(float64(least)/row, "least-ns/task")
		})
	}
}
