package runfile

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/frameslice/frameslice/internal/framecsv"
)

// ourRow is what a row of our CSV knows of the causes of a late frame.
type ourRow struct {
	number                                        uint64
	busy, used, worst, longest, pause, woke, wait time.Duration
	label, job                                    string
	collections                                   uint64
	untimed                                       bool // nobody has recorded the end of the frame's own work
	sections                                      [mostSections]section
}

// mostSections is how many sections of a frame's own work, the longest, are told.
const mostSections = 2

// section is a named part of a frame's own work.
type section struct {
	name string
	d    time.Duration
}

// ours reads the rows of record.Report.Save.
func (t *table) ours() error {
	run := t.run
	run.Format = OurCSV
	var rows []ourRow
	var frames []int // the row of each interval
	t.least = t.width
	columns := map[string]string{} // of sections, with their names
	for column, i := range t.columns {
		if name, ok := strings.CutPrefix(t.head[i], framecsv.Section); ok {
			columns[column] = Clean(name)
		}
	}
	labels := map[string]string{} // each once: a part of a line would keep all of it
	label := func(column string) string {
		one, ok := labels[t.text(column)]
		if !ok {
			key := strings.Clone(t.text(column))
			one = Clean(key)
			labels[key] = one
		}
		return one
	}
	var warmUp, jumps int
	var times []float64
	follows := false // whether the row before counts
	known := true    // whether the row before has the time until this one
	for t.next() {
		if len(rows) == maxFrames {
			return errFrames
		}
		if len(rows) == 0 {
			run.Name = Clean(strings.Clone(t.text(framecsv.Application)))
		}
		rows = append(rows, ourRow{
			number: t.count(framecsv.Frame), busy: t.part(framecsv.Busy), used: t.part(framecsv.Used),
			untimed: t.text(framecsv.Busy) == framecsv.Unknown,
			worst:   t.part(framecsv.WorstCost), label: label(framecsv.WorstLabel), sections: t.sections(columns),
			longest: t.part(framecsv.WorstJobCost), job: label(framecsv.WorstJob),
			pause: t.part(framecsv.GCPause), collections: t.count(framecsv.GCCycles),
			woke: t.part(framecsv.Woke), wait: t.part(framecsv.Waited),
		})
		d, ok := t.ms(framecsv.Interval)
		first := len(rows) == 1 && rows[0].number == 1
		ok = ok && known && !first && d > 0 // a frame without one before may have its target instead
		if t.has(framecsv.FrameTime) {
			_, known = t.ms(framecsv.FrameTime)
		}
		flags := strings.Split(t.text(framecsv.Flags), "|")
		switch {
		case slices.Contains(flags, "warm-up"):
			warmUp++
			follows = false
			continue
		case slices.Contains(flags, "jump"):
			jumps++
			follows = false
			continue
		case !ok:
			continue
		}
		frames = append(frames, len(rows)-1)
		if err := run.add(d); err != nil {
			return err
		}
		t.displayed(&run.Displayed)
		at := math.NaN()
		if n := len(rows); follows && rows[n-2].number+1 == rows[n-1].number {
			at = t.clock("TimeInSeconds")
		}
		times, follows = append(times, at), true
	}
	run.compareTimes(times, "TimeInSeconds")
	if warmUp > 0 {
		run.note("%d frames of warm-up do not count", warmUp)
	}
	if jumps > 0 {
		run.note("%d frames with a jump of the clock do not count", jumps)
	}
	run.Why = func(i int, target time.Duration) string {
		at := frames[i]
		if at == 0 || rows[at].number > 0 && rows[at-1].number+1 != rows[at].number {
			return "the frame before has no record"
		}
		return rows[at].why(&rows[at-1], run.Intervals[i], target)
	}
	return t.err
}

// sections returns the longest sections of the row.
func (t *table) sections(columns map[string]string) (longest [mostSections]section) {
	for column, name := range columns {
		s := section{name, t.part(column)}
		for i := range longest {
			if l := &longest[i]; s.d > l.d || s.d == l.d && s.name < l.name {
				s, *l = *l, s
			}
		}
	}
	return longest
}

// why names the parts of the interval d that explain a quarter of its lateness. The work was done in the frame before.
func (r *ourRow) why(before *ourRow, d, target time.Duration) string {
	slice := fmt.Sprintf("slice %s", inMS(before.used))
	if before.worst > 0 && before.worst >= before.used/4 {
		slice += fmt.Sprintf(", of that %s by the task %s", inMS(before.worst), named(before.label))
	}
	if before.longest > 0 && before.longest >= before.used/4 {
		slice += fmt.Sprintf(", of that %s by the job %s", inMS(before.longest), named(before.job))
	}
	host := max(0, d-before.busy-r.wait)
	outside := "host, display or system " + inMS(host)
	if before.untimed {
		outside = "not recorded " + inMS(host) + before.within(host)
	}
	if n := before.collections + r.collections; n > 0 {
		outside += " beside a garbage collection"
	}
	pause := max(before.pause, r.pause)
	own := before.busy - before.used
	work := "the game's own work " + inMS(own) + before.within(own)
	return longestFirst(d, target, []part{
		{own, work}, {before.used, slice},
		{pause, "a garbage collection stopped the program for " + inMS(pause)},
		{r.woke, "the system woke the loop late by " + inMS(r.woke)}, {host, outside},
	})
}

// within names the sections that are a quarter of d or more.
func (r *ourRow) within(d time.Duration) (says string) {
	for i, s := range r.sections {
		if s.d > 0 && s.d >= d/4 {
			says += []string{", in the section ", ", in "}[min(i, 1)] + s.name + " " + inMS(s.d)
		}
	}
	return says
}

// A part is a part of an interval, in words.
type part struct {
	d    time.Duration
	says string
}

// longestFirst joins the parts that are long beside the lateness of d.
func longestFirst(d, target time.Duration, parts []part) string {
	slices.SortStableFunc(parts, func(a, b part) int { return int(min(max(b.d-a.d, -1), 1)) })
	var says []string
	for _, p := range parts {
		if p.d > 0 && p.d >= (d-target)/4 {
			says = append(says, p.says)
		}
	}
	return strings.Join(says, "; ")
}

func inMS(d time.Duration) string { return fmt.Sprintf("%.1f ms", d.Seconds()*1000) }

// named is a task's label without the path of its package.
func named(label string) string {
	if label == "" {
		return "without a label"
	}
	return label[strings.LastIndexByte(label, '/')+1:]
}
