package frame

import (
	"math"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// GOGC is so much more that the runtime's mark is twice as far as the loop's, and headroom further within bounds.
func TestIdleGCKeepsApart(t *testing.T) {
	h := heap{live: 3 * mb, goal: 6 * mb}
	g := newFakeGC(&h)
	for _, c := range []struct {
		live uint64 // MB, before
		want int
	}{
		{1, 500}, {16, 500}, {20, 500}, {22, 390}, {20, 390}, {32, 300}, {40, 300}, {64, 200}, {300, 200}, {40, 260},
		{5, 500},
	} {
		h.live = c.live * mb
		h.cycles++
		g.pause = 0
		g.looked()
		if g.gogc != c.want {
			t.Errorf("with %d MB alive GOGC is %d, want %d", c.live, g.gogc, c.want)
		}
	}
}

// Without a look for a second GOGC is what the program wants, and the next frame looks, however slow they are.
func TestIdleGCWithoutFrames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newIdleGC(idlePool, new(gcSettings), 100)
		var gogc atomic.Int64
		gogc.Store(100)
		g.read = func() heap { return heap{live: 5 * mb, goal: 10 * mb, gogc: uint64(gogc.Load())} }
		g.move = func(percent int) bool {
			return gogc.CompareAndSwap(int64(g.gogc), int64(percent))
		}
		after := func(d time.Duration, want int64) {
			t.Helper()
			time.Sleep(d)
			synctest.Wait()
			if got := gogc.Load(); got != want {
				t.Errorf("GOGC is %d, want %d", got, want)
			}
		}
		after(2*lull, 100)
		g.looked()
		after(lull-1, 500)
		after(1, 100)
		after(2*lull, 100)
		g.looked()
		after(0, 500)
		for range 20 { // slow frames, which would look once in 2 s
			<-g.turn
			g.pause = max(g.pause, 5)
			g.turn <- struct{}{}
			g.frame(never)
			after(lull*2/5, 500)
		}
		g.looked()
		<-g.turn
		g.pause = 5
		g.turn <- struct{}{}
		g.frame(never) // and one more, which does not look
		after(3*lull, 100)

		g.looked()
		<-g.turn // a look that takes long
		after(3*lull, 500)
		g.turn <- struct{}{}
		after(lull, 100)

		g.looked()
		gogc.Store(77) // somebody else
		after(2*lull, 77)
		g.looked()
		after(2*lull, 77)
		gogc.Store(500) // who has put back what he found
		g.looked()
		after(2*lull, 100)

		g.looked()
		g.close()
		after(5*lull, 500) // Close sets it, not this
		g.noLooks()        // as if it had begun just before
		if g.lull.Stop() {
			t.Error("it goes on after close")
		}
	})
}

// Who has set GOGC himself is believed: no collection before the goal is near.
func TestIdleGCWithSomebodysGOGC(t *testing.T) {
	for _, gogc := range []uint64{200, 300} {
		h := heap{live: 100 * mb, goal: (100 + gogc) * mb}
		g := newFakeGC(&h)
		g.gogc = 200
		g.read = func() heap { return heap{live: h.live, goal: h.goal, allocs: h.allocs, gogc: gogc} }
		g.looked()
		h.allocs += 150 * mb
		for range 10 {
			g.looked()
		}
		if n := g.begun.Load(); (n > 0) != (gogc == 200) {
			t.Errorf("GOGC is %d: %d collections", gogc, n)
		}
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
		{130, -1, -1, 0, false}, {130, math.MaxInt32/5 + 1, math.MaxInt32/5 + 1, 0, false},
	} {
		debug.SetGCPercent(c.before)
		l := New(Options{IdleGC: true, GCPercent: c.option})
		l.idle.stay()
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
	l.idle.stay()
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
