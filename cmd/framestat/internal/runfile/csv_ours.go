package runfile

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/frameslice/frameslice/internal/framecsv"
)

// ours reads the rows of record.Report.Save, which are of one run, or of a gate of frametest, which has a run for base
// and one for head.
func (t *table) ours(only []string) ([]*Run, error) {
	t.run.Format = OurCSV
	t.least = t.width
	var all []*ourRun
	for n := 0; t.next(); n++ {
		if n == maxFrames {
			return nil, errFrames
		}
		name := t.text(framecsv.Application)
		i := slices.IndexFunc(all, func(r *ourRun) bool { return r.name == name })
		if i < 0 {
			if i = len(all); i == maxNames {
				return nil, fmt.Errorf("more than %d builds", maxNames)
			}
			name = strings.Clone(name)
			r := &ourRun{Run: &Run{Name: Clean(name), Format: OurCSV}, name: name, left: map[string]int{}}
			r.Why = func(i int, _ time.Duration) string { return r.why[i] }
			r.why = map[int]string{}
			all = append(all, r)
		}
		all[i].take(t)
	}
	if t.err != nil || len(all) == 0 {
		return []*Run{t.run}, t.err
	}
	slices.SortFunc(all, func(a, b *ourRun) int { return strings.Compare(a.Name, b.Name) }) // base, head
	var names []string
	var taken []*Run
	for _, r := range all {
		r.compareTimes(r.times, framecsv.Time)
		for i, flag := range framecsv.LeftOut {
			if n := r.left[flag]; n > 0 && leftOut[i] != "" {
				r.note("%d frames %s do not count", n, leftOut[i])
			}
		}
		r.Notes = append(r.Notes, t.run.Notes...)
		names = append(names, r.Name)
		if len(all) == 1 || wanted(r.Name, only) {
			taken = append(taken, r.Run)
		}
	}
	if len(taken) == 0 {
		t.n = 0 // it is of no line
		return nil, fmt.Errorf("none of %s: the file has %s", strings.Join(only, ", "), strings.Join(names, ", "))
	}
	return taken, nil
}

// leftOut says why frames with a flag of framecsv.LeftOut do not count. The last goes without saying.
var leftOut = [len(framecsv.LeftOut)]string{
	"of warm-up", "with a jump of the clock", "that are late because of the system alone", "",
}

// An ourRun is a run of ours that is being read.
type ourRun struct {
	*Run
	name    string         // before it was cleaned
	left    map[string]int // frames that do not count, by flag
	why     map[int]string // by interval
	times   []float64
	number  uint64 // of the row before
	follows bool   // whether the row before counts
}

// take takes the present row.
func (r *ourRun) take(t *table) {
	number := t.count(framecsv.Frame)
	next := r.number+1 == number
	r.number = number
	flags := strings.Split(t.text(framecsv.Flags), "|")
	for _, flag := range framecsv.LeftOut {
		if slices.Contains(flags, flag) {
			r.left[flag]++
			r.follows = false
			return
		}
	}
	d, ok := t.ms(framecsv.Interval)
	if !ok || d == 0 {
		return
	}
	if says := t.text(framecsv.Why); says != "" {
		r.why[len(r.Intervals)] = Clean(strings.Clone(says))
	}
	if err := r.add(d); err != nil {
		t.err = err
	}
	t.displayed(&r.Displayed)
	at := math.NaN()
	if r.follows && next {
		at = t.clock(framecsv.Time)
	}
	r.times, r.follows = append(r.times, at), true
}
