//go:build !headless

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/frameslice/frameslice/demo/load"
	"github.com/frameslice/frameslice/demo/options"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/plot"
)

// report is what a run in a window leaves: a line for each stretch in one mode. Its JSON has the fields of load.Report, so
// that both can be read by the same programs, and the frame package's own report of each stretch beside them.
type report struct {
	Window   [2]int            `json:"window"` // pixels
	Settings settings          `json:"settings"`
	Env      frame.Environment `json:"env"`
	Modes    []result          `json:"modes"`
}

type settings struct {
	IntervalMS float64 `json:"interval_ms"`
	Load       float64 `json:"load"` // at the end: it may have been moved
	JobMS      float64 `json:"job_ms"`
	Alloc      bool    `json:"alloc"`
	Seed       uint64  `json:"seed"`
	Placement  string  `json:"placement"`
	TasksPerS  int     `json:"tasks_per_s"`
}

type result struct {
	load.Result
	TasksPerS float64       `json:"tasks_per_s"` // further tasks run, with -tasks
	Frames    *frame.Report `json:"report"`
}

func newReport(g *game) *report {
	r := &report{
		Window: [2]int{g.width, g.height},
		Env:    frame.ReadEnvironment("window"),
		Settings: settings{
			IntervalMS: millisF(g.o.Interval()), Load: g.load, JobMS: millisF(g.o.Job), Alloc: g.o.Alloc,
			Seed: g.o.Seed, Placement: g.o.Placement, TasksPerS: g.o.Tasks,
		},
	}
	for _, s := range merge(g.host.runs) {
		if s.snapshot.Totals.N > 0 {
			r.Modes = append(r.Modes, s.result(r.Env))
		}
	}
	return r
}

func (s *stretch) result(env frame.Environment) result {
	t, late := &s.snapshot.Totals, s.snapshot.Lateness
	span := s.counts.span.Seconds()
	return result{
		Frames: frame.NewReport(string(s.mode), s.snapshot, env),
		Result: load.Result{
			Mode: s.mode, Says: s.mode.Says(), Frames: int(t.N), Missed: int(t.Missed), MissedPct: t.MissedPercent(),
			P50: millisF(late.Percentile(50)), P99: millisF(late.Percentile(99)),
			P999: millisF(late.Percentile(99.9)), Max: millisF(late.Max()), Hitch: t.HitchRatio(),
			Jobs: float64(s.counts.done) / span, Offered: float64(s.counts.offered) / span,
			Dropped: float64(s.counts.dropped) / span, Allocs: float64(s.counts.allocs) / float64(t.Frames),
			GC: t.GCCycles, Seconds: span, Slices: 1 + s.parts, Warmup: int(t.WarmUp),
		},
		TasksPerS: float64(s.counts.tasks) / span,
	}
}

// merge adds up the stretches of each mode, in the order in which the modes came first.
func merge(runs []stretch) []*stretch {
	var out []*stretch
	for i := range runs {
		s := &runs[i]
		at := slices.IndexFunc(out, func(o *stretch) bool { return o.mode == s.mode })
		if at < 0 {
			out = append(out, s)
			continue
		}
		to := out[at]
		to.counts = to.counts.plus(s.counts)
		to.parts++
		add(to.snapshot, s.snapshot)
	}
	return out
}

// add adds the frames of one snapshot to another of the same target.
func add(to, from *frame.Snapshot) {
	t, f := &to.Totals, &from.Totals
	t.Frames += f.Frames
	t.WarmUp += f.WarmUp
	t.Jumps += f.Jumps
	t.Excluded += f.Excluded
	t.First += f.First
	t.JumpTime += f.JumpTime
	t.Lost += f.Lost
	t.N += f.N
	t.Time += f.Time
	t.Hitch += f.Hitch
	t.QuantizedHitch += f.QuantizedHitch
	t.Missed += f.Missed
	t.Jank += f.Jank
	for i := range t.Updates {
		t.Updates[i] += f.Updates[i]
	}
	t.Sliced += f.Sliced
	t.Overran += f.Overran
	t.Ran += f.Ran
	t.Expired += f.Expired
	t.Deferred += f.Deferred
	t.Canceled += f.Canceled
	t.Jobs += f.Jobs
	t.GCCycles += f.GCCycles
	t.GCPause += f.GCPause
	if f.WorstCost > t.WorstCost {
		t.WorstLabel, t.WorstCost = f.WorstLabel, f.WorstCost
	}
	to.Interval.Merge(from.Interval)
	to.Lateness.Merge(from.Lateness)
	to.Earliness.Merge(from.Earliness)
	to.Used.Merge(from.Used)
	to.Overrun.Merge(from.Overrun)
	to.Records = append(to.Records, from.Records...)
}

// save prints the table and writes the files that o names.
func (r *report) save(o options.Options, w io.Writer) error {
	err := r.table(w)
	last := r.Modes[len(r.Modes)-1].Frames
	for _, f := range []struct {
		path  string
		write func(io.Writer) error
	}{
		{o.JSON, r.writeJSON},
		{o.PNG, r.writePNG},
		{o.Hgrm, last.Snapshot.Interval.WriteHGRM},
	} {
		if f.path != "" {
			err = errors.Join(err, frame.WriteFile(f.path, f.write))
		}
	}
	return err
}

func (r *report) writeJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// writePNG draws the frame times of all modes.
func (r *report) writePNG(w io.Writer) error {
	var series []plot.Series
	for _, m := range r.Modes {
		series = append(series, plot.Series{Name: string(m.Mode), Intervals: m.Frames.Snapshot.Intervals()})
	}
	s := &r.Settings
	return plot.Render(w, plot.Options{
		Title:    "Frame times in a window",
		Subtitle: fmt.Sprintf("%dx%d; load %.4g, jobs of %.3g ms; %s", r.Window[0], r.Window[1], s.Load, s.JobMS, r.Env),
		Target:   time.Duration(s.IntervalMS * float64(time.Millisecond)),
	}, series...)
}

func (r *report) table(w io.Writer) error {
	fmt.Fprintf(w, "window %dx%d, held against %.4g Hz; %s\n\n", r.Window[0], r.Window[1], 1000/r.Settings.IntervalMS, r.Env)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "mode\ts\tframes\tmissed\t%\tlate p50\tp99\tp99.9\tmax ms\thitch ms/s\tjobs/s\ttasks/s\tGC\t")
	for _, m := range r.Modes {
		fmt.Fprintf(t, "%s\t%.1f\t%d\t%d\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.0f\t%.0f\t%d\t\n", m.Mode, m.Seconds,
			m.Result.Frames, m.Missed, m.MissedPct, m.P50, m.P99, m.P999, m.Max, m.Hitch, m.Jobs, m.TasksPerS, m.GC)
	}
	return t.Flush()
}

// counters only grow; the difference of two of them is what a stretch has.
type counters struct {
	at                     time.Time
	offered, dropped, done uint64
	tasks, mallocs         uint64
}

// tally is what happened in a stretch.
type tally struct {
	span                   time.Duration
	offered, dropped, done uint64
	tasks, allocs          uint64
}

// plus adds two tallies.
func (t tally) plus(u tally) tally {
	return tally{t.span + u.span, t.offered + u.offered, t.dropped + u.dropped, t.done + u.done, t.tasks + u.tasks,
		t.allocs + u.allocs}
}

// since returns what has happened since begin.
func (c counters) since(begin counters) tally {
	return tally{
		span: c.at.Sub(begin.at), offered: c.offered - begin.offered, dropped: c.dropped - begin.dropped,
		done: c.done - begin.done, tasks: c.tasks - begin.tasks, allocs: c.mallocs - begin.mallocs,
	}
}
