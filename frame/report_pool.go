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

	// PerFrame are the five counts divided by all frames of the report (Totals.Frames), those too that the statistics
	// leave out: their jobs are among the counts.
	PerFrame PoolRates `json:"per_frame"`
}

// PoolRates are the counts of a PoolReport, in each frame on average. In JSON they have the counts' names.
type PoolRates struct {
	Run         float64 `json:"run"`
	Stolen      float64 `json:"stolen"`
	RanByCaller float64 `json:"ran_by_caller"`
	Parked      float64 `json:"parked"`
	Woken       float64 `json:"woken"`
}

// AddPool adds to the report what Pool.Stats told before and after the run: the differences, and those in each frame.
// So read before when the Recorder begins (New, Recorder.Reset), and after when the Snapshot is taken: then the frames
// are those in which it was counted, with the warm-up, which the statistics leave out. It panics if after has a count
// that is less than before's: then they are the wrong way round, or of two pools.
func (r *Report) AddPool(before, after *workers.Stats) {
	if before == nil || after == nil {
		panic("frame: AddPool with nil Stats")
	}
	if after.Run < before.Run || after.Stolen < before.Stolen || after.RanByCaller < before.RanByCaller ||
		after.Parked < before.Parked || after.Woken < before.Woken {
		panic("frame: AddPool with Stats before that are later than those after, or of another pool")
	}
	p := &PoolReport{
		Workers: after.Workers, Background: after.Background, Run: after.Run - before.Run,
		Stolen: after.Stolen - before.Stolen, RanByCaller: after.RanByCaller - before.RanByCaller,
		Parked: after.Parked - before.Parked, Woken: after.Woken - before.Woken,
	}
	if n := float64(r.Run.Frames); n > 0 {
		p.PerFrame = PoolRates{
			float64(p.Run) / n, float64(p.Stolen) / n, float64(p.RanByCaller) / n, float64(p.Parked) / n,
			float64(p.Woken) / n,
		}
	}
	r.Pool = p
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
	row := func(label string, n uint64, perFrame float64) {
		t.line("  %-34s %14s %10.3f", label, thousands(n), perFrame)
	}
	row("jobs run by workers", p.Run, p.PerFrame.Run)
	row("of them stolen", p.Stolen, p.PerFrame.Stolen)
	row("jobs run by callers", p.RanByCaller, p.PerFrame.RanByCaller)
	row("parks", p.Parked, p.PerFrame.Parked)
	row("wakes", p.Woken, p.PerFrame.Woken)
}
