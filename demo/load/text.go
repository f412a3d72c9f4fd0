package load

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// WriteText writes the report for a reader: three sentences and a small table. If all is true everything else that is
// known follows: where it ran, further tables, how the modes work, the verdict.
func (r *Report) WriteText(w io.Writer, all bool) error {
	var b strings.Builder
	r.brief(&b)
	if all {
		b.WriteByte('\n')
		r.head(&b)
		r.table(&b)
		if len(r.Modes) == 1 && len(r.Loops) == 1 {
			b.WriteString(r.Loops[0].Report.String() + "\n")
		}
		r.notes(&b)
		r.judged(&b)
	} else if len(r.Modes) > 1 {
		b.WriteString("All figures, with their confidence and a verdict: -v\n")
	}
	for _, d := range r.Traces {
		fmt.Fprintf(&b, "%s: %v\n", d.File, d)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// brief writes the sentences and a small table.
func (r *Report) brief(b *strings.Builder) {
	for _, s := range r.sentences() {
		fmt.Fprintln(b, wrap(s, 100))
	}
	b.WriteByte('\n')
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	width := r.nameWidth()
	head, loads := "jobs/s", r.changed()
	if loads {
		head += "\tload"
	}
	head += "\tgaps/min\twait ms"
	fmt.Fprintf(t, "%-*s\tFPS\tmissed\tlate p99\tworst ms\t%s\t\n", width, "mode", head)
	for _, x := range r.Modes {
		if x.Frames == 0 {
			fmt.Fprintf(t, "%-*s\t-%s\t\n", width, x.turn(), strings.Repeat("\t-", 4+strings.Count(head, "\t")))
			continue
		}
		fps := "-"
		if x.Seconds > 0 {
			fps = fmt.Sprintf("%.1f", float64(x.Frames)/x.Seconds)
		}
		fmt.Fprintf(t, "%-*s\t%s\t%s %%\t%.2f\t%.2f\t%.0f\t", width, x.turn(), fps, percent(x.MissedPct), x.P99, x.Max,
			x.Jobs)
		if loads {
			fmt.Fprintf(t, "%.2f\t", x.Load)
		}
		fmt.Fprintf(t, "%s\t\n", x.sound())
	}
	t.Flush()
	b.WriteString("late: ms that a frame began after its time\n" +
		"gaps: in the sound; wait: the longest for a processor, of the goroutine that writes the sound\n")
	if loads {
		b.WriteString("load: the jobs that arrived, in what the machine has left beside the game; 1 is all\n")
	}
	b.WriteString(r.neighbours())
}

// sound returns the cells of the sound: gaps a minute, and the longest wait in ms.
func (x *Result) sound() string {
	if x.SoundWait == 0 {
		return "-\t-"
	}
	return fmt.Sprintf("%.1f\t%.1f", x.SoundGaps, x.SoundWait)
}

// judged writes the verdict.
func (r *Report) judged(b *strings.Builder) {
	if r.changed() && len(r.Modes) > 1 {
		b.WriteString("no verdict, as the load was changed meanwhile\n")
	}
	for _, c := range r.Verdict {
		fmt.Fprintf(b, "%s  %s: %s: %s\n", c.Word(), Turn{c.Mode, c.Beside}, c.Name, c.Says)
	}
}

// busyCores is how much of the processors other programs may take before the figures say more of them than of us.
const busyCores = 0.5

// neighbours warns of a machine that was busy with something else: there, a miss is not the loop's.
func (r *Report) neighbours() string {
	most := 0.0
	for _, x := range r.Modes {
		if x.Beside == None || x.Beside == "" { // else the comparison ran them itself
			most = max(most, x.Others)
		}
	}
	if most < busyCores {
		return ""
	}
	return fmt.Sprintf(
		"Other programs took up to %.1f cores meanwhile: repeat this on a quiet machine to judge it.\n", most)
}

func (r *Report) head(b *strings.Builder) {
	s := &r.Settings
	how := "waiting " + s.Wait
	switch Wait(s.Wait) {
	case WaitTimer:
		how = "waiting in a Go timer"
	case WaitSyscall:
		how = "waiting in a system call"
	case WaitSwap:
		how = "paced by the swap"
	case WaitPacer:
		how = "paced by the loop, the swap does not wait"
	}
	fmt.Fprintf(b, "%.4g Hz, %s; own work %.2f ms a frame (%.2f ms of it can fork, %d boids)\n%s\n",
		1000/s.IntervalMS, how, s.OwnRealMS, s.StepMS, s.Boids, r.offer())
	b.WriteString(r.Env.String())
	fmt.Fprintf(b, "%s, seed %d, %s", r.span(), s.Seed, r.jumps())
	if r.Partial {
		fmt.Fprintf(b, "; PARTIAL: %s", cmp.Or(r.turns(), "interrupted"))
	}
	b.WriteString("\n\n")
}

// turns says how far a partial run of several turns has come.
func (r *Report) turns() string {
	if r.Slices[1] < 2 {
		return ""
	}
	return fmt.Sprintf("%d of %d turns were run whole", r.Slices[0], r.Slices[1])
}

// jumps says how often the clock jumped in all modes, which is in no other figure.
func (r *Report) jumps() string {
	n, s := 0, 0.0
	for _, x := range r.Modes {
		n, s = n+x.Jumps, s+x.JumpS
	}
	if n == 0 {
		return "no jump of the clock"
	}
	return fmt.Sprintf("jumps of the clock left out: %d (%.3g s)", n, s)
}

// span says for how long each mode was measured.
func (r *Report) span() string {
	s := &r.Settings
	switch {
	case len(r.Modes) < 2:
		return fmt.Sprintf("%.3g s measured", s.DurationS)
	case s.SliceS == 0: // as somebody went from one to the next
		return fmt.Sprintf("up to %.3g s measured per mode", s.DurationS)
	}
	return fmt.Sprintf("%.3g s measured per mode in turns of %.3g s", s.DurationS, s.SliceS)
}

func (r *Report) offer() string {
	s := &r.Settings
	if s.Offered == 0 && !r.changed() {
		return "no jobs offered" + s.heap()
	}
	kind := ""
	if s.Alloc {
		kind = ", allocating,"
	}
	if r.changed() {
		return fmt.Sprintf("jobs of %.3g ms%s offered, at a load that each row of the first table has%s",
			s.JobRealMS, kind, s.heap())
	}
	return fmt.Sprintf("%.0f jobs/s of %.3g ms%s offered (load %.3g), at most %d waiting%s",
		s.Offered, s.JobRealMS, kind, s.Load, s.MaxPending, s.heap())
}

// heap says what every mode keeps alive.
func (s *Settings) heap() string {
	if s.HeapMiB == 0 {
		return ""
	}
	return fmt.Sprintf("; %.3g MiB kept alive in every mode", s.HeapMiB)
}

// table writes two: what became of the frames, and what was done meanwhile. Both fit into 110 columns.
func (r *Report) table(b *strings.Builder) {
	width := r.nameWidth()
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "%-*s\tframes\tmissed\t%%\tlate p50\tp99\t[95 %%]\tp99.9\tmax ms\t"+
		"hitch\t[95 %%]\twoke\tran\t\n",
		width, "mode")
	for _, x := range r.Modes {
		if x.Frames == 0 {
			fmt.Fprintf(t, "%-*s\t-%s\t\n", width, x.turn(), strings.Repeat("\t-", 11))
			continue
		}
		fmt.Fprintf(t, "%-*s\t%d\t%d\t%s\t%.2f\t%.2f\t%s\t%.2f\t%.2f\t%.2f\t%s\t%d\t%d\t\n",
			width, x.turn(), x.Frames, x.Missed, percent(x.MissedPct), x.P50, x.P99, x.P99CI, x.P999, x.Max,
			x.Hitch, x.HitchCI, x.WokeLate, x.RanLong)
	}
	t.Flush()
	b.WriteString("late: ms, of the interval between frame starts; hitch: ms per s; woke, ran: late by\n" +
		"more than 1 ms as the wait for the tick ended late, or as the frame before was still busy\n\n")
	fmt.Fprintf(t, "%-*s\tjobs/s\tof best naive\tdropped\tcores\tothers\tstolen\town p50\tp99 ms\t"+
		"allocs/frame\tGC\twarm-up\t\n", width, "mode")
	for rows := range r.tables() {
		best := bestNaive(rows).Jobs
		for _, x := range rows {
			if x.Frames == 0 {
				fmt.Fprintf(t, "%-*s\t-%s\t\n", width, x.turn(), strings.Repeat("\t-", 10))
				continue
			}
			share := "-"
			if best > 0 && x.Offered > 0 {
				share = fmt.Sprintf("%.0f %%", 100*x.Jobs/best)
			}
			fmt.Fprintf(t, "%-*s\t%.0f\t%s\t%.0f\t%s\t%.2f\t%.1f\t%s\t%s\t%.4g\t%d\t%d\t\n",
				width, x.turn(), x.Jobs, share, x.Dropped, known(x.Cores), x.Others, x.Stolen, known(x.OwnP50),
				known(x.OwnP99), x.Allocs, x.GC, x.Warmup)
		}
	}
	t.Flush()
	b.WriteString("dropped: jobs/s; own: ms of the frame's own work; cores: of this process; of others;\n" +
		"stolen: ms/s that a hypervisor took\n\n")
}

func (r *Report) nameWidth() int {
	width := len("mode")
	for _, x := range r.Modes {
		width = max(width, len(x.turn().String()))
	}
	return width
}

func (c CI) String() string { return fmt.Sprintf("%.2f-%.2f", c.Lo, c.Hi) }

func (r *Report) notes(b *strings.Builder) {
	width := r.nameWidth()
	for _, x := range r.Modes {
		if x.Beside == r.Modes[0].Beside {
			fmt.Fprintf(b, "%-*s  %s\n", width, x.Mode, x.Says)
		}
	}
	b.WriteByte('\n')
}

// known writes a figure, milliseconds or cores, where it is known.
func known(x float64) string {
	if x == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", x)
}

// wrap breaks a text into lines of at most so many columns.
func wrap(text string, columns int) string {
	var b strings.Builder
	at := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case at+1+len(word) > columns:
			b.WriteByte('\n')
			at = 0
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += len(word)
	}
	return b.String()
}
