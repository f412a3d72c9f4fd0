package runfile

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/frameslice/frameslice/internal/framecsv"
)

// gateRow is what a row of frametest's frames.csv knows of a late frame.
type gateRow struct {
	own, kept time.Duration
	cause     string
}

// gateColumns are those that are read.
var gateColumns = []string{
	framecsv.Application, framecsv.Own, framecsv.KeptOff, framecsv.Cause, framecsv.Void, framecsv.Counts,
}

// gate reads the frames of frametest's builds, base before head. Frames that are void do not count, as in the gate.
func (t *table) gate(only []string) ([]*Run, error) {
	var names []string
	runs := map[string]*Run{}
	rows, void := map[string][]gateRow{}, map[string]int{}
	causes := map[string]string{} // each once: a part of a line would keep all of it
	t.reads(gateColumns...)
	for n := 0; t.next(); n++ {
		if n == maxFrames {
			return nil, errFrames
		}
		name := Clean(t.text(framecsv.Application))
		run := runs[name]
		if run == nil {
			if name = strings.Clone(name); len(names) == maxNames {
				return nil, fmt.Errorf("more than %d builds", maxNames)
			}
			names = append(names, name)
			run = &Run{Name: name, Format: "frames of frametest"}
			runs[name] = run
		}
		d, ok := t.ms(framecsv.Counts)
		if t.count(framecsv.Void) > 0 {
			void[name]++
			continue
		}
		if !ok || d == 0 {
			continue
		}
		cause, ok := causes[t.text(framecsv.Cause)]
		if !ok {
			key := strings.Clone(t.text(framecsv.Cause))
			cause = Clean(key)
			causes[key] = cause
		}
		if err := run.add(d); err != nil {
			return nil, err
		}
		rows[name] = append(rows[name], gateRow{t.part(framecsv.Own), t.part(framecsv.KeptOff), cause})
	}
	if t.err != nil || len(names) == 0 {
		return []*Run{t.run}, t.err
	}
	t.n = 0
	slices.Sort(names) // base, head
	var taken []*Run
	for _, name := range names {
		run, of := runs[name], rows[name]
		if n := void[name]; n > 0 {
			run.note("%d frames are void, as only the system made them late: they do not count", n)
		}
		run.Why = func(i int, target time.Duration) string { return of[i].why(run.Intervals[i], target) }
		if wanted(name, only) {
			taken = append(taken, run)
		}
	}
	if len(taken) == 0 {
		return nil, fmt.Errorf("none of %s: the file has %s", strings.Join(only, ", "), strings.Join(names, ", "))
	}
	return taken, nil
}

func (r gateRow) why(d, target time.Duration) string {
	kept := "kept off for " + inMS(r.kept)
	if r.cause != "" {
		kept += ", " + r.cause
	}
	return longestFirst(d, target, []part{{r.own, "own work " + inMS(r.own)}, {r.kept, kept}})
}
