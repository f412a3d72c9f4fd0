package record

import (
	"fmt"
	"reflect"
	"strings"
)

// Text returns String, and all tables below it, in milliseconds, every row named by its formula.
func (r *Report) Text() string {
	t := new(textTable)
	t.summary(r)
	if r.Run.N > 0 {
		t.Line("")
		t.head(r)
		t.intervals(r)
		t.lateFrames(r)
		t.savings(r)
		t.sections(r)
		t.pacing(r)
		t.slices(r)
	}
	if r.Dropped > 0 {
		t.row("dropped when the loop closed", thousands(r.Dropped), "tasks, functions and callbacks that had not run")
	}
	if r.HostLate > 0 {
		t.row("frames late after End", thousands(r.HostLate), "uploads and the like, left by "+r.HostCause)
	}
	t.tasks(r)
	t.costs("tasks by kind, milliseconds", r.TaskCosts)
	t.pool(r)
	t.jobs(r)
	t.costs("jobs by kind, milliseconds", r.JobCosts)
	t.runtime(r)
	t.Line("")
	for line := range strings.Lines(r.Environment.String()) {
		t.WriteString("  " + line)
	}
	return t.String()
}

func (t *textTable) head(r *Report) {
	run := &r.Run
	t.Line("  left out of %s frames: %s warm-up, %s jumps (%.3f s), %s flagged, %s without an interval",
		thousands(run.Frames), thousands(run.WarmUp), thousands(run.Jumps), run.JumpTime.Seconds(),
		thousands(run.Excluded), thousands(run.First))
	if run.N < fewFrames {
		t.countAll(&run.Totals)
	}
	t.Line("  %s frames in %.3f s, target r = %s ms (%.4g Hz)",
		thousands(run.N), run.Time.Seconds(), inMS(r.Target), rate(1, r.Target))
	if !r.Whole {
		t.Line("  rows marked * are over the latest %s frames with this target, %.3f s", thousands(uint64(r.Window.N)),
			r.Window.Time.Seconds())
	}
}

// fewFrames is how many frames a percentile needs: of fewer, p99 is the longest.
const fewFrames = 100

// named is a row of a table of distributions.
type named struct {
	label string
	Distribution
}

func (t *textTable) intervals(r *Report) {
	w, run := &r.Window, &r.Run
	used := run.Used
	if run.Own.N > 0 {
		used.N = max(used.N, 1) // a row of zeros says that no frame had a slice
	}
	t.distributions("milliseconds", []named{
		{"interval d, by frame", run.Interval}, {"  own work, up to the slice", run.Own}, {"  slice used", used},
		{"  host, until the next frame", run.Host}, {"  wait, by the loop or in Rest", run.Wait},
		{"interval d, by time" + r.star(), w.ByTime},
		{"lateness max(0, d - r)", run.Lateness}, {"earliness r - d, of early frames", run.Earliness},
		{"slice overrun", run.Overrun}, {"slice unused", run.Unused},
		{"own wait ended late by", run.Woke}, {"animation error |step - d|" + r.star(), r.AnimationError},
		{"input seen to frame handed over", run.Latency},
	})
	switch {
	case run.Own.N == 0:
		t.Line("  own work, slice and host are not recorded: no record has a slice or DrawEnd")
	case run.Own.N < run.N:
		t.Line("  own work and host are those of %s frames; of the others they are not recorded", thousands(run.Own.N))
	}
	if d := r.Display; d != nil {
		t.distributions("milliseconds, by display times"+r.star(), []named{
			{"input seen to frame displayed", d.Latency}, {"interval d of the display", d.Interval},
			{"animation error |step - d|", d.AnimationError},
		})
	}
}

func (t *textTable) pacing(r *Report) {
	w, run, star := &r.Window, &r.Run, r.star()
	t.Line("")
	t.row("average FPS", fmt.Sprintf("%.2f", run.AverageFPS), "N / T")
	t.row("missed", fmt.Sprintf("%.3f %%", run.MissedPercent),
		fmt.Sprintf("%s refreshes, m = round(d/r) - 1; 100 m / (N + m)", thousands(run.Missed)))
	t.row("hitch ratio", fmt.Sprintf("%.3f ms/s", run.HitchRatio), "1000 hitch / T, hitch = max(0, d-r), loop estimate")
	t.row("hitch ratio, quantized", fmt.Sprintf("%.3f ms/s", run.QuantizedHitchRatio),
		run.HitchBand+"; hitch = r m; bands 5 and 10")
	if d := r.Display; d != nil {
		t.row("missed, displayed"+star, fmt.Sprintf("%.3f %%", d.MissedPercent), fmt.Sprintf(
			"%d refreshes; %d frames displayed, %d not, %d backward", d.Missed, d.Shown, d.Unshown, d.Backward))
		t.row("hitch ratio, displayed"+star, fmt.Sprintf("%.3f ms/s", d.HitchRatio), "by display times")
		t.row("hitch ratio, displayed, quantized"+star, fmt.Sprintf("%.3f ms/s", d.QuantizedHitchRatio), d.HitchBand)
	}
	if n := run.ShownWrongly; n > 0 {
		t.row("display times refused", thousands(n), "before their frame, in the future, or of no frame")
	}
	t.row("p99 with 95 % confidence"+star, fmt.Sprintf("%.3f ms", w.P99Confidence.Point),
		fmt.Sprintf("%.3f to %.3f, by bootstrap", w.P99Confidence.Low, w.P99Confidence.High))
	t.row("hitch ratio with 95 % confidence"+star, fmt.Sprintf("%.3f ms/s", w.HitchRatioConfidence.Point),
		fmt.Sprintf("%.3f to %.3f", w.HitchRatioConfidence.Low, w.HitchRatioConfidence.High))
	t.row("worst region"+star, inMS(w.WorstRegion)+" ms", "frame-time discrepancy; at best the mean interval")
	t.row("1 % low, integral"+star, fps(w.LowIntegral), "longest d that fill 1 % of T")
	t.row("1 % low, average"+star, fps(w.LowAverage), "mean of the ceil(N/100) longest d")
	t.row("1 % low, percentile"+star, fps(w.LowPercentile), "d at rank floor(N/100)")
	t.row("stutter time"+star, fmt.Sprintf("%.3f %%", w.StutterPercent),
		fmt.Sprintf("d > %g x the mean of %d frames", w.StutterFactor, w.StutterWindow))
	t.row("jank", thousands(run.Jank), "frames with d > 2 r")
	t.row("updates per draw", "", updates(run.Updates))
}

func (t *textTable) slices(r *Report) {
	run := &r.Run
	t.Line("")
	t.row("slices", thousands(run.Sliced), fmt.Sprintf("%s ended after their deadline", thousands(run.Overran)))
	if run.BelowRate > 0 {
		t.row("slices below the display's rate", thousands(run.BelowRate),
			"frames are late without work, too: work has an eighth of the time at least")
	}
	if run.Withheld > 0 {
		t.row("slices with tasks left out", thousands(run.Withheld),
			fmt.Sprintf("%s ms unused: tasks too long, or too much for the host", inMS(run.WithheldTime)))
	}
	if run.WorstCost > 0 {
		t.row("most expensive task", inMS(run.WorstCost)+" ms", run.WorstLabel)
	}
	if run.WorstJobCost > 0 {
		t.row("longest job in a slice", inMS(run.WorstJobCost)+" ms", run.WorstJob)
	}
	t.row("late frames beside a collection"+r.star(), thousands(uint64(r.LateNearGC)),
		fmt.Sprintf("of %s", thousands(uint64(r.Late))))
	t.counts("counters", reflect.ValueOf(run.Counts), run.Frames)
}
