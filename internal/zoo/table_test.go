package zoo_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/words"
)

// table is a cell with all its ways.
func (c *cell) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-12s %8s %8s %8s %10s %10s %8s %10s %10s\n",
		"way", "missed", "beyond", "to done", "longest", "load s", "share %", "start", "worst")
	for _, t := range append([]total{c.alone, c.ours}, c.rivals...) {
		fmt.Fprintf(&b, "%-12s %8d %8d %8d %10v %10.2f %8.1f %10v %10v\n", t.name, t.missed, t.missed-c.alone.missed,
			t.until, t.longest.Round(ms/10), t.took.Seconds(), 100*t.share, t.start.Round(ms/10), t.worst.Round(ms/10))
	}
	a, _ := c.judge(inWindow)
	u, _ := c.judge(untilDone)
	fmt.Fprintf(&b, "in the window: %v; until done: %v", a, u)
	return b.String()
}

// publish writes zoo.md and zoo.png.
func publish(dir string, cs []*cell) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "zoo.md"), []byte(report(cs)), 0o644); err != nil {
		return err
	}
	return record.WriteFile(filepath.Join(dir, "zoo.png"), func(w io.Writer) error {
		return picture(w, "The zoo: "+summary(cs), cs)
	})
}

// summary counts the verdicts.
func summary(cs []*cell) string {
	var n [2][3]int
	broken := 0
	for _, c := range cs {
		for m := range n {
			v, _ := c.judge(measure(m))
			n[m][v]++
		}
		if len(c.faults()) > 0 {
			broken++
		}
	}
	told := func(m measure) string {
		return fmt.Sprintf("%d better, %d level, %d dominated", n[m][better], n[m][level], n[m][dominated])
	}
	return fmt.Sprintf("%d cells, %d break a rule. Frames in the window: %s. Until done: %s.",
		len(cs), broken, told(inWindow), told(untilDone))
}

// report is the table of all cells, and the rules that are broken.
func report(cs []*cell) string {
	var b strings.Builder
	b.WriteString(summary(cs) + "\n\n")
	heads := []string{"host", "load", "missed beyond", "until done", "longest ms", "work", "Immediate median, worst ms",
		"in the window", "until done", "rules broken"}
	b.WriteString("| " + strings.Join(heads, " | ") + " |\n|---|---|---:|---:|---:|---:|---:|---|---|---|\n")
	for _, c := range cs {
		work := fmt.Sprintf("%.2f s", c.ours.took.Seconds())
		if c.load.n == 0 {
			work = fmt.Sprintf("%.1f %%", 100*c.ours.share)
		}
		start := ""
		if c.load.urgent > 0 {
			start = fmt.Sprintf("%.1f, %.1f", words.Millis(c.ours.start), words.Millis(c.ours.worst))
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %.0f | %s | %s | %s | %s | %s |\n", c.host.name, c.load.name,
			c.ours.missed-c.alone.missed, c.ours.until, words.Millis(c.ours.longest), work, start,
			c.told(inWindow), c.told(untilDone), strings.Join(c.faults(), "; "))
	}
	return b.String()
}

// told is a verdict with the figures of the rival that dominates.
func (c *cell) told(m measure) string {
	v, by := c.judge(m)
	if by == nil {
		return v.String()
	}
	return fmt.Sprintf("%v by %s: %s", v, by.name, c.figures(by))
}
