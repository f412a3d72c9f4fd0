package load

import "fmt"

// A Check is one promise of the frameslice mode, held against the other modes of the same run.
type Check struct {
	Mode   Mode   `json:"mode"`
	Beside Beside `json:"beside"`
	Name   string `json:"name"`
	Pass   bool   `json:"pass"`
	Open   bool   `json:"not_judged,omitempty"` // Pass says nothing; Says has the reason
	Says   string `json:"says"`                 // the figures
}

// Word is the verdict in four letters.
func (c Check) Word() string {
	switch {
	case c.Open:
		return "----"
	case c.Pass:
		return "PASS"
	}
	return "MISS"
}

// The promises. Lateness may exceed the idle loop's by a factor, or by an absolute amount where the idle loop is nearly
// exact.
const (
	lateFactor    = 1.25
	p99Grace      = 0.1 // ms
	p999Grace     = 0.5 // ms
	throughputMin = 0.9
	missesMost    = 50   // percent of the frames: a mode that misses more is no yardstick for jobs
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
	return Check{Mode: x.Mode, Beside: x.Beside, Name: "missed frames", Pass: x.Missed <= idle.Missed,
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
	return Check{Mode: x.Mode, Beside: x.Beside, Name: name + " lateness", Pass: got <= limit,
		Says: fmt.Sprintf("%.3f ms, idle %.3f ms (%s), limit %.3f ms", got, idle, ratio(got, idle), limit)}
}

// checkTail judges p99.9 where there are frames enough to have one.
func checkTail(x, idle Result) Check {
	c := checkLate(x, "p99.9", x.P999, idle.P999, p999Grace)
	if n := min(x.Frames, idle.Frames); n < tailFrames {
		c.Open, c.Pass = true, false
		c.Says = fmt.Sprintf("too few frames to judge p99.9: %d of %d", n, tailFrames)
	}
	return c
}

// checkJobs judges the finished jobs, or the work of jobs and drawn frames together. A naive way that misses most of
// its frames has their time for jobs, so it is no yardstick.
func checkJobs(x, best Result) Check {
	says := fmt.Sprintf("%.0f/s, best naive %.0f/s (%s), %.1f %%, limit %.0f %%",
		x.Jobs, best.Jobs, best.Mode, 100*x.Jobs/best.Jobs, 100*throughputMin)
	known := x.Work > 0 && best.Work > 0
	if known {
		says += fmt.Sprintf("; with the own work of the frames drawn %.0f and %.0f ms/s", x.Work, best.Work)
	}
	c := Check{Mode: x.Mode, Beside: x.Beside, Name: "finished jobs", Says: says,
		Pass: x.Jobs >= throughputMin*best.Jobs || known && x.Work >= throughputMin*best.Work}
	if !c.Pass && best.MissedPct > missesMost {
		c.Open = true
		c.Says += fmt.Sprintf("; not judged, as %s had the time of the %s %% of its frames that it missed",
			best.Mode, percent(best.MissedPct))
	}
	return c
}

// work returns the work of the jobs and of the drawn frames, in ms a second, as calibrated on one processor. A mode
// that misses frames saves their work, and has the time for jobs. 0 where the work is not known.
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
