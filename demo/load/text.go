package load

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/frameslice/frameslice/internal/words"
)

// WriteText writes the table, what its figures are of, and for a single mode everything else that its loop knows.
func (r *Report) WriteText(w io.Writer) error {
	var b words.Text
	if r.Partial {
		fmt.Fprintf(&b, "Interrupted: %d of %d turns were run whole.\n", r.Slices[0], r.Slices[1])
	}
	r.table(&b)
	b.WriteString("late: ms that a frame began after its time; load: the jobs that arrive, 1 is all that fits\n" +
		"beside the frames; gaps: in the sound; wait: the longest for a processor, of the goroutine that writes it\n\n")
	fmt.Fprintf(&b, "%s\n%s\n", r.settings(), strings.TrimSuffix(r.Env.String(), "\n"))
	if len(r.Modes) == 1 && len(r.Loops) == 1 {
		fmt.Fprintf(&b, "\n%v\n", r.Loops[0].Report)
	}
	b.WriteString(r.neighbours())
	_, err := io.WriteString(w, b.String())
	return err
}

// table writes a line for each mode.
func (r *Report) table(t *words.Text) {
	lines := [][]string{{
		"mode", "load", "FPS", "missed %", "late p99", "p99.9", "worst ms", "jobs/s", "gaps/min", "wait ms", "cores",
	}}
	for _, x := range r.Modes {
		if x.Frames == 0 {
			lines = append(lines, append([]string{string(x.Mode)}, slices.Repeat([]string{"-"}, len(lines[0])-1)...))
			continue
		}
		gaps, wait, cores := "-", "-", "-"
		if x.SoundWait > 0 {
			gaps, wait = fmt.Sprintf("%.1f", x.SoundGaps), fmt.Sprintf("%.1f", x.SoundWait)
		}
		if x.Cores > 0 {
			cores = fmt.Sprintf("%.2f", x.Cores)
		}
		lines = append(lines, []string{
			string(x.Mode), fmt.Sprintf("%.2f", x.Load), fmt.Sprintf("%.1f", float64(x.Frames)/x.Seconds),
			percent(x.MissedPct), fmt.Sprintf("%.2f", x.P99), fmt.Sprintf("%.2f", x.P999), fmt.Sprintf("%.2f", x.Max),
			fmt.Sprintf("%.0f", x.Jobs), gaps, wait, cores,
		})
	}
	t.Table("  %-*s"+strings.Repeat("  %*s", len(lines[0])-1), lines...)
}

// settings says what the frames and the jobs were.
func (r *Report) settings() string {
	s := &r.Settings
	out := fmt.Sprintf("%.4g Hz, %.3g s measured per mode", 1000/s.IntervalMS, s.DurationS)
	if s.SliceS > 0 {
		out += fmt.Sprintf(" in turns of %.3g s", s.SliceS)
	}
	if s.OwnMS > 0 {
		out += fmt.Sprintf("; own work %.3g ms a frame", s.OwnMS)
	}
	if s.Offered > 0 {
		out += fmt.Sprintf("; %.0f jobs of %.3g ms a second (load %.3g)", s.Offered, s.JobMS, s.Load)
	}
	return out
}

// busyCores is how much of the processors other programs may take before the figures say more of them than of us.
const busyCores = 0.5

// neighbours warns of a machine that was busy with something else: there, a miss is not the loop's.
func (r *Report) neighbours() string {
	most := 0.0
	for _, x := range r.Modes {
		most = max(most, x.Others)
	}
	if most < busyCores {
		return ""
	}
	return fmt.Sprintf(
		"Other programs took up to %.1f cores meanwhile: repeat this on a quiet machine to judge it.\n", most)
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
