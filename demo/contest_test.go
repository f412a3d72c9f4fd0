//go:build !headless

package main

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/demo/cli"
	"github.com/frameslice/frameslice/demo/load"
	"github.com/frameslice/frameslice/demo/play"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/workers"
)

func contestOf(modes []load.Mode) load.Config {
	return load.Config{Modes: modes, Duration: 3 * time.Second}.WithDefaults()
}

// A turn is as long for a mode whose frames are slow, however far the world moves in one.
func TestTurnsOfSlowFramesAreAsLong(t *testing.T) {
	modes := []load.Mode{load.Idle, load.Goroutines}
	g := &game{host: &host{counting: true}, contest: newContest(contestOf(modes))}
	g.host.want = g.contest.plan[0]
	g.gap, g.dt = 500*time.Millisecond, 100*time.Millisecond
	for i := range 6 {
		if g.contest.k != 0 {
			t.Fatalf("the turn was over after %v", time.Duration(i)*g.gap)
		}
		g.compete()
	}
	if g.contest.k != 1 || g.host.want != g.contest.plan[1] {
		t.Errorf("after %v, the turn of %v has not ended", 6*g.gap, g.contest.turn)
	}
}

// While one mode closes and the next is opened no frame counts: the next one's turn is not shortened by it,
// let alone over before it has begun.
func TestExchangeTakesNothingOffTheNextTurn(t *testing.T) {
	modes := []load.Mode{load.Idle, load.Goroutines}
	g := &game{contest: newContest(contestOf(modes))}
	g.o.Hz = 60
	g.offer = load.NewOffer(load.Config{Job: time.Millisecond})
	g.errands = play.NewErrands(func(int) int { return 0 })
	first := g.contest.plan[0]
	figures := map[load.Mode]*load.Figures{}
	h := &host{game: g, exec: &play.Hold{}, mode: first, want: first, counting: true, figures: figures}
	g.host = h
	h.enclose(frame.Options{Workers: workers.Options{Workers: -1}})
	g.gap = g.contest.turn
	for range 2 { // the second is only begun: the interval that ends with it counts all the same
		h.loop.Begin()
		if g.contest.k == 1 && !h.turn() {
			t.Fatal("no exchange after the first turn")
		}
		if g.contest.k == 0 {
			g.compete()
			h.loop.Slice()
			h.loop.End()
		}
	}
	if f := h.figures[first]; h.stretches != 1 || f == nil || !f.Frames() {
		t.Errorf("of two frames the report has %+v", f)
	}
	for range 3 { // frames of the meantime
		g.compete()
	}
	if g.contest.k != 1 || g.contest.left != g.contest.turn {
		t.Errorf("turn %d has %v left before it has begun, want turn 1 and %v",
			g.contest.k, g.contest.left, g.contest.turn)
	}
	<-h.closed
	if err := h.loop.Close(); err != nil {
		t.Error(err)
	}
}

// What waits for a processor between two frames is late, and no jump of the clock that the figures leave out.
func TestFrameThatWaitsLongIsCounted(t *testing.T) {
	h := &host{game: &game{}}
	h.game.o.Hz = 60
	h.enclose(frame.Options{Workers: workers.Options{Workers: -1}})
	defer h.loop.Close()
	for range 2 {
		h.loop.Begin()
		h.loop.Slice()
		h.loop.End()
		time.Sleep(400 * time.Millisecond)
	}
	if s := h.loop.Stats(); s.Jumps != 0 {
		t.Errorf("%d jumps of %v", s.Jumps, s.JumpTime)
	}
}

// The first mode is counted when the window has been opened, by frames and by time. The others have their usual
// warm-up.
func TestTheOpeningOfTheWindowCountsAgainstNoMode(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		opens    int
		contest  bool
		duration time.Duration
		since    time.Duration
		frames   uint64
		want     bool
	}{
		{1, false, 0, 999 * ms, 500, false}, // many frames in no time
		{1, false, 0, 2 * time.Second, 59, false},
		{1, false, 0, time.Second, 60, true},
		{1, true, 20 * time.Second, 4999 * ms, 59, false},
		{1, true, 20 * time.Second, 5 * time.Second, 3, true}, // a slow machine
		{1, false, time.Second, 499 * ms, 60, false},
		{1, false, time.Second, 500 * ms, 10, true}, // a short run
		{1, false, 6 * time.Second, 1999 * ms, 59, false},
		{1, false, 6 * time.Second, 2 * time.Second, 59, true},
		{2, false, 0, 499 * ms, 500, false},
		{2, false, 0, 500 * ms, 3, true},
	} {
		g := &game{o: cli.Options{Duration: c.duration}, host: &host{mode: load.Idle, opens: c.opens}}
		if c.contest {
			g.contest = &contest{}
		}
		if got := g.settled(c.since, c.frames); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
