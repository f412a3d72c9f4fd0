package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/frameslice/frameslice/internal/words"
)

// shownLate is how many late frames the text lists.
const shownLate = 10

// writeText writes the tables. The caller sees errors of w when it flushes.
func writeText(w io.Writer, runs []*measured) {
	var against [][]difference
	for _, b := range runs[1:] { // the verdicts come first
		all := compare(runs[0], b)
		against = append(against, all)
		fmt.Fprintln(w, heading(runs[0], b, all))
	}
	if slices.ContainsFunc(against, judged) {
		fmt.Fprintf(w, "  %s\n\n", errorRate)
	}
	for i, r := range runs {
		fmt.Fprintf(w, "%s: %s\n", r.label, r.headline())
		for _, f := range r.Facts {
			if i == 0 || !slices.Contains(runs[0].Facts, f) { // the same machine is told once
				fmt.Fprintf(w, "  %s: %s\n", f.Key, f.Value)
			}
		}
		for _, note := range r.Notes {
			fmt.Fprintf(w, "  note: %s\n", note)
		}
	}
	fmt.Fprintln(w)
	if len(runs) == 1 {
		writeFigures(w, runs[0])
		writeLate(w, runs[0])
		if len(runs[0].Cheaper) > 0 {
			fmt.Fprintln(w)
			writeCheaper(w, runs)
		}
		return
	}
	writeTable(w, runs)
	for i, b := range runs[1:] {
		writeComparison(w, runs[0], b, against[i])
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
func writeFigures(w io.Writer, r *measured) {
	all := rows(r)
	for i := range all {
		f := &all[i]
		value, unit := f.text(r), f.unit
		if value == unknown {
			unit = ""
		}
		fmt.Fprintf(w, "  %-22s %12s %-5s %s\n", f.name, value, unit, f.means)
	}
	fmt.Fprintf(w, "  %-22s %12s\n", "hitch band", r.band())
	if c := r.P99Confidence; c.High > 0 {
		fmt.Fprintf(w, "\n  with 95 %% confidence: p99 %.3f to %.3f ms, hitch ratio %.3f to %.3f ms/s\n",
			c.Low, c.High, r.HitchRatioConfidence.Low, r.HitchRatioConfidence.High)
	}
}

// writeLate lists the longest of the late frames.
func writeLate(w io.Writer, r *measured) {
	frames := r.lateFrames()
	if len(frames) == 0 {
		return
	}
	n := len(frames)
	frames = worst(frames, shownLate)
	r.explain(frames)
	fmt.Fprintf(w, "\n  %s; the longest of them:\n", missedBy(n))
	for _, f := range frames {
		line := fmt.Sprintf("  %9.3f s  frame %-7d %9.3f ms  %s", f.Seconds, f.Number(), f.MS, f.Why)
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}

// writeCheaper writes what would help each run most, and nothing else.
func writeCheaper(w io.Writer, runs []*measured) {
	for _, r := range runs {
		fmt.Fprintf(w, "%s: refreshes that would not have been missed\n", r.label)
		for _, says := range r.Cheaper {
			fmt.Fprintf(w, "  %s\n", says)
		}
		if len(r.Cheaper) == 0 {
			fmt.Fprintln(w, "  unknown: no frame was late by its own work, or the file is no JSON of Report.Save")
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
func writeTable(w io.Writer, runs []*measured) {
	wide := 12
	for _, r := range runs {
		wide = max(wide, min(len([]rune(r.label)), 24))
	}
	fmt.Fprintf(w, "  %-28s", "")
	for _, r := range runs {
		fmt.Fprintf(w, " %*s", wide, words.Tail(r.label, wide))
	}
	fmt.Fprintln(w)
	all := rows(runs...)
	for i := range all {
		f := &all[i]
		fmt.Fprintf(w, "  %-28s", f.label())
		for _, r := range runs {
			fmt.Fprintf(w, " %*s", wide, f.text(r))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "  %-28s", "hitch band")
	for _, r := range runs {
		fmt.Fprintf(w, " %*s", wide, r.band())
	}
	fmt.Fprintln(w)
}

// writeComparison tells how b differs from a.
func writeComparison(w io.Writer, a, b *measured, all []difference) {
	fmt.Fprintf(w, "\n%s\n", heading(a, b, all))
	for _, note := range apart(a, b) {
		fmt.Fprintf(w, "  note: %s\n", note)
	}
	fmt.Fprintf(w, "  %-28s %12s   %s\n", "", "difference", intervals)
	for _, d := range all {
		by, limits := d.text()
		line := fmt.Sprintf("  %-28s %12s   %-24s %s", d.label(), by, limits, d.verdict)
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
	if judged(all) {
		fmt.Fprintln(w, caution)
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
