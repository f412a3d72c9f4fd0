//go:build !headless

package main

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/demo/cli"
	"github.com/frameslice/frameslice/demo/load"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/canvas"
)

// The panel keeps the last figures of each mode, in the order in which the modes were played first.
func TestThePanelKeepsTheLastFiguresOfEachMode(t *testing.T) {
	stretch := func(finished int64, asked float64) *load.Stretch {
		held := 2 * time.Second
		return &load.Stretch{Span: held, Jobs: load.Counts{
			Finished: finished, Held: held, Loaded: time.Duration(asked * float64(held)),
		}}
	}
	run := func(n uint64, missed float64, p99 time.Duration) *record.RunReport {
		r := &record.RunReport{MissedPercent: missed}
		r.N, r.Interval.P99 = n, p99
		return r
	}
	var rows []played
	rows = keepPlayed(rows, load.Workers, run(100, 7, 33*time.Millisecond), stretch(800, 1.3))
	rows = keepPlayed(rows, load.Frameslice, run(100, 0, 17*time.Millisecond), stretch(600, 1.3))
	rows = keepPlayed(rows, load.Idle, run(0, 0, 0), stretch(0, 0)) // left in its warm-up
	rows = keepPlayed(rows, load.Workers, run(50, 9, 40*time.Millisecond), stretch(300, 0.5))
	rows = keepPlayed(rows, load.Frameslice, run(0, 0, 0), stretch(0, 1))
	want := []played{{"workers", 0.5, 9, 40, 150}, {"frameslice", 1.3, 0, 17, 300}}
	if len(rows) != 2 || rows[0] != want[0] || rows[1] != want[1] {
		t.Errorf("got %v, want %v", rows, want)
	}
}

// The panel of the modes is within its room, whatever that is, and shows as many modes as there is room for.
func TestPanelOfThePlayedModes(t *testing.T) {
	var u hud
	a, err := canvas.Bake(1, canvas.Small, canvas.Strong, canvas.Huge)
	if err != nil {
		t.Fatal(err)
	}
	var rows []played
	for i, m := range load.AllModes() {
		rows = append(rows, played{string(m), 1.3, float64(10 * i), 123.4, 12345})
	}
	quads := func(h float32, rows []played) int {
		u.Begin(a, 640, 360)
		r := canvas.Rect{X: border, Y: 100, W: cardWidth, H: h}
		u.playedCard(r, rows)
		for i := range u.Quads {
			q := &u.Quads[i]
			if q.X0 < r.X || q.X1 > r.X+r.W || q.Y0 < r.Y || q.Y1 > r.Y+r.H {
				t.Fatalf("%v high, %d rows: the quad %+v is outside", h, len(rows), *q)
			}
		}
		return len(u.Quads)
	}
	if n := quads(200, nil) + quads(playedHead+playedRow-1, rows) + quads(-50, rows); n != 0 {
		t.Errorf("%d quads without a row", n)
	}
	last := 0
	for i := range rows {
		n := quads(playedHeight(i+1), rows)
		if n <= last || n != quads(500, rows[len(rows)-i-1:]) {
			t.Errorf("room for %d rows: %d quads, %d with one less", i+1, n, last)
		}
		last = n
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
