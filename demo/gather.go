//go:build !headless

package main

import (
	"time"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/demo/load"
	"github.com/frameslice/frameslice/demo/play"
)

// readout is what the panels of the demo show, gathered once a frame on the frame goroutine.
type readout struct {
	mode   string // name, and how it runs a job
	says   string
	paused bool
	toast  play.Message // passes by; zero for none
	toastK float32      // its opacity

	load    float64 // what the slider stands at
	maxLoad float64
	offered float64 // jobs a second
	done    float64
	dropped float64
	cores   int
	waiting int // jobs that have not begun
	running int

	status   string // of a comparison: which slice of how many
	pointed  bool   // the pointer is on the slider
	dragging bool
}

// rates turns counters into figures per second, read twice a second: faster than that they cannot be read.
type rates struct {
	at   deadline.Instant
	jobs load.Counts
}

// newLevel starts what the game has in the scheduler of each loop.
func (g *game) newLevel(loop *frameslice.Loop) *play.Level {
	v := play.NewLevel(loop, g.count, g.toast, g.timers...)
	if g.paused {
		v.Valley.Pause()
	}
	g.news.Store(v.News)
	return v
}

// count reads the figures per second.
func (g *game) count() {
	r, d := &g.rates, &g.out
	span := max(g.frameAt.Sub(r.at).Seconds(), 0.1)
	jobs := g.offer.Counts.Minus(r.jobs)
	d.offered, d.done = float64(jobs.Due)/span, float64(jobs.Finished)/span
	d.dropped = float64(jobs.Dropped) / span
	r.at, r.jobs = g.frameAt, g.offer.Counts
}

// gather fills in the readout. It is called once a frame, in Draw, and sees the frame before.
func (g *game) gather() {
	d := &g.out
	g.host.level.Figures.Call()
	d.waiting, d.running = g.probe.Waiting(), g.probe.Running()
	d.load, d.paused = g.load, g.paused
	d.toastK = min(max(float32(g.toastUntil.Sub(g.frameAt).Seconds())*2, 0), 1)
}

// tell has a message shown, unless a newer one of the same sender comes first. Any goroutine.
func (g *game) tell(sender string, m play.Message) {
	_ = g.news.Load().Post(sender, m) // when the game ends, nobody reads it
}

// toast shows a message for some seconds.
func (g *game) toast(m play.Message) {
	g.out.toast = m
	g.toastUntil = g.frameAt.Add(5 * time.Second)
}
