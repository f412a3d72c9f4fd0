package frame

import (
	"fmt"

	"github.com/frameslice/frameslice/workers"
)

// PoolReport is the part of a Report about the pool: what happened in it between two looks.
type PoolReport struct {
	Workers    int `json:"workers"`    // ordinary ones, at the second look
	Background int `json:"background"` // background ones

	Run         uint64 `json:"run"`           // jobs that workers ran
	Stolen      uint64 `json:"stolen"`        // of them: taken from another worker
	RanByCaller uint64 `json:"ran_by_caller"` // jobs that ran elsewhere: in slices, in Wait, in Close
	Parked      uint64 `json:"parked"`        // times that a worker went to sleep
	Woken       uint64 `json:"woken"`         // times that somebody woke one

	// PerFrame are the five counts divided by the frames of the report that count, in the same order.
	PerFrame [5]float64 `json:"per_frame"`
}

// AddPool adds to the report what Pool.Stats told before and after the run: the differences, which include a warm-up
// that the frames leave out unless before was read when it was over.
func (r *Report) AddPool(before, after *workers.Stats) {
	p := &PoolReport{
		Workers: after.Workers, Background: after.Background, Run: after.Run - before.Run,
		Stolen: after.Stolen - before.Stolen, RanByCaller: after.RanByCaller - before.RanByCaller,
		Parked: after.Parked - before.Parked, Woken: after.Woken - before.Woken,
	}
	if n := float64(r.Run.N); n > 0 {
		for i, x := range p.counts() {
			p.PerFrame[i] = float64(x) / n
		}
	}
	r.Pool = p
}

func (p *PoolReport) counts() [5]uint64 {
	return [5]uint64{p.Run, p.Stolen, p.RanByCaller, p.Parked, p.Woken}
}

// pool writes the pool's figures, if there are any.
func (t *textTable) pool(r *Report) {
	p := r.Pool
	if p == nil {
		return
	}
	t.line("")
	t.line("  %-34s %14s %10s", fmt.Sprintf("pool: %d workers, %d background", p.Workers, p.Background), "total",
		"per frame")
	for i, label := range [5]string{
		"jobs run by workers", "of them stolen", "jobs run by callers", "parks", "wakes",
	} {
		t.line("  %-34s %14s %10.3f", label, thousands(p.counts()[i]), p.PerFrame[i])
	}
}
