package record

import (
	"fmt"
	"reflect"
	"time"

	"github.com/frameslice/frameslice/internal/words"
)

type textTable struct{ words.Text }

// row writes a label, a value and what the value means.
func (t *textTable) row(label, value, note string) { t.Line("  %-34s %14s   %s", label, value, note) }

// distributions writes a table of the rows that are not empty, if there are any.
func (t *textTable) distributions(title string, rows []named) {
	const layout = "  %-34s %9s %9s %9s %9s %9s %9s"
	for _, d := range rows {
		if d.N == 0 {
			continue
		}
		if title != "" {
			t.Line("")
			t.Line(layout, title, "mean", "p50", "p90", "p99", "p99.9", "max")
			title = ""
		}
		t.Line(layout, d.label, inMS(d.Mean), inMS(d.P50), inMS(d.P90), inMS(d.P99), inMS(d.P999), inMS(d.Max))
	}
}

// counts writes a table of the counters of a struct: the fields that have a text.
func (t *textTable) counts(title string, counters reflect.Value, frames uint64) {
	t.Line("")
	t.Line("  %-34s %14s %10s", title, "total", "per frame")
	for field, v := range counters.Fields() {
		label, ok := field.Tag.Lookup("text")
		switch {
		case !ok:
		case v.Kind() == reflect.Uint64:
			t.Line("  %-34s %14s %10.3f", label, thousands(v.Uint()), float64(v.Uint())/float64(max(frames, 1)))
		default:
			ms := words.Millis(time.Duration(v.Int()))
			t.Line("  %-34s %14.3f %10.3f", label, ms, ms/float64(max(frames, 1)))
		}
	}
}

func inMS(d time.Duration) string { return words.MS(d, 3) }

func fps(f float64) string { return fmt.Sprintf("%.2f FPS", f) }

func updates(u [4]uint64) string {
	return fmt.Sprintf("0: %s, 1: %s, 2: %s, 3+: %s", thousands(u[0]), thousands(u[1]), thousands(u[2]),
		thousands(u[3]))
}

// thousands writes n in groups of three digits, with a comma between them.
func thousands(n uint64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// star marks a row that covers less than the run.
func (r *Report) star() string {
	if r.Whole {
		return ""
	}
	return " *"
}
