//go:build !headless

package main

import (
	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/demo/load"
)

// rates turns counters into figures per second, read twice a second: faster than that they cannot be read.
type rates struct {
	at   deadline.Instant
	jobs load.Counts
}

// gather fills in the readout. It is called once a frame, in Draw, and sees the frame before.
func (g *game) gather() {
	now := g.frameAt
	r, d := &g.rates, &g.out
	if span := now.Sub(r.at).Seconds(); span >= 0.5 {
		jobs := g.offer.Counts.Minus(r.jobs)
		d.offered, d.done = float64(jobs.Due)/span, float64(jobs.Finished)/span
		d.dropped = float64(jobs.Dropped) / span
		r.at, r.jobs = now, g.offer.Counts
	}
	d.waiting, d.running = g.probe.Waiting(), g.probe.Running()
	d.load, d.paused = g.load, g.paused
	d.toastK = min(max(float32(g.input.toastUntil-g.clock)*2, 0), 1)
}

// toast shows a message for some seconds.
func (g *game) toast(s string, bad bool) {
	g.out.toast, g.out.bad = s, bad
	g.input.toastUntil = g.clock + 5
}
