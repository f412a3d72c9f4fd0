//go:build !headless

package main

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/demo/load"
	"github.com/frameslice/frameslice/demo/play"
)

// rates turns counters into figures per second, read twice a second: faster than that they cannot be read.
type rates struct {
	at                       deadline.Instant
	jobs                     load.Counts
	tasks                    uint64
	game, used, budget, kept smooth
}

// smooth is a duration that follows its input with the lag of some ten frames.
type smooth struct{ v float64 }

func (s *smooth) follow(d time.Duration) time.Duration {
	s.v += (float64(d) - s.v) * 0.1
	return time.Duration(s.v)
}

// gather fills in the readout. It is called once a frame, in Draw, and sees the frame before.
func (g *game) gather() {
	now := g.frameAt
	r, d := &g.rates, &g.out
	h := g.host
	g.history.Ingest(h.loop.Recorder(), g.probe.TakeWork())
	g.activity.Look(&g.probe, now)

	if span := now.Sub(r.at).Seconds(); span >= 0.5 {
		jobs := g.offer.Counts.Minus(r.jobs)
		d.offered, d.done = float64(jobs.Due)/span, float64(jobs.Finished)/span
		d.dropped, d.tasks = float64(jobs.Dropped)/span, float64(g.errands.Ran-r.tasks)/span
		r.at, r.jobs, r.tasks = now, g.offer.Counts, g.errands.Ran
	}
	last, work := &g.history.Prev, g.history.PrevWork
	d.game = r.game.follow(play.GamePart(last) - work.Sum)
	if d.hasSlice {
		d.used, d.budget = r.used.follow(last.Used()), r.budget.follow(last.Budget())
		kept := last.Start.Add(h.interval()).Sub(last.SliceDeadline)
		d.reserve = r.kept.follow(min(max(kept, 0), h.interval()))
		d.ready = h.loop.Scheduler().Stats().Ready
	} else {
		d.used, d.budget, d.reserve = r.used.follow(work.Sum), 0, 0
		clear(d.ready[:])
	}
	for i := range d.jobs {
		d.jobs[i] = g.probe.Waiting(i)
	}
	d.running = g.probe.Running()
	d.load, d.paused = g.load, g.paused
	d.toastK = min(max(float32(g.input.toastUntil-g.clock)*2, 0), 1)
}

// toast shows a message for some seconds.
func (g *game) toast(s string, bad bool) {
	g.out.toast, g.out.bad = s, bad
	g.input.toastUntil = g.clock + 5
}
