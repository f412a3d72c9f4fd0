package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/frameslice/frameslice/internal/words"
)

// shownLate is how many late frames the text lists.
const shownLate = 10

// writeText writes the tables.
func writeText(t *words.Text, runs []*measured) {
	var against [][]difference
	for _, b := range runs[1:] { // the verdicts come first
		all := compare(runs[0], b)
		against = append(against, all)
		t.Line("%s", heading(runs[0], b, all))
	}
	if slices.ContainsFunc(against, judged) {
		t.Line("  %s\n", errorRate)
	}
	for i, r := range runs {
		t.Line("%s: %s", r.label, r.headline())
		for _, f := range r.Facts {
			if i == 0 || !slices.Contains(runs[0].Facts, f) { // the same machine is told once
				t.Line("  %s: %s", f.Key, f.Value)
			}
		}
		for _, note := range r.Notes {
			t.Line("  note: %s", note)
		}
	}
	t.Line("")
	if len(runs) == 1 {
		writeFigures(t, runs[0])
		writeLate(t, runs[0])
		if len(runs[0].Cheaper) > 0 {
			t.Line("")
			writeCheaper(t, runs)
		}
		return
	}
	writeTable(t, runs)
	for i, b := range runs[1:] {
		writeComparison(t, runs[0], b, against[i])
	}
}

func (r *measured) headline() string {
	s := r.Format
	if r.Name != "" {
		s += ", " + r.Name
	}
	return s + ", target " + r.targetText()
}

// writeFigures writes the figures of one run with what they mean.
func writeFigures(t *words.Text, r *measured) {
	all := rows(r)
	for i := range all {
		f := &all[i]
		value, unit := f.text(r), f.unit
		if value == unknown {
			unit = ""
		}
		t.Line("  %-22s %12s %-5s %s", f.name, value, unit, f.means)
	}
	t.Line("  %-22s %12s", "hitch band", r.band())
	if c := r.P99Confidence; c.High > 0 {
		t.Line("\n  with 95 %% confidence: p99 %.3f to %.3f ms, hitch ratio %.3f to %.3f ms/s",
			c.Low, c.High, r.HitchRatioConfidence.Low, r.HitchRatioConfidence.High)
	}
}

// writeLate lists the longest of the late frames.
func writeLate(t *words.Text, r *measured) {
	frames := r.lateFrames()
	if len(frames) == 0 {
		return
	}
	n := len(frames)
	frames = worst(frames, shownLate)
	r.explain(frames)
	t.Line("\n  %s; the longest of them:", missedBy(n))
	for _, f := range frames {
		t.Line("  %9.3f s  frame %-7d %9.3f ms  %s", f.Seconds, f.Number(), f.MS, f.Why)
	}
}

// writeCheaper writes what would help each run most, and nothing else.
func writeCheaper(t *words.Text, runs []*measured) {
	for _, r := range runs {
		t.Line("%s: refreshes that would not have been missed", r.label)
		for _, says := range r.Cheaper {
			t.Line("  %s", says)
		}
		if len(r.Cheaper) == 0 {
			t.Line("  unknown: no frame was late by its own work, or the file is no JSON of Report.Save")
		}
	}
}

// missedBy says how many frames missed a refresh.
func missedBy(frames int) string {
	if frames == 1 {
		return "1 frame missed a refresh"
	}
	return fmt.Sprintf("%d frames missed a refresh", frames)
}

// worst returns the n longest, longest first.
func worst(frames []late, n int) []late {
	slices.SortStableFunc(frames, func(a, b late) int { return int(min(max(b.interval-a.interval, -1), 1)) })
	return frames[:min(n, len(frames))]
}

// writeTable writes a column for each run.
func writeTable(t *words.Text, runs []*measured) {
	head, band := []string{""}, []string{"hitch band"}
	for _, r := range runs {
		head, band = append(head, words.Tail(r.label, 24)), append(band, r.band())
	}
	lines := slices.Concat([][]string{head}, table(runs), [][]string{band})
	t.Table("  %-*s"+strings.Repeat("  %*s", len(runs)), lines...)
}

// table returns a line for each figure: its label, and what it is in each run.
func table(runs []*measured) (lines [][]string) {
	all := rows(runs...)
	for i := range all {
		line := []string{all[i].label()}
		for _, r := range runs {
			line = append(line, all[i].text(r))
		}
		lines = append(lines, line)
	}
	return lines
}

// differences returns a line for each figure: its label, the difference, within what it is, and the verdict.
func differences(all []difference) (lines [][]string) {
	for _, d := range all {
		by, limits := d.text()
		lines = append(lines, []string{d.label(), by, limits, d.verdict})
	}
	return lines
}

// writeComparison tells how b differs from a.
func writeComparison(t *words.Text, a, b *measured, all []difference) {
	t.Line("\n%s", heading(a, b, all))
	for _, note := range apart(a, b) {
		t.Line("  note: %s", note)
	}
	head := []string{"", "difference", intervals}
	t.Table("  %-*s  %*s   %-*s  %-*s", append([][]string{head}, differences(all)...)...)
	if judged(all) {
		t.Line("%s", caution)
	}
}

// apart says what makes two runs hard to compare.
func apart(a, b *measured) (notes []string) {
	if a.target != b.target {
		notes = append(notes, "each run is judged by its own target")
	}
	if long, short := max(a.Time, b.Time), min(a.Time, b.Time); short > 0 && long > 2*short {
		notes = append(notes, fmt.Sprintf("one run is %.3g times as long: max, p99.9 and worst region grow with time",
			long.Seconds()/short.Seconds()))
	}
	return notes
}

const (
	intervals = "95 % for all at once"
	errorRate = "One verdict for all figures: of 100 pairs of like runs at most 5 are called better or worse, " +
		"also if they drift."
	caution = `  The intervals know how frames vary within a run, not how one run differs from the next:
  repeat both, in turns.`
)

// judged reports whether there is a verdict at all.
func judged(all []difference) bool {
	return slices.ContainsFunc(all, func(d difference) bool { return d.known })
}

// heading is the verdict of b against a.
func heading(a, b *measured, all []difference) string {
	says := summary(all)
	switch {
	case judged(all):
	case len(a.Intervals) == 0 || len(b.Intervals) == 0:
		says = "not judged, as a file has no frames"
	default:
		says = fmt.Sprintf("not judged, as a run has fewer than %d frames", leastBlocks*leastInBlock)
	}
	return fmt.Sprintf("%s against %s: %s", b.label, a.label, says)
}

// summary is the one verdict over all figures.
func summary(all []difference) string {
	var good, bad []string
	for _, d := range all {
		switch d.verdict {
		case better:
			good = append(good, d.name)
		case worse:
			bad = append(bad, d.name)
		}
	}
	switch g, b := strings.Join(good, "; "), strings.Join(bad, "; "); {
	case len(good)+len(bad) == 0:
		return notSeen
	case len(bad) == 0:
		return fmt.Sprintf("%s, by %s", better, g)
	case len(good) == 0:
		return fmt.Sprintf("%s, by %s", worse, b)
	default:
		return fmt.Sprintf("mixed: %s by %s; %s by %s", better, g, worse, b)
	}
}
