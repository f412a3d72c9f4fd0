//go:build !headless

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/frameslice/frameslice/demo/load"
	"github.com/frameslice/frameslice/demo/options"
	"github.com/frameslice/frameslice/demo/play"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
)

// report is what a run in a window leaves: package load's report, and what only a window has. So figures, table and
// verdict are the same with a window and without.
type report struct {
	load.Report
	Window    [2]int `json:"window"`    // pixels
	Placement string `json:"placement"` // of the slice, in the last mode that had one; "none" if none had
}

func newReport(g *game) *report {
	c := g.o.Config().WithDefaults()
	wait := g.host.waitOf()
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
	r.Slices = [2]int{g.host.stretches, g.host.stretches}
	if k := g.contest; k != nil {
		r.Partial, r.Slices = k.k < len(k.plan), [2]int{min(k.k, len(k.plan)), len(k.plan)}
		r.Settings.SliceS = k.turn.Seconds()
	} else {
		r.Partial = g.o.Duration > 0 && g.frameAt.Sub(g.begun) < g.o.Duration
	}
	var own record.Intervals
	for _, mode := range load.AllModes() {
		if f := g.host.figures[mode]; f != nil && f.Frames() {
			r.Add(f, g.host.interval())
			own = append(own, f.Own()...)
		}
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
func (h *host) waitOf() load.Wait {
	if h.unpaced {
		return load.WaitPacer
	}
	return load.WaitSwap
}

// save prints the table and writes the files that o names.
func (r *report) save(o options.Options, w io.Writer) error {
	var err error
	if o.JSON != "" {
		err = record.WriteFile(o.JSON, r.writeJSON)
	}
	var text bytes.Buffer
	err = errors.Join(err, r.Save(load.Config{
		CSV: o.CSV, PNG: o.PNG, HGRM: o.Hgrm, Record: o.Record, Verbose: o.Verbose, Out: &text,
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

// gamePart returns what is the game's own work in a record of a mode: the time from the frame's start until the game
// had drawn. Frames that were left in their middle do not count. In the inline modes jobs run inside the game's part,
// and nothing tells the two apart.
func gamePart(mode load.Mode) load.OwnWork {
	return func(r *record.Record) (time.Duration, bool) {
		if mode == load.Inline || mode == load.InlineBudget {
			return -1, r.Flags&record.Sliced != 0
		}
		return max(0, r.SliceBegin.Sub(r.Start)), r.Flags&record.Sliced != 0
	}
}
