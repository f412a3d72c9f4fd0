package load

import (
	"fmt"
	"strings"
)

// A Check is one promise of the frameslice mode, held against the other modes of the same run.
type Check struct {
	Mode Mode   `json:"mode"`
	Name string `json:"name"`
	Pass bool   `json:"pass"`
	Few  bool   `json:"too_few_frames,omitempty"` // to judge it: Pass says nothing
	Says string `json:"says"`                     // the figures
}

// The promises. Lateness may exceed the idle loop's by a factor, or by an absolute amount where idle is so
// exact that a factor of it is nothing.
const (
	lateFactor    = 1.25
	p99Grace      = 0.1 // ms
	p999Grace     = 0.5 // ms
	throughputMin = 0.9
	tailFrames    = 1000 // least, of either mode: of fewer, p99.9 is the worst frame alone
)

// verdict judges every mode of ours that ran beside what it is to be judged against.
func verdict(rs []Result) []Check {
	var out []Check
	best := bestNaive(rs)
	for _, x := range rs {
		if !x.Mode.is(ours) || x.Frames == 0 {
			continue
		}
		if idle, ok := find(rs, Idle); ok {
			out = append(out, checkMissed(x, idle),
				checkLate(x, "p99", x.P99, idle.P99, p99Grace),
				checkTail(x, idle))
		}
		if best.Jobs > 0 {
			out = append(out, checkJobs(x, best))
		}
	}
	return out
}

// checkMissed: no frame is missed that the idle loop does not miss. Both have had the same time.
func checkMissed(x, idle Result) Check {
	return Check{Mode: x.Mode, Name: "missed frames", Pass: x.Missed <= idle.Missed,
		Says: fmt.Sprintf("%d of %d%s, idle %d of %d%s", x.Missed, x.Frames+x.Missed, x.jumped(),
			idle.Missed, idle.Frames+idle.Missed, idle.jumped())}
}

// jumped names the jumps of the clock, if there are any: they are not in Missed.
func (r *Result) jumped() string {
	switch r.Jumps {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf(" beside a jump of the clock of %.3g s, left out", r.JumpS)
	}
	return fmt.Sprintf(" beside %d jumps of the clock of %.3g s together, left out", r.Jumps, r.JumpS)
}

func checkLate(x Result, name string, got, idle, grace float64) Check {
	limit := max(idle*lateFactor, idle+grace)
	return Check{Mode: x.Mode, Name: name + " lateness", Pass: got <= limit,
		Says: fmt.Sprintf("%.3f ms, idle %.3f ms (%s), limit %.3f ms", got, idle, ratio(got, idle), limit)}
}

// checkTail judges p99.9 where there are frames enough to have one.
func checkTail(x, idle Result) Check {
	c := checkLate(x, "p99.9", x.P999, idle.P999, p999Grace)
	if n := min(x.Frames, idle.Frames); n < tailFrames {
		c.Few, c.Pass = true, false
		c.Says = fmt.Sprintf("too few frames to judge p99.9: %d of %d", n, tailFrames)
	}
	return c
}

func checkJobs(x, best Result) Check {
	says := fmt.Sprintf("%.0f/s, best naive %.0f/s (%s), %.1f %%, limit %.0f %%",
		x.Jobs, best.Jobs, best.Mode, 100*x.Jobs/best.Jobs, 100*throughputMin)
	if x.Work > 0 && best.Work > 0 {
		says += fmt.Sprintf("; with the own work of the frames drawn %.0f and %.0f ms/s", x.Work, best.Work)
	}
	return Check{Mode: x.Mode, Name: "finished jobs", Pass: x.Jobs >= throughputMin*best.Jobs, Says: says}
}

// work returns what a mode got done, jobs and the own work of the frames that it drew, in ms a second, as calibrated on
// one processor: who misses frames saves their work, and has the time for jobs. 0 where it is not known.
func (s *Settings) work(x *Result) float64 {
	if x.Seconds <= 0 || s.JobRealMS <= 0 || s.OwnRealMS <= 0 {
		return 0
	}
	return x.Jobs*s.JobRealMS + float64(x.Frames)/x.Seconds*s.OwnRealMS
}

func ratio(a, b float64) string {
	if b <= 0 {
		return "no ratio to zero"
	}
	return fmt.Sprintf("%.2fx", a/b)
}

func bestNaive(rs []Result) (best Result) {
	for _, x := range rs {
		if x.Mode.Naive() && x.Jobs > best.Jobs {
			best = x
		}
	}
	return best
}

// plain says in words who missed how many frames.
func plain(r *Report) string {
	var parts []string
	for _, x := range r.Modes {
		if x.Frames == 0 {
			parts = append(parts, fmt.Sprintf("%s did not run", x.Mode))
			continue
		}
		what := "no frame"
		if x.Missed > 0 {
			what = fmt.Sprintf("%d of %d frames (%s %%)", x.Missed, x.Frames+x.Missed, percent(x.MissedPct))
		}
		s := fmt.Sprintf("%s missed %s%s", x.Mode, what, x.jumped())
		if x.Offered > 0 {
			s += fmt.Sprintf(" and finished %.0f jobs/s", x.Jobs)
		}
		parts = append(parts, s)
	}
	out := strings.Join(parts, "; ") + "."
	if r.Partial {
		after := ""
		if r.turns() != "" {
			after = fmt.Sprintf(" after %d of %d turns", r.Slices[0], r.Slices[1])
		}
		out = fmt.Sprintf("Interrupted%s: %s", after, out)
	}
	return out
}

// percent keeps one missed frame in a hundred thousand visible.
func percent(p float64) string {
	switch {
	case p >= 9.95:
		return fmt.Sprintf("%.0f", p)
	case p >= 0.995:
		return fmt.Sprintf("%.1f", p)
	}
	return fmt.Sprintf("%.2g", p)
}
