package record

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/timeline"
	"github.com/frameslice/frameslice/workers"
)

// lateReport has twelve frames of 10 ms, after which one, two, and so on refreshes are missed. Each has 4 ms of own
// work, 3 of it physics and 1 ms of a callback, and a slice of 5 ms with two tasks.
func lateReport(flags Flags) *Report {
	const r = 10 * ms
	rec := quiet(Options{Target: r, WarmUp: -1})
	start, interval := deadline.Instant(100*ms), time.Duration(0)
	var runs []workers.Run
	run := func(where timeline.Where, label string, from, to time.Duration) {
		runs = append(runs, workers.Run{Where: where, Label: label, Begin: start.Add(from), End: start.Add(to)})
	}
	for i := range 13 {
		one := Record{
			Number: uint64(i + 1), Start: start, Interval: interval, Waited: ms / 2,
			UpdateBegin: start, UpdateEnd: start.Add(3 * ms), Updates: 1, DrawEnd: start.Add(9 * ms),
			SliceBegin: start.Add(4 * ms), SliceDeadline: start.Add(7 * ms), SliceEnd: start.Add(9 * ms),
			Sections:  []Section{{Name: "physics", Begin: start, Time: 3 * ms, Own: 3 * ms, Calls: 2}},
			WorstCost: 3 * ms, WorstLabel: "decode.png", Flags: Sliced | flags,
		}
		if i == 11 {
			one.GCCycles, one.GCPause = 1, ms
		}
		where := timeline.Frame
		if flags&Shadowed != 0 {
			where = timeline.Shadow
		}
		run(timeline.Frame, "upload", 3*ms, 4*ms)
		run(where, "decode.png", 4*ms, 7*ms)
		run(where, "", 7*ms, 7*ms+ms/2)
		run(timeline.Worker, "pathfind", 8*ms, time.Second)
		rec.Add(one)
		interval = time.Duration(i+2) * r
		start = start.Add(interval)
	}
	report := NewReport("late", rec.Snapshot(), Environment{})
	if flags&Loading == 0 {
		report.AddWork(nil, &workers.Profile{Runs: runs})
	}
	return report
}

// The longest late frames tell what ran in them. What ran on the frame goroutine adds up.
func TestLateFrames(t *testing.T) {
	for _, c := range []struct {
		flags Flags
		want  string
	}{
		{0, "frame 5, 60.0 ms: host 50.5, section physics 3.0, task decode.png 3.0; beside it job pathfind 292.0"},
		{Shadowed, "frame 5, 60.0 ms: host 55.5, section physics 3.0; beside it job pathfind 292.0, " +
			"task decode.png 3.0"},
		{Loading, "frame 5, 60.0 ms: host 50.5, section physics 3.0, task decode.png 3.0"}, // without runs
	} {
		rep := lateReport(c.flags)
		if len(rep.LateFrames) != lateFrames {
			t.Fatalf("%d late frames", len(rep.LateFrames))
		}
		for i, f := range rep.LateFrames {
			sum := time.Duration(0)
			for _, p := range f.Parts {
				if !p.Beside {
					sum += p.Time
				}
			}
			if f.Number != uint64(12-i) || sum != f.Interval {
				t.Errorf("frame %d has parts of %v in %v", f.Number, sum, f.Interval)
			}
		}
		if got := rep.LateFrames[7].String(); got != c.want || !strings.Contains(rep.Text(), c.want) {
			t.Errorf("got\n%s\nwant\n%s\nin\n%s", got, c.want, rep)
		}
		if got, want := fmt.Sprint(rep.LateFrames[0]), "; beside it 1 collection"; c.flags == Loading &&
			!strings.HasSuffix(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// A recorder without a loop knows no more of a frame than it was told: what is left is neither own work nor the host's.
func TestWhatNobodyHasRecorded(t *testing.T) {
	for _, c := range []struct {
		what, want string
		with       func(*Record)
		timed      bool
	}{
		{"nothing", "frame 70, 50.0 ms: not recorded 50.0", func(*Record) {}, false},
		{"a wait", "frame 70, 50.0 ms: not recorded 44.0, wait 6.0", func(r *Record) { r.Waited = 6 * ms }, false},
		{"updates", "frame 70, 50.0 ms: not recorded 43.0, own work 7.0", func(r *Record) {
			r.Updates, r.UpdateBegin, r.UpdateEnd = 1, r.Start, r.Start.Add(7*ms)
		}, false},
		{"a section", "frame 70, 50.0 ms: not recorded 41.0, section physics 9.0", func(r *Record) {
			r.Sections = []Section{{Name: "physics", Calls: 1, Time: 9 * ms, Own: 9 * ms}}
		}, false},
		{"a section in updates", "frame 70, 50.0 ms: not recorded 43.0, section physics 4.0, own work 3.0",
			func(r *Record) {
				r.Updates, r.UpdateBegin, r.UpdateEnd = 1, r.Start, r.Start.Add(7*ms)
				r.Sections = []Section{{Name: "physics", Calls: 1, Time: 4 * ms, Own: 4 * ms}}
			}, false},
		{"the drawing", "frame 70, 50.0 ms: host 42.0, own work 8.0", func(r *Record) {
			r.DrawEnd = r.Start.Add(8 * ms)
		}, true},
		{"a slice", "frame 70, 50.0 ms: host 45.0, slice 5.0", func(r *Record) {
			r.Flags, r.SliceBegin, r.SliceDeadline, r.SliceEnd = Sliced, r.Start, r.Start.Add(5*ms), r.Start.Add(5*ms)
		}, true},
	} {
		rec := quiet(Options{Target: r})
		at := deadline.Instant(time.Second)
		for i := range 100 {
			interval := 16 * ms
			if i == 70 {
				interval = 50 * ms
			}
			at = at.Add(interval)
			one := Record{Number: uint64(i + 1), Start: at, Interval: interval}
			c.with(&one)
			rec.Add(one)
		}
		rep := NewReport("mine", rec.Snapshot(), Environment{})
		text := rep.Text()
		if len(rep.LateFrames) != 1 || rep.LateFrames[0].String() != c.want {
			t.Errorf("%s: %v, want %s", c.what, rep.LateFrames, c.want)
		}
		if n := rep.Run.N; !c.timed && rep.Run.Host.N+rep.Run.Own.N != 0 || c.timed && rep.Run.Host.N != n {
			t.Errorf("%s: host %+v, own work %+v", c.what, rep.Run.Host, rep.Run.Own)
		}
		says := strings.Contains(text, "own work, slice and host are not recorded")
		if says == c.timed || strings.Contains(text, "  host, until") != c.timed {
			t.Errorf("%s: the text is\n%s", c.what, text)
		}
	}
}
