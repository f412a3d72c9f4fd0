package frame_test

import (
	"fmt"
	"runtime/trace"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/internal/regions/tracetest"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// Two frames are regions of Go's execution trace, with all that ran in them, each on the goroutine that ran it.
func TestFramesAreRegionsOfATrace(t *testing.T) {
	for _, place := range placements() {
		all := tracetest.Run(t, "", func() { // outside of the bubble
			bubble(t, frame.Options{Interval: 10 * ms, Placement: place}, twoFrames)
		})
		slice := "frameslice.frame > frameslice.slice"
		var host []string
		if place == frame.PlaceShadow {
			host = []string{slice} // of the tasks of Host
			slice = "frameslice.slice"
		}
		one := slices.Concat([]string{
			"frameslice.frame", "frameslice.frame > frameslice.phase before update", "frameslice.frame > update",
			"frameslice.frame > frameslice.phase before draw", "frameslice.frame > frameslice.phase after draw",
		}, host, []string{slice})
		want := slices.Concat(one, []string{
			"frameslice.task plain", "frameslice.task plain", "frameslice.task steps",
			slice + " > frameslice.task co", "the program's, over a yield",
			"frameslice.task frame_test.posted", "frameslice.task frame_test.posted > the program's",
			"frameslice.job job",
		}, one, []string{slice + " > frameslice.task co"})
		if types := tracetest.Types(all); !slices.Equal(types, want) {
			t.Errorf("regions\n%s\nwant\n%s", strings.Join(types, "\n"), strings.Join(want, "\n"))
		}
		frames := 0
		for _, r := range all {
			if r.Type == "frameslice.frame" {
				frames++
				if r.Log != fmt.Sprint(frames) {
					t.Errorf("frame %d has the log %q", frames, r.Log)
				}
			}
			if r.End == 0 {
				t.Errorf("%s has no end", r.Type)
			}
		}
	}
}

// posted has a name, which is that of its region.
func posted() { trace.WithRegion(bg, "the program's", nap) }

// nap is long enough for a region of its own: short runs with one name share a region.
func nap() { time.Sleep(100 * time.Microsecond) }

// twoFrames has work of all kinds in the first of two frames, and a coroutine continues in the second.
func twoFrames(_ *testing.T, l *frame.Loop) {
	for _, p := range scheduler.Phases() {
		l.Host().Each(p, func() {})
	}
	s := l.Scheduler()
	s.Submit(&scheduler.Task{Label: "plain", Func: nap})
	s.Submit(&scheduler.Task{Label: "plain", Func: nap})
	left := 3
	s.Submit(&scheduler.Task{Label: "steps", Step: func() bool { left--; return left > 0 }})
	s.Submit(&scheduler.Task{Label: "co", Co: func(co *scheduler.Co) {
		defer trace.StartRegion(bg, "the program's, over a yield").End()
		co.NextFrame()
	}})
	l.Post(deadline.Low, posted)
	l.Pool().Submit(&workers.Job{Label: "job", Func: func(*workers.Worker) {}})
	for range 2 {
		l.Begin()
		trace.WithRegion(bg, "update", func() {})
		l.RunPhase(scheduler.BeforeDraw)
		l.Slice()
		time.Sleep(5 * ms)
		l.End()
	}
	l.Close()
}

// Whatever hosts and tasks do, the trace can be read: regions nest, and each has one of the types.
func TestTheTraceOfStagesCanBeRead(t *testing.T) {
	n := 0
	all := tracetest.Run(t, "", func() {
		testkit.RandomPrograms(t, 20, testkit.Fresh, func(seed uint64) testkit.RandomProgram {
			n++
			return &stages{all: []*stage{newStage(seed, nil)}}
		})
	})
	frames := 0
	for _, r := range all {
		kind, label, _ := strings.Cut(r.Type, " ")
		switch kind {
		case "frameslice.frame":
			frames++
		case "frameslice.slice":
		case "frameslice.phase", "frameslice.task", "frameslice.job":
			if label == "" {
				t.Errorf("a region %q", r.Type)
			}
		default:
			t.Errorf("a region %q", r.Type)
		}
	}
	if !t.Failed() && frames < n {
		t.Errorf("%d frames", frames)
	}
}
