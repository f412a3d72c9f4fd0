package frame

import (
	"math"
	"runtime/debug"
	"testing"
)

// While frames come GOGC is so much more that the runtime's mark is twice as far as the loop's, and headroom at least.
func TestIdleGCKeepsApart(t *testing.T) {
	h := heap{live: 3 * mb, goal: 6 * mb}
	g := newFakeGC(&h)
	for _, c := range []struct {
		live uint64 // MB, before
		want int
	}{
		{3, 1700}, {4, 1700}, {5, 1700}, {6, 1166}, {5, 1166}, {32, 300}, {40, 300}, {64, 200}, {300, 200},
		{40, 260}, {20, 420},
	} {
		h.live = c.live * mb
		h.cycles++
		g.pause = 0
		g.looked()
		if g.gogc != c.want {
			t.Errorf("with %d MB alive GOGC is %d, want %d", c.live, g.gogc, c.want)
		}
	}
	g.noFrames()
	if g.gogc != 100 {
		t.Errorf("without frames GOGC is %d", g.gogc)
	}
	g.pause = 0
	g.looked()
	if g.gogc != 420 {
		t.Errorf("with the next frame GOGC is %d", g.gogc)
	}
	<-g.turn
	g.noFrames() // a run is in progress
	if g.gogc != 420 {
		t.Errorf("during a look GOGC became %d", g.gogc)
	}
}

// GOGC is the loop's until somebody else sets it, and until Close.
func TestIdleGCTakesGOGC(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(130))
	look := func(l *Loop) int {
		l.idle.pause = 0
		l.idle.looked()
		gogc, _ := collectorSettings()
		return gogc
	}
	for _, c := range []struct {
		before, option, open int
		wanted               uint64
		moves                bool
	}{
		{130, 0, 130, 130, true}, {130, 75, 75, 75, true}, {-1, 0, -1, 0, false}, {-1, 50, 50, 50, true},
		{130, -1, -1, 0, false}, {130, math.MaxInt32/2 + 1, math.MaxInt32/2 + 1, 0, false},
	} {
		debug.SetGCPercent(c.before)
		l := New(Options{IdleGC: true, GCPercent: c.option})
		if got, _ := collectorSettings(); got != c.open || l.idle.percent != c.wanted {
			t.Errorf("%+v: GOGC %d, for %d", c, got, l.idle.percent)
		}
		if got := look(l); c.moves && got < 2*c.open || !c.moves && got != c.open {
			t.Errorf("%+v: GOGC %d after a frame", c, got)
		}
		l.Close()
		if got, _ := collectorSettings(); got != c.before {
			t.Errorf("%+v: GOGC %d after Close", c, got)
		}
	}
	l := New(Options{IdleGC: true})
	look(l)
	debug.SetGCPercent(77)
	for range 2 {
		if got := look(l); got != 77 {
			t.Errorf("GOGC %d after a frame, want the 77 that was set meanwhile", got)
		}
	}
	l.Close()
	if got, _ := collectorSettings(); got != 77 {
		t.Errorf("GOGC %d after Close", got)
	}
	settings := gcSettings{percent: 50}
	if settings.move(60) || settings.percent != 50 {
		t.Errorf("moved %d, which was somebody else's", settings.percent)
	}
	if got, _ := collectorSettings(); got != 77 {
		t.Errorf("GOGC %d after a move in vain", got)
	}
}
