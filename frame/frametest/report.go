package frametest

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/framecsv"
	"github.com/frameslice/frameslice/internal/refresh"
	"github.com/frameslice/frameslice/internal/words"
)

// tell ends the test by the verdict, and writes the files.
func tell(t *testing.T, v *verdict) {
	t.Helper()
	text, dir := v.String(), t.ArtifactDir()
	for name, write := range map[string]func(io.Writer) error{
		"report.txt": func(w io.Writer) error { _, err := io.WriteString(w, text); return err },
		"frames.csv": v.rec.writeCSV,
	} {
		if err := record.WriteFile(filepath.Join(dir, name), write); err != nil {
			t.Error(err)
		}
	}
	switch v.end {
	case fail:
		t.Error(text)
	case cantTell:
		cannotTell(t, v.o, text)
	default:
		t.Log(text)
	}
}

// cannotTell ends the test without a verdict: green as a rule, so it also tells the build server, where a gate that can
// never tell would be seen by nobody.
func cannotTell(t *testing.T, o Options, text string) {
	t.Helper()
	if o.Strict {
		t.Fatal(text)
	}
	fmt.Print(annotation(os.Getenv, t.Name(), text))
	t.Skip(text)
}

// annotation is the line that GitHub Actions or Azure Pipelines shows as a warning of the build, or "" elsewhere.
func annotation(getenv func(string) string, test, text string) string {
	first, _, _ := strings.Cut(text, "\n")
	says := strings.NewReplacer("%", "%25", "\r", "%0D").Replace(test + ": " + first)
	switch {
	case getenv("GITHUB_ACTIONS") == "true":
		return "\n::warning title=frametest::" + says + "\n" // a new line, as the game may have left one open
	case getenv("TF_BUILD") == "True":
		return "\n##vso[task.logissue type=warning]" + says + "\n"
	}
	return ""
}

// String is the report: a sentence, the measures, the frames.
func (v *verdict) String() string {
	var b words.Text
	fmt.Fprintf(&b, "%s: %s\n", v.end, v.sentence())
	if len(v.rows) > 0 {
		b.WriteByte('\n')
		v.table(&b)
	}
	if v.compare {
		for _, of := range [][2]string{{base, head}, {head, base}} {
			if only := v.onlyIn(of[0], of[1]); only != "" {
				fmt.Fprintf(&b, "\nOnly in %s: %s\n", of[0], only)
			}
		}
	}
	fmt.Fprintf(&b, "\n%d turns in %v.", len(v.rec.Turns), v.spent.Round(time.Second))
	for _, build := range []string{base, head} {
		if n := *v.void[build]; v.frames[build]+n[byWaiting]+n[byQuota]+n[byStop] > 0 {
			of := " of " + build
			if v.o.base == "" {
				of = ""
			}
			fmt.Fprintf(&b, " Frames%s that count: %d. Void: %d %s, %d %s, %d %s.", of, v.frames[build], n[byWaiting],
				causeNames[byWaiting], n[byQuota], causeNames[byQuota], n[byStop], causeNames[byStop])
		}
	}
	b.WriteByte('\n')
	return b.String()
}

// table writes a line for each measure.
func (v *verdict) table(t *words.Text) {
	var lines [][]string
	line := func(measure, base, head, change, allowed, says string) {
		cells := []string{measure, base, head, change, allowed, says}
		if !v.compare {
			cells = []string{measure, head, allowed, says}
		}
		lines = append(lines, cells)
	}
	if v.compare {
		line("measure", base, head, "change", "allowed", "says")
	} else {
		line("measure", "", "is", "", "allowed", "says")
	}
	for _, r := range v.rows {
		n := float64(max(r.pairs, 1))
		h, was := r.head/n, r.base/n
		says := "not sure"
		switch {
		case r.settled:
			says = "good"
		case v.end == fail && r.isWorse():
			says = "WORSE"
		case r.pairs == 0:
			says = "unknown"
		}
		switch {
		case r.pairs == 0:
			line(r.title(), "-", "-", "-", "-", says)
		case r.limit > 0:
			line(r.title(), "", fmt.Sprintf("%.4g", h), "", fmt.Sprintf("at most %.4g", r.limit), says)
		default:
			line(r.title(), fmt.Sprintf("%.4g", was), fmt.Sprintf("%.4g", h), r.difference(),
				fmt.Sprintf("%+.2g", r.allowed), says)
		}
	}
	t.Table(strings.Repeat("%-*s  ", len(lines[0])), lines...)
}

// sentence says why the gate has this verdict.
func (v *verdict) sentence() string {
	switch {
	case v.end == fail:
		var worse []string
		for _, r := range v.rows {
			if r.isWorse() {
				worse = append(worse, r.change())
			}
		}
		return strings.Join(worse, "; ")
	case v.lost != "":
		return "not compared: " + v.lost
	case v.end == pass && v.compare:
		return "no measure is worse than the base by what is allowed"
	case v.end == pass:
		return "all limits are kept"
	}
	var open []string
	held := false
	for _, r := range v.rows {
		if !r.settled && !r.unknown() {
			open = append(open, r.title())
			held = held || r.pairs == 0
		}
	}
	s := "not sure about " + strings.Join(open, "; ") + ". "
	switch {
	case held:
		return s + "Too few frames of a turn count, see below: take a quieter machine, or raise Options.Turn"
	case v.more == 0 && v.compare:
		return s + "An hour more would not do, as the machine is busy or the game near what is allowed: " +
			"take a quieter machine, or raise Options.Tolerance"
	case v.more == 0:
		return s + "An hour more would not do, as the machine is busy or the game near its limits: " +
			"take a quieter machine, or raise Options.Limits"
	}
	raise := "Options.Time"
	if v.o.cut {
		raise = "go test -timeout"
	}
	return s + fmt.Sprintf("About %d s more would do: raise %s", int(math.Ceil(v.more.Seconds())), raise)
}

// title is the name with its unit. A task without a label has the name of its function.
func (r *row) title() string {
	name := r.name
	if r.figure == aPart && !strings.HasPrefix(name, sectionPrefix) {
		name = "task " + words.Short(name)
	}
	if r.unit != "" {
		name += ", " + r.unit
	}
	return name
}

// difference is the change with two standard errors, between which lies the true change with a confidence of 95 %. Two
// pairs say too little of the error.
func (r *row) difference() string {
	n := float64(max(r.pairs, 1))
	d := (r.head - r.base) / n
	if r.pairs < 3 {
		return fmt.Sprintf("%+.3g ± -", d)
	}
	return fmt.Sprintf("%+.3g ± %.2g", d, 2*math.Sqrt(max(0, r.squares-n*d*d)/(n-1)/n))
}

// change says how the measure changed.
func (r *row) change() string {
	n := float64(r.pairs)
	h, b := r.head/n, r.base/n
	if r.limit > 0 {
		return fmt.Sprintf("%s: %.4g, above the limit %.4g", r.title(), h, r.limit)
	}
	s := fmt.Sprintf("%s: was %.4g, is %.4g, change %s", r.title(), b, h, r.difference())
	if b > 0 && r.figure != missed && r.figure != hitch { // they are near 0
		s += fmt.Sprintf(" (%+.1f %%)", 100*(h-b)/b)
	}
	return s
}

// writeCSV writes a line for each frame, in milliseconds. MsBetweenPresents is the time by which the frame counts, and
// FrameTime what the frame took. Framestat compares the builds.
func (rec recording) writeCSV(to io.Writer) error {
	w := csv.NewWriter(to)
	_ = w.Write([]string{ // Error has the error of all
		framecsv.Application, "Turn", framecsv.Frame, "FrameTime", framecsv.Interval, "Own", "CPUBusy", "KeptOff",
		framecsv.Flags, framecsv.Why,
	})
	for i, t := range rec.Turns {
		for n, s := range t.Frames {
			flags := ""
			d, ok := s.counted(t.Target)
			if !ok {
				d, flags = s.Interval, framecsv.Void
			}
			row := []string{t.Build, strconv.Itoa(i + 1), strconv.Itoa(n + 1)}
			for _, x := range []time.Duration{s.Interval, d, s.Own, s.CPU, s.Kept} {
				row = append(row, words.MS(x, 3))
			}
			_ = w.Write(append(row, flags, s.why(t.Target)))
		}
	}
	w.Flush()
	return w.Error()
}

// why says what made a late frame long, or "". The system's part comes first, because the gate knows more of that part
// than the frame's record.
func (s sample) why(target time.Duration) string {
	if s.By == byNobody || refresh.Missed(s.Interval, target) == 0 {
		return s.Why
	}
	return strings.TrimSuffix(fmt.Sprintf("%s for %s ms; %s", causeNames[s.By], words.MS(s.Kept, 1), s.Why), "; ")
}
