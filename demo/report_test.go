//go:build !headless

package main

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/demo/load"
	"github.com/frameslice/frameslice/frame/record"
)

// turnOf is one turn of 100 Hz: intervals in milliseconds, of which each frame's own work takes 2, the slice 1 more,
// but for the frame before a late one, which is busy for 15.
func turnOf(n uint64, intervals ...time.Duration) load.Stretch {
	rec := record.New(record.Options{Target: 10 * time.Millisecond, WarmUp: -1})
	start := deadline.Instant(1)
	for i, d := range intervals {
		start = start.Add(d * time.Millisecond)
		r := record.Record{
			Number: uint64(i + 1), Start: start, Interval: d * time.Millisecond, Flags: record.Sliced,
			SliceBegin: start.Add(2 * time.Millisecond), SliceEnd: start.Add(3 * time.Millisecond),
		}
		if i+1 < len(intervals) && intervals[i+1] == 20 {
			r.SliceEnd = start.Add(15 * time.Millisecond)
		}
		rec.Add(r)
	}
	return load.Stretch{
		Frames: rec.Snapshot(), Warmup: 4, Span: time.Second, Tasks: 7 * n,
		Jobs: load.Counts{Due: 50 * int64(n), Dropped: 20 * int64(n), Finished: 30 * int64(n)},
		Used: load.Usage{Allocs: 12 * n, Bytes: 240 * n, GCs: 2 * n, CPU: time.Duration(n) * time.Second / 2,
			Machine: load.MachineTime{
				Used: time.Duration(n) * time.Second, Stolen: time.Duration(6*n) * time.Millisecond,
			}},
	}
}

func TestEveryFigureOfAModeInTheWindow(t *testing.T) {
	const target = 10 * time.Millisecond
	var r report
	f := load.NewFigures(load.Workers, gamePart(load.Workers))
	f.Add(turnOf(1, 0, 10, 10, 20, 10), target)
	f.Add(turnOf(3, 0, 10, 30), target)
	r.Add(f, target)
	own := f.Own()
	m, l := r.Modes[0], r.Loops[0]
	type figures struct {
		frames, missed, slices, warm, woke, ran       int
		gc                                            uint64
		p50, p99, most, own50, own99, busy            float64
		jobs, offered, dropped, cores, others, stolen float64
		allocs, bytes, seconds, tasks                 float64
	}
	got := figures{
		m.Frames, m.Missed, m.Slices, m.Warmup, m.WokeLate, m.RanLong, m.GC, m.P50, m.P99, m.Max, m.OwnP50, m.OwnP99,
		m.BusyP99, m.Jobs, m.Offered, m.Dropped, m.Cores, m.Others, m.Stolen, m.Allocs, m.Bytes, m.Seconds, l.TasksPerS,
	}
	// Six intervals, 10 10 20 10 and 10 30: one late as the frame before was busy, one for no such reason. The counts
	// are of two seconds.
	want := figures{
		6, 3, 2, 8, 1, 1, 8, 0, 20, 20, 2, 2, 15, 60, 100, 40, 1, 1, 12, 8, 160, 0.09, 14,
	}
	if got != want {
		t.Errorf("\n%+v, want\n%+v", got, want)
	}
	if len(own) != 8 || l.Mode != load.Workers || l.Report.Name != "workers" || l.Report.Run.N != 6 {
		t.Errorf("%d own parts; %s: %q of %d intervals, want both turns'", len(own), l.Mode, l.Report.Name,
			l.Report.Run.N)
	}
	// In the inline mode jobs run within the game's part, and nothing tells the two apart.
	f = load.NewFigures(load.Inline, gamePart(load.Inline))
	f.Add(turnOf(1, 0, 10, 10), target)
	if r.Add(f, target); len(f.Own()) != 0 || r.Modes[1].OwnP50 != 0 || r.Modes[1].BusyP99 != 3 {
		t.Errorf("the own work of the inline mode is said to be %v, busy are %v", r.Modes[1].OwnP50, r.Modes[1].BusyP99)
	}
}
