package runfile

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/frameslice/frameslice/internal/framecsv"
	"github.com/frameslice/frameslice/internal/words"
)

// ours reads the rows of record.Report.Save.
func (t *table) ours() error {
	run := t.run
	run.Format = OurCSV
	t.least = t.width
	why := map[int]string{} // by interval
	var rows, warmUp, jumps int
	var before uint64 // the number of the row before
	var times []float64
	follows := false // whether the row before counts
	known := true    // whether the row before has the time until this one
	for ; t.next(); rows++ {
		if rows == maxFrames {
			return errFrames
		}
		if rows == 0 {
			run.Name = Clean(strings.Clone(t.text(framecsv.Application)))
		}
		number := t.count(framecsv.Frame)
		next := before+1 == number
		before = number
		d, ok := t.ms(framecsv.Interval)
		first := rows == 0 && number == 1
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
		if says := t.text(framecsv.Why); says != "" {
			why[len(run.Intervals)] = Clean(strings.Clone(says))
		}
		if err := run.add(d); err != nil {
			return err
		}
		t.displayed(&run.Displayed)
		at := math.NaN()
		if follows && next {
			at = t.clock(framecsv.Time)
		}
		times, follows = append(times, at), true
	}
	run.compareTimes(times, framecsv.Time)
	if warmUp > 0 {
		run.note("%d frames of warm-up do not count", warmUp)
	}
	if jumps > 0 {
		run.note("%d frames with a jump of the clock do not count", jumps)
	}
	run.Why = func(i int, _ time.Duration) string { return why[i] }
	return t.err
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

func inMS(d time.Duration) string { return words.MS(d, 1) + " ms" }
