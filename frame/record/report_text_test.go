package record

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/hdr"
	"github.com/frameslice/frameslice/internal/hist"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// Each row of the text has the figures by which it is named, of a report no two figures of which are the same.
func TestEveryRowOfTheText(t *testing.T) {
	rep := &Report{
		Display: new(DisplayReport), Pool: new(PoolReport), Runtime: new(RuntimeReport), Tasks: make([]Times, 1),
		Jobs: make([]Times, 1), TaskCosts: make([]scheduler.Cost, 1), JobCosts: make([]workers.Cost, 1),
		Sections: make([]SectionReport, 1), LateFrames: []LateFrame{{Number: 7, Interval: 50 * ms}},
	}
	distinct(reflect.ValueOf(rep))
	rep.Whole = false
	run, w, d, rt := &rep.Run, &rep.Window, rep.Display, rep.Runtime
	run.N, run.Own.N = 1<<20, 1<<20
	task, job, section := &rep.Tasks[0], &rep.Jobs[0], &rep.Sections[0]
	dist := func(d Distribution) []string {
		return []string{inMS(d.Mean), inMS(d.P50), inMS(d.P90), inMS(d.P99), inMS(d.P999), inMS(d.Max)}
	}
	count := func(n uint64) []string {
		return []string{thousands(n), fmt.Sprintf("%.3f", float64(n)/float64(run.Frames))}
	}
	cost := func(c *scheduler.Cost) []string {
		return []string{thousands(c.Runs), inMS(c.Total), inMS(c.Total / time.Duration(c.Runs)), inMS(c.Max),
			inMS(c.Expected)}
	}
	one := func(format string, a ...any) []string { return strings.Fields(fmt.Sprintf(format, a...)) }
	want := map[string][]string{
		"interval d, by frame": dist(run.Interval), "own work, up to the slice": dist(run.Own),
		"slice used": dist(run.Used), "host, until the next frame": dist(run.Host),
		"wait, by the loop or in Rest": dist(run.Wait), "interval d, by time *": dist(w.ByTime),
		"lateness max(0, d - r)": dist(run.Lateness), "earliness r - d, of early frames": dist(run.Earliness),
		"slice overrun": dist(run.Overrun), "slice unused": dist(run.Unused), "own wait ended late by": dist(run.Woke),
		"animation error |step - d| *": dist(rep.AnimationError), "input seen to frame handed over": dist(run.Latency),
		"input seen to frame displayed": dist(d.Latency), "interval d of the display": dist(d.Interval),
		"animation error |step - d|": dist(d.AnimationError), "goroutines waited to run": dist(rt.SchedLatency),
		"pauses by the collector":                                    dist(rt.GCPause),
		"wake-up of a worker, " + thousands(rep.WokenLate) + " late": dist(rep.Wake),
		section.Name: dist(section.Time), "without sections within": dist(section.Own),
		job.Priority + ", " + thousands(job.Wait.N) + " jobs": dist(job.Wait),

		"tasks run": count(run.Ran), "of them overdue": count(run.Expired), "tasks deferred": count(run.Deferred),
		"tasks canceled": count(run.Canceled), "jobs run in the slice": count(run.JobsInSlice),
		"coroutines handed back": count(run.HandedBack), "garbage collections": count(run.GCCycles),
		"their pauses, ms": {
			inMS(run.GCPause), fmt.Sprintf("%.3f", float64(run.GCPause)/1e6/float64(run.Frames)),
		},
		"jobs run by workers": count(rep.Pool.Run), "of them stolen": count(rep.Pool.Stolen),
		"jobs run by callers": count(rep.Pool.RanByCaller), "IO functions ended": count(rep.Pool.IOEnded),
		"parks": count(rep.Pool.Parked), "wakes": count(rep.Pool.Woken),
		rep.TaskCosts[0].Kind: cost(&rep.TaskCosts[0]), rep.JobCosts[0].Kind: cost((*scheduler.Cost)(&rep.JobCosts[0])),

		"average FPS":            one("%.2f N / T", run.AverageFPS),
		"missed":                 one("%.3f %% %s refreshes,", run.MissedPercent, thousands(run.Missed)),
		"hitch ratio":            one("%.3f ms/s", run.HitchRatio),
		"hitch ratio, quantized": one("%.3f ms/s %s;", run.QuantizedHitchRatio, run.HitchBand),
		"missed, displayed *": one("%.3f %% %d refreshes; %d frames displayed, %d not, %d backward", d.MissedPercent,
			d.Missed, d.Shown, d.Unshown, d.Backward),
		"hitch ratio, displayed *":            one("%.3f ms/s", d.HitchRatio),
		"hitch ratio, displayed, quantized *": one("%.3f ms/s %s", d.QuantizedHitchRatio, d.HitchBand),
		"display times refused":               one("%s before", thousands(run.ShownWrongly)),
		"p99 with 95 % confidence *": one("%.3f ms %.3f to %.3f,", w.P99Confidence.Point, w.P99Confidence.Low,
			w.P99Confidence.High),
		"hitch ratio with 95 % confidence *": one("%.3f ms/s %.3f to %.3f", w.HitchRatioConfidence.Point,
			w.HitchRatioConfidence.Low, w.HitchRatioConfidence.High),
		"worst region *":        one("%s ms", inMS(w.WorstRegion)),
		"1 % low, integral *":   one("%.2f FPS longest", w.LowIntegral),
		"1 % low, average *":    one("%.2f FPS mean", w.LowAverage),
		"1 % low, percentile *": one("%.2f FPS d at", w.LowPercentile),
		"stutter time *": one("%.3f %% d > %g x the mean of %d frames", w.StutterPercent, w.StutterFactor,
			w.StutterWindow),
		"jank": one("%s frames", thousands(run.Jank)),
		"updates per draw": one("0: %s, 1: %s, 2: %s, 3+: %s", thousands(run.Updates[0]), thousands(run.Updates[1]),
			thousands(run.Updates[2]), thousands(run.Updates[3])),
		"slices":                     one("%s %s ended", thousands(run.Sliced), thousands(run.Overran)),
		"slices with tasks left out": one("%s %s ms unused:", thousands(run.Withheld), inMS(run.WithheldTime)),
		"most expensive task":        one("%s ms %s", inMS(run.WorstCost), run.WorstLabel),
		"late frames beside a collection *": one("%s of %s", thousands(uint64(rep.LateNearGC)),
			thousands(uint64(rep.Late))),
		"dropped when the loop closed": one("%s tasks,", thousands(rep.Dropped)),
		"frames late after End": one("%s uploads and the like, left by %s", thousands(rep.HostLate),
			rep.HostCause),
		"processor time of the collector": one("%.2f %%", 100*rt.GC.Seconds()/rt.Total.Seconds()),
		"allocations": one("%s %.1f a frame, %.1f KiB;", thousands(rt.AllocObjects),
			float64(rt.AllocObjects)/float64(run.Frames), float64(rt.AllocBytes)/1024/float64(run.Frames)),
	}
	_, text, _ := strings.Cut(rep.Text(), "\n\n") // after the summary
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		label := "" // the longest with which the line begins
		for l := range want {
			if strings.HasPrefix(line, l+" ") && len(l) > len(label) {
				label = l
			}
		}
		if cells, ok := want[label]; ok {
			got := strings.Fields(line[len(label):])
			if len(got) < len(cells) || !reflect.DeepEqual(got[:len(cells)], cells) {
				t.Errorf("%s: got %v, want %v", label, got, cells)
			}
			delete(want, label)
		}
	}
	for label := range want {
		t.Errorf("there is no row %s in\n%s", label, text)
	}
	for _, part := range []string{
		fmt.Sprintf("left out of %s frames: %s warm-up, %s jumps (%.3f s), %s flagged, %s without an interval",
			thousands(run.Frames), thousands(run.WarmUp), thousands(run.Jumps), run.JumpTime.Seconds(),
			thousands(run.Excluded), thousands(run.First)),
		fmt.Sprintf("%s frames in %.3f s, target r = %s ms (", thousands(run.N), run.Time.Seconds(), inMS(rep.Target)),
		fmt.Sprintf("pool (workers: %d, background: %d)", rep.Pool.Workers, rep.Pool.Background),
		"| " + strings.Join([]string{inMS(task.Wait.P50), inMS(task.Wait.P99), inMS(task.Wait.Max)}, " "),
	} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(part), " ")) {
			t.Errorf("there is no %s in\n%s", part, text)
		}
	}
	tasks := append(one("%s %s | ", task.Priority, thousands(task.Wait.N)), one("%s %s %s | %s %s %s | %s %s | %s",
		inMS(task.Wait.P50), inMS(task.Wait.P99), inMS(task.Wait.Max), inMS(task.Early.P50), inMS(task.Late.P99),
		inMS(task.Late.Max), inMS(task.Run.P99), inMS(task.Run.Max), inMS(task.Over.P99))...)
	if !strings.Contains(strings.Join(strings.Fields(text), " "), strings.Join(tasks, " ")) {
		t.Errorf("there is no row of tasks %v in\n%s", tasks, text)
	}
}

// A report has each distribution, and each count, under the name that it has where it comes from.
func TestReportsKeepTheNames(t *testing.T) {
	same := func(what string, got, from reflect.Value, equal func(got, from reflect.Value) bool) {
		t.Helper()
		for field, v := range got.Fields() {
			if of := from.FieldByName(field.Name); !of.IsValid() || !equal(v, of) {
				t.Errorf("%s: %s is %+v", what, field.Name, v)
			}
		}
	}
	s := newSnapshot()
	for i, h := range s.histograms() {
		(*h).Record(time.Duration(i+1) * ms)
	}
	run := NewReport("x", s, Environment{}).Run
	n := 0
	for field, v := range reflect.ValueOf(run).Fields() {
		if d, ok := v.Interface().(Distribution); ok {
			n++
			h := reflect.ValueOf(s).Elem().FieldByName(field.Name).Interface().(*hdr.Histogram)
			if d != distributionIn(h) {
				t.Errorf("%s is %+v", field.Name, d)
			}
		}
	}
	if n != len(s.histograms()) {
		t.Errorf("%d distributions of %d histograms", n, len(s.histograms()))
	}

	var stats workers.Stats
	distinct(reflect.ValueOf(&stats).Elem())
	same("pool", reflect.ValueOf(poolReport(&stats)), reflect.ValueOf(stats), func(got, from reflect.Value) bool {
		return got.Equal(from)
	})

	var times scheduler.Times
	k := time.Duration(0)
	for _, v := range reflect.ValueOf(&times).Elem().Fields() {
		if lanes, ok := v.Addr().Interface().(*[deadline.NumPriorities]hist.Histogram); ok {
			for i := range lanes {
				k++
				lanes[i].Record(k * ms)
			}
		}
	}
	var rep Report
	rep.Snapshot = s
	rep.AddWork(&times, nil)
	for i := range rep.Tasks {
		of := rep.Tasks[i]
		if want := deadline.Priorities()[i].String(); of.Priority != want {
			t.Errorf("tasks of %s, want %s", of.Priority, want)
		}
		for field, v := range reflect.ValueOf(of).Fields() {
			if d, ok := v.Interface().(Distribution); ok {
				lanes := reflect.ValueOf(&times).Elem().FieldByName(field.Name).Addr().Interface()
				if h := &lanes.(*[deadline.NumPriorities]hist.Histogram)[i]; d != histogram(h) || d.N != 1 {
					t.Errorf("%s of %s is %+v", field.Name, of.Priority, d)
				}
			}
		}
	}
}
