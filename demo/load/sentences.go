package load

import (
	"fmt"
	"strings"
)

// sentences says what was asked of the modes, what became of ours, and what of the others.
func (r *Report) sentences() []string {
	said := []string{r.asked()}
	var none []string
	for rows := range r.tables() {
		at := len(said)
		for _, x := range rows {
			switch {
			case x.Frames == 0:
				none = append(none, x.turn().String())
			case x.Mode.is(ours) || len(rows) == 1:
				said = append(said, outcome(x, rows))
			}
		}
		if len(rows) > 1 {
			if s := others(rows); s != "" {
				said = append(said, s)
			}
		}
		if b := rows[0].Beside; len(rows) < len(r.Modes) && at < len(said) {
			said[at] = neighbours[b.index()].says + ": " + said[at]
		}
	}
	if len(none) > 0 {
		said = append(said, fmt.Sprintf("There are no frames of %s.", strings.Join(none, ", ")))
	}
	if r.Partial {
		after := ""
		if t := r.turns(); t != "" {
			after = fmt.Sprintf(" after %d of %d turns", r.Slices[0], r.Slices[1])
		}
		said[0] = fmt.Sprintf("Interrupted%s: %s", after, strings.ToLower(said[0][:1])+said[0][1:])
	}
	return said
}

// asked says how long a frame may take, and which jobs arrive meanwhile.
func (r *Report) asked() string {
	s := &r.Settings
	frame := fmt.Sprintf("The game has %.3g ms for each frame", s.IntervalMS)
	switch {
	case r.changed():
		return fmt.Sprintf("%s, and jobs of %.3g ms arrive. The load was changed meanwhile: each row has its own.",
			frame, s.JobRealMS)
	case s.Offered == 0:
		return frame + "."
	}
	return fmt.Sprintf("%s, and each second %.0f jobs of %.3g ms arrive.", frame, s.Offered, s.JobRealMS)
}

// outcome says what became of a mode, beside the yardstick among the rows of its table.
func outcome(x Result, rows []Result) string {
	out := fmt.Sprintf("%s missed %s", x.Mode, x.misses())
	if x.Offered > 0 {
		out += fmt.Sprintf(" and finished %.0f jobs a second", x.Jobs)
	}
	if idle, ok := find(rows, Idle); ok && x.Mode != Idle {
		out += fmt.Sprintf("; without any jobs (idle) the game missed %s", idle.misses())
	}
	return out + "."
}

// misses says how many frames of a mode are missing, and what was left out.
func (x *Result) misses() string {
	if x.Missed == 0 {
		return fmt.Sprintf("none of %d frames%s", x.Frames, x.jumped())
	}
	return fmt.Sprintf("%d of %d frames (%s %%)%s", x.Missed, x.Frames+x.Missed, percent(x.MissedPct), x.jumped())
}

// others names the rival with the fewest missed frames and the one with the most jobs.
func others(rs []Result) string {
	var smooth, busy *Result
	n := 0
	for i := range rs {
		x := &rs[i]
		if !x.Mode.Naive() || x.Frames == 0 {
			continue
		}
		n++
		if smooth == nil || x.MissedPct < smooth.MissedPct {
			smooth = x
		}
		if busy == nil || x.Jobs > busy.Jobs {
			busy = x
		}
	}
	share := func(x *Result) string { return percent(x.MissedPct) + " % of its frames" }
	switch {
	case n == 0:
		return ""
	case n == 1:
		return fmt.Sprintf("%s missed %s and finished %.0f jobs a second.", busy.Mode, share(busy), busy.Jobs)
	case smooth == busy:
		return fmt.Sprintf("The best of the other ways, %s, missed %s and finished %.0f jobs a second.",
			busy.Mode, share(busy), busy.Jobs)
	}
	return fmt.Sprintf("Of the other ways, %s missed the fewest frames, %s %%; "+
		"%s finished the most jobs, %.0f a second, and missed %s.",
		smooth.Mode, percent(smooth.MissedPct), busy.Mode, busy.Jobs, share(busy))
}
