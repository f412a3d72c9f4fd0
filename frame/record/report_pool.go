package record

import (
	"fmt"
	"reflect"

	"github.com/frameslice/frameslice/workers"
)

// PoolReport is about the pool, while frames were recorded. Callers ran jobs in slices, in Wait and in Close.
type PoolReport struct {
	Workers    int `json:"workers"`
	Background int `json:"background"`

	Run         uint64 `json:"run" text:"jobs run by workers"`
	Stolen      uint64 `json:"stolen" text:"of them stolen"`
	RanByCaller uint64 `json:"ran_by_caller" text:"jobs run by callers"`
	Parked      uint64 `json:"parked" text:"parks"`
	Woken       uint64 `json:"woken" text:"wakes"`
}

// readPool returns the counts of a pool; nil is a pool in which nothing happens.
func readPool(p *workers.Pool) PoolReport {
	if p == nil {
		return PoolReport{}
	}
	var s workers.Stats
	p.Stats(&s)
	return PoolReport{s.Workers, s.Background, s.Run, s.Stolen, s.RanByCaller, s.Parked, s.Woken}
}

// pool writes the pool's figures, if there are any.
func (t *textTable) pool(r *Report) {
	if p := r.Pool; p != nil {
		title := fmt.Sprintf("pool: %d workers, %d background", p.Workers, p.Background)
		t.counts(title, reflect.ValueOf(*p), r.Run.Frames)
	}
}

// counts writes a table of the counters of a struct: the fields that have a text.
func (t *textTable) counts(title string, counters reflect.Value, frames uint64) {
	t.line("")
	t.line("  %-34s %14s %10s", title, "total", "per frame")
	for field, v := range counters.Fields() {
		label, ok := field.Tag.Lookup("text")
		switch {
		case !ok:
		case v.Kind() == reflect.Uint64:
			t.line("  %-34s %14s %10.3f", label, thousands(v.Uint()), float64(v.Uint())/float64(max(frames, 1)))
		default:
			ms := float64(v.Int()) / 1e6
			t.line("  %-34s %14.3f %10.3f", label, ms, ms/float64(max(frames, 1)))
		}
	}
}
