package live

import (
	"cmp"
	"slices"
	"time"

	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/hist"
	"github.com/frameslice/frameslice/internal/words"
)

// maxCosts is how many kinds are listed.
const maxCosts = 8

// A costState is what a section, or a kind of task, took in the latest frames.
type costState struct {
	Of   string `json:"of"` // section or task
	Name string `json:"name"`
	Rate millis `json:"ms_per_s"`
	Max  millis `json:"max_ms"` // in one frame
}

// costs returns the costliest sections and kinds of tasks. A section is without the sections within. A record has only
// the most expensive task of its slice. Time that the system took for sure is left out.
func costs(records []record.Record) []costState {
	type kind struct{ of, name string }
	all := map[kind]*costState{}
	add := func(of, name string, d time.Duration) {
		k := kind{of, name}
		if all[k] == nil {
			all[k] = &costState{Of: of, Name: name}
		}
		all[k].Rate += ms(d)
		all[k].Max = max(all[k].Max, ms(d))
	}
	span := time.Duration(0)
	for i := range records {
		r := &records[i]
		span += r.Interval
		for _, s := range r.Sections {
			add("section", s.Name, s.Own-r.OfSection(&s).Time)
		}
		if r.WorstCost > 0 {
			add("task", words.Short(r.WorstLabel), r.WorstCost-r.OfWorst().Time)
		}
		if r.WorstJobCost > 0 {
			add("job", words.Short(r.WorstJob), r.WorstJobCost-r.OfJob().Time)
		}
	}
	list := []costState{}
	if span <= 0 {
		return list
	}
	for _, one := range all {
		one.Rate /= millis(span.Seconds())
		list = append(list, *one)
	}
	slices.SortFunc(list, func(a, b costState) int {
		return cmp.Or(cmp.Compare(b.Rate, a.Rate), cmp.Compare(a.Name, b.Name))
	})
	return list[:min(len(list), maxCosts)]
}

// A latencyState is how old the input in the latest frames was.
type latencyState struct {
	P50 millis `json:"p50_ms"`
	P99 millis `json:"p99_ms"`
	Max millis `json:"max_ms"`
}

// latency returns the times from the input to the frame handed over, or to its display; or nil if none is known.
func latency(records []record.Record, displayed bool) *latencyState {
	var all []time.Duration
	for i := range records {
		r := &records[i]
		at := r.HandedOver
		if displayed {
			at = r.Shown
		}
		if d, ok := r.Latency(at); ok {
			all = append(all, d)
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.Sort(all)
	return &latencyState{ms(hist.At(all, 0.5)), ms(hist.At(all, 0.99)), ms(hist.At(all, 1))}
}
