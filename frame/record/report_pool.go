package record

import (
	"fmt"

	"github.com/frameslice/frameslice/workers"
)

// PoolReport is the part of a Report about the pool: what happened in it while frames were counted, in those too that
// the statistics leave out.
type PoolReport struct {
	Workers    int `json:"workers"`    // ordinary ones, at the end
	Background int `json:"background"` // background ones

	Run         uint64 `json:"run"`           // jobs that workers ran
	Stolen      uint64 `json:"stolen"`        // of them: taken from another worker
	RanByCaller uint64 `json:"ran_by_caller"` // jobs that ran elsewhere: in slices, in Wait, in Close
	Parked      uint64 `json:"parked"`        // times that a worker went to sleep
	Woken       uint64 `json:"woken"`         // times that somebody woke one
}

// readPool returns what a pool has counted; nil is a pool in which nothing happens.
func readPool(p *workers.Pool) PoolReport {
	if p == nil {
		return PoolReport{}
	}
	var s workers.Stats
	p.Stats(&s)
	return PoolReport{s.Workers, s.Background, s.Run, s.Stolen, s.RanByCaller, s.Parked, s.Woken}
}

// since returns what has come since before. Of a pool that has closed meanwhile it tells how many workers there were.
func (p PoolReport) since(before PoolReport) PoolReport {
	if p.Workers+p.Background == 0 {
		p.Workers, p.Background = before.Workers, before.Background
	}
	return PoolReport{
		p.Workers, p.Background, p.Run - before.Run, p.Stolen - before.Stolen, p.RanByCaller - before.RanByCaller,
		p.Parked - before.Parked, p.Woken - before.Woken,
	}
}

// plus returns both together.
func (p PoolReport) plus(o PoolReport) PoolReport {
	return PoolReport{
		max(p.Workers, o.Workers), max(p.Background, o.Background), p.Run + o.Run, p.Stolen + o.Stolen,
		p.RanByCaller + o.RanByCaller, p.Parked + o.Parked, p.Woken + o.Woken,
	}
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
	row := func(label string, n uint64) {
		t.line("  %-34s %14s %10.3f", label, thousands(n), float64(n)/float64(max(r.Run.Frames, 1)))
	}
	row("jobs run by workers", p.Run)
	row("of them stolen", p.Stolen)
	row("jobs run by callers", p.RanByCaller)
	row("parks", p.Parked)
	row("wakes", p.Woken)
}
