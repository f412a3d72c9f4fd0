package record

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// String returns the report in eight lines: the frames, the missed refreshes, the longest frame and its cause, where
// the time went, what the system took, what ran, what to do, and how to see more. Or it says why no frame counts.
func (r *Report) String() string {
	t := new(textTable)
	t.summary(r)
	if r.Run.N > 0 {
		t.Line("  %-12s Report.Text has all tables, and Report.Save writes them as files, with JSON and CSV", "more")
	}
	return t.String()
}

// summary writes all lines of String but the last.
func (t *textTable) summary(r *Report) {
	run := &r.Run
	if run.N == 0 {
		t.Line("%s: %s", cmp.Or(r.Name, "report"), run.none()) // without frames a hitch ratio of 0 would look good
		t.countAll(&run.Totals)
		return
	}
	say := func(label, format string, a ...any) { t.Line("  %-12s %s", label, fmt.Sprintf(format, a...)) }
	warm := ""
	if run.WarmUp > 0 {
		warm = fmt.Sprintf(", after %s of warm-up", thousands(run.WarmUp))
	}
	t.Line("%s: %s frames in %.1f s%s, wanted each %s ms (%.4g Hz)", cmp.Or(r.Name, "report"), thousands(run.N),
		run.Time.Seconds(), warm, tenths(r.Target), rate(1, r.Target))
	say("missed", "%s refreshes (%.3g %%); half of the frames took up to %s ms, 99 of 100 up to %s ms%s",
		thousands(run.Missed), run.MissedPercent, tenths(run.Interval.P50), tenths(run.Interval.P99), run.jumped())
	say("longest", "%s", r.longest())
	say("time", "%s", run.where())
	say("the system", "took %s ms of it for sure, and %s ms between the frames; up to %s ms more are unknown",
		tenths(run.Counts.System), tenths(run.Counts.SystemBefore), tenths(run.Counts.SystemAtMost-run.Counts.System))
	say("ran", "%s", r.ran())
	say("what to do", "%s", r.advice())
}

// countAll says how to count the frames that were left out.
func (t *textTable) countAll(run *Totals) {
	var set []string
	for _, x := range []struct {
		n      uint64
		option string
	}{
		{run.WarmUp, "record.Options.WarmUp = -1 (warm-up)"}, {run.Jumps, "frame.Options.JumpAfter = -1 (jumps)"},
		{run.Excluded, "no record.Options.Exclude (flagged)"},
	} {
		if x.n > 0 {
			set = append(set, x.option)
		}
	}
	if len(set) > 0 {
		t.Line("  to count all frames: %s", strings.Join(set, ", "))
	}
}

// jumped says how much is left out as jumps of the clock. A frame of several seconds is one, and cannot be told from a
// debugger, or from a machine that slept.
func (run *RunReport) jumped() string {
	switch run.Jumps {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("; left out: a jump of %.1f s", run.JumpTime.Seconds())
	}
	return fmt.Sprintf("; left out: %s jumps of %.1f s", thousands(run.Jumps), run.JumpTime.Seconds())
}

// longest says which frame was the longest, and why.
func (r *Report) longest() string {
	if len(r.LateFrames) == 0 {
		return tenths(r.Run.Interval.Max) + " ms"
	}
	f := &r.LateFrames[0]
	if f.Interval < r.Run.Interval.Max {
		return fmt.Sprintf("%s ms, of which there is no record any more; %s", tenths(r.Run.Interval.Max), f)
	}
	return fmt.Sprintf("%s ms, frame %d: %s", tenths(f.Interval), f.Number, f.Why)
}

// where says what the parts of a frame are on average.
func (run *RunReport) where() string {
	if run.Own.N == 0 {
		return "not recorded: no record has a slice or DrawEnd"
	}
	return fmt.Sprintf("own work %s ms a frame, slice %s, host %s, wait %s", tenths(run.Own.Mean),
		tenths(run.Used.Mean), tenths(run.Host.Mean), tenths(run.Wait.Mean))
}

// ran says how much work there was, and which task took longest.
func (r *Report) ran() string {
	c := &r.Run.Counts
	text := fmt.Sprintf("%s tasks, and %s jobs in the slice", thousands(c.Ran), thousands(c.JobsInSlice))
	if r.Pool != nil {
		text += fmt.Sprintf(", %s by workers", thousands(r.Pool.Run))
	}
	if r.Run.WorstCost > 0 {
		text += fmt.Sprintf("; longest task %s ms, %s", tenths(r.Run.WorstCost), r.Run.WorstLabel)
	}
	if r.Run.WorstJobCost > 0 {
		text += fmt.Sprintf("; longest job in a slice %s ms, %s", tenths(r.Run.WorstJobCost), r.Run.WorstJob)
	}
	return text
}

// advice says what to do about the late frames, by what took most of their time.
func (r *Report) advice() string {
	if r.Run.Missed == 0 && r.Run.Jumps > 0 {
		return "nothing, unless a jump was a frame of the game's: frame.Options.JumpAfter = -1 counts it"
	}
	if r.Run.Missed == 0 {
		return "nothing: every refresh had a new frame"
	}
	if r.HostLate > 0 && r.HostLate >= uint64(r.Late+1)/2 {
		return "fewer or smaller uploads: most late frames came after the task " + r.HostCause
	}
	times, names := map[string]time.Duration{}, map[string]string{}
	most := ""
	for i := range r.LateFrames {
		for _, p := range r.LateFrames[i].Parts {
			if p.Beside {
				continue
			}
			if times[p.Kind] += p.Time; names[p.Kind] == "" {
				names[p.Kind] = p.Name
			}
			if times[p.Kind] > times[most] || most == "" {
				most = p.Kind
			}
		}
	}
	name := strings.TrimSpace(names[most])
	switch most {
	case "section", "callback":
		return fmt.Sprintf("make the %s %s shorter, or a coroutine that yields (Loop.Go), or a job (Background)",
			most, name)
	case "own work":
		return "make the game's own work shorter: Loop.Section names its parts, package autopsy the function"
	case "task":
		return fmt.Sprintf("cut the task %s: Co.Yield between its pieces, or a job (Background)", name)
	case "job":
		return fmt.Sprintf("leave the job %s to the workers, or cut it: it ran in the slice", name)
	case "slice":
		return "cut the tasks: Co.Yield between their pieces"
	case "system", "wait":
		return "nothing in the program: the system had the processors; close other programs, or see docs/tuning.md"
	case "host":
		return "draw less, or upload less in a frame: the host took that time; package autopsy says in which call"
	}
	return "package autopsy says in one sentence what made a frame late"
}
