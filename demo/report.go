//go:build !headless

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/frameslice/frameslice/demo/load"
	"github.com/frameslice/frameslice/demo/options"
	"github.com/frameslice/frameslice/demo/play"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/workers"
)

// report is what a run in a window leaves: package load's report, made of the frames that the loop around
// the game has recorded, so that figures, table and verdict are the same with a window and without; and
// what only a window has.
type report struct {
	load.Report
	Window    [2]int `json:"window"`    // pixels
	Placement string `json:"placement"` // of the slice, in the last mode that had one; "none" if none had
}

func newReport(g *game) *report {
	c := g.config().WithDefaults()
	runs := g.host.runs
	wait := waitOf(runs)
	r := &report{Window: [2]int{g.width, g.height}, Placement: "none"}
	switch g.host.placed {
	case frame.PlaceAfterDraw:
		r.Placement = "after draw"
	case frame.PlaceShadow:
		r.Placement = "shadow"
	}
	r.Env = record.ReadEnvironment("window, " + string(wait))
	r.Settings = load.Settings{
		WarmupMS: play.Millis64(warmUp), IntervalMS: play.Millis64(g.host.interval()),
		Wait: string(wait), Boids: len(g.world.Crowd.X),
		Load: c.Load, Offered: g.offer.Rate(c.Load), MaxPending: g.offer.Limit(c.Load),
		Alloc: c.Alloc, Seed: c.Seed,
		JobMS: play.Millis64(c.Job), JobRealMS: play.Millis64(c.Job), StepMS: play.Millis64(g.probe.Fork()),
	}
	r.Slices = [2]int{len(runs), len(runs)}
	if k := g.contest; k != nil {
		r.Partial, r.Slices = k.k < len(k.plan), [2]int{min(k.k, len(k.plan)), len(k.plan)}
		r.Settings.SliceS = k.turn.Seconds()
	} else {
		r.Partial = g.o.Duration > 0 && g.frameAt.Sub(g.begun) < g.o.Duration
	}
	var own record.Intervals
	for _, mode := range modesOf(runs) {
		own = append(own, r.add(g, mode, runs)...)
	}
	if len(r.Modes) == 0 { // ended within the first warm-up
		m := g.host.mode
		r.Partial = true
		r.Modes = []load.Result{{Mode: m, Says: m.Says()}}
	}
	r.Settings.OwnRealMS = play.Millis64(own.Percentile(50))
	r.Settings.OwnMS = r.Settings.OwnRealMS
	r.Settings.StepMS = min(r.Settings.StepMS, r.Settings.OwnRealMS) // a mean, which hitches are in, and a median
	for _, m := range r.Modes {
		r.Settings.DurationS = max(r.Settings.DurationS, m.Seconds)
	}
	r.Judge()
	return r
}

// empty reports whether no frame has been measured.
func (r *report) empty() bool { return len(r.Loops) == 0 }

// waitOf is what paced the frames: the swap, if it did in all stretches, else the loop.
func waitOf(runs []stretch) load.Wait {
	for i := range runs {
		if !runs[i].paced {
			return load.WaitPacer
		}
	}
	return load.WaitSwap
}

// modesOf returns the modes that were run, in the order in which they came first; in a comparison in that
// of the table.
func modesOf(runs []stretch) []load.Mode {
	var out []load.Mode
	for i := range runs {
		if m := runs[i].mode; !slices.Contains(out, m) && len(runs[i].snapshot.Intervals()) > 0 {
			out = append(out, m)
		}
	}
	all := load.AllModes()
	slices.SortFunc(out, func(a, b load.Mode) int { return slices.Index(all, a) - slices.Index(all, b) })
	return out
}

// add adds the figures of all stretches of a mode, and returns how long the game's own part of each frame
// took.
func (r *report) add(g *game, mode load.Mode, runs []stretch) (own record.Intervals) {
	var parts []record.Intervals
	var busy record.Intervals
	var sum tally
	var woke, ran, warm int
	var all *record.Snapshot // of all turns: the first one's, to which the others are added
	var kept []workers.Run
	var dropped uint64
	env := r.Env
	var jumps int
	var jumpTime time.Duration
	for i := range runs {
		s := &runs[i]
		d := s.snapshot.Intervals()
		if s.mode != mode || len(d) == 0 {
			continue
		}
		env.GOMAXPROCS = s.procs
		if all == nil {
			all = s.snapshot
		} else {
			all.Merge(s.snapshot)
		}
		parts = append(parts, d)
		kept, dropped = append(kept, s.runs...), dropped+s.dropped
		sum = sum.plus(s.counts)
		jumps += int(s.snapshot.Totals.Jumps)
		jumpTime += s.snapshot.Totals.JumpTime
		warm += s.warm
		w, k := late(s.snapshot, g.host.interval())
		woke, ran = woke+w, ran+k
		for k := range s.snapshot.Records {
			if s.snapshot.Records[k].Flags&record.Sliced == 0 {
				continue // the frame in which the mode was left
			}
			own = append(own, gamePart(&s.snapshot.Records[k]))
			busy = append(busy, s.snapshot.Records[k].Busy())
		}
	}
	m := load.Measured(mode, parts, g.host.interval())
	span := sum.span.Seconds()
	m.Count(sum.jobs, sum.used, span)
	m.Procs = env.GOMAXPROCS
	m.Jumps, m.JumpS = jumps, jumpTime.Seconds()
	m.WokeLate, m.RanLong, m.Warmup, m.BusyP99 = woke, ran, warm, play.Millis64(busy.Percentile(99))
	if mode == load.Inline || mode == load.InlineBudget {
		own = nil // their jobs run inside the game's part, and nothing tells the two apart afterwards
	}
	m.OwnP50, m.OwnP99 = play.Millis64(own.Percentile(50)), play.Millis64(own.Percentile(99))
	r.Modes = append(r.Modes, m)
	frames := record.NewReport(string(mode), all, env)
	frames.AddWork(nil, &workers.Insight{Runs: kept, RunsDropped: dropped})
	r.Loops = append(r.Loops, load.Loop{Mode: mode, TasksPerS: float64(sum.tasks) / span, Report: frames})
	return own
}

// late counts the frames that were late by more than a millisecond as the wait for the refresh ended late, and those
// before which the one before was still busy.
func late(s *record.Snapshot, target time.Duration) (woke, ran int) {
	for i := range s.Records {
		switch r := &s.Records[i]; {
		case i == 0 || r.Flags&s.Exclude != 0 || r.Interval <= target+load.LateBeyond:
		case s.Records[i-1].Busy() > target:
			ran++
		default:
			woke++
		}
	}
	return woke, ran
}

// save prints the table and writes the files that o names.
func (r *report) save(o options.Options, w io.Writer) error {
	var err error
	if o.JSON != "" {
		err = record.WriteFile(o.JSON, r.writeJSON)
	}
	var text bytes.Buffer
	err = errors.Join(err, r.Save(load.Config{
		PNG: o.PNG, HGRM: o.Hgrm, Record: o.Record, Verbose: o.Verbose, Out: &text,
	}))
	fmt.Fprint(w, &text)
	if o.Verbose {
		fmt.Fprintf(w, "window %dx%d, slice placed: %s\n", r.Window[0], r.Window[1], r.Placement)
	}
	for _, l := range r.Loops {
		if o.Tasks > 0 {
			fmt.Fprintf(w, "%s ran %.0f of %d further tasks a second, 0.5 ms each\n",
				l.Mode, l.TasksPerS, o.Tasks)
		}
	}
	return err
}

func (r *report) writeJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// tally is what happened in a stretch.
type tally struct {
	span  time.Duration
	jobs  load.Counts
	tasks uint64
	used  load.Usage
}

// plus adds two tallies.
func (t tally) plus(u tally) tally {
	return tally{t.span + u.span, t.jobs.Plus(u.jobs), t.tasks + u.tasks, t.used.Plus(u.used)}
}

// minus returns what has happened since begin.
func (t tally) minus(begin tally) tally {
	return tally{t.span - begin.span, t.jobs.Minus(begin.jobs), t.tasks - begin.tasks, t.used.Minus(begin.used)}
}

// gamePart is the time from a frame's start until the game had drawn, jobs that ran in between included.
func gamePart(r *record.Record) time.Duration {
	if r.Flags&record.Sliced != 0 {
		return max(0, r.SliceBegin.Sub(r.Start))
	}
	return r.Busy()
}
