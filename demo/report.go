//go:build !headless

package main

import (
	"github.com/frameslice/frameslice/demo/load"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/words"
)

// newReport returns package load's report of a run in the window, so that figures and table are the same with a window
// and without.
func newReport(g *game) *load.Report {
	c := g.o.Config().WithDefaults()
	wait := "swap" // the engine's swap of buffers blocks until the refresh
	if g.host.unpaced {
		wait = "loop pacer" // nothing blocks, and the loop around the game waits
	}
	r := &load.Report{Env: record.ReadEnvironment("window, " + wait)}
	r.Settings = load.Settings{
		IntervalMS: words.Millis(g.host.interval()), Wait: wait, Load: c.Load, Offered: g.offer.Rate(c.Load),
		JobMS: words.Millis(c.Job),
	}
	r.Slices = [2]int{g.host.stretches, g.host.stretches}
	if k := g.contest; k != nil {
		r.Partial, r.Slices = k.k < len(k.plan), [2]int{min(k.k, len(k.plan)), len(k.plan)}
		r.Settings.SliceS = k.turn.Seconds()
	} else {
		r.Partial = g.o.Duration > 0 && g.frameAt.Sub(g.begun) < g.o.Duration
	}
	for _, mode := range load.AllModes() {
		if f := g.host.figures[mode]; f != nil && f.Frames() {
			r.Add(f, g.host.interval())
		}
	}
	if len(r.Modes) == 0 { // ended within the first warm-up
		m := g.host.mode
		r.Partial = true
		r.Modes = []load.Result{{Mode: m, Says: m.Says()}}
	}
	for _, m := range r.Modes {
		r.Settings.DurationS = max(r.Settings.DurationS, m.Seconds)
	}
	return r
}
