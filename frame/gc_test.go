package frame

import (
	"math"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/workers"
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
		g := newIdleGC(idlePool, new(sharedGOGC), 100)
		var gogc atomic.Int64
		gogc.Store(100)
		g.read = func() heap { return heap{live: 5 * mb, goal: 10 * mb, gogc: uint64(gogc.Load())} }
		g.move = func(percent int) bool {
			return gogc.CompareAndSwap(int64(g.gogc), int64(percent))
		}
		g.held = func() (int, uint64) { return g.gogc, g.percent }
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
			t.Error("it continues after close")
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
	for _, c := range []struct {
		before int
		wanted uint64
		moves  bool
	}{{130, 130, true}, {75, 75, true}, {-1, 0, false}, {math.MaxInt32/5 + 1, 0, false}} {
		debug.SetGCPercent(c.before)
		l := newIdleLoop()
		if got := readGOGC(); got != c.before || l.idle.percent != c.wanted {
			t.Errorf("%+v: GOGC %d, for %d", c, got, l.idle.percent)
		}
		if got := look(l); c.moves && got < 2*c.before || !c.moves && got != c.before {
			t.Errorf("%+v: GOGC %d after a frame", c, got)
		}
		l.Close()
		if got := readGOGC(); got != c.before {
			t.Errorf("%+v: GOGC %d after Close", c, got)
		}
	}
}

// Several loops raise one GOGC. The last one that closes puts back what the program wants, in any order, and whatever
// the program has set meanwhile stays.
func TestIdleGCOfSeveralLoops(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(130))
	const loops = 3
	for order := range 6 {
		for sets := range loops + 1 { // when the program sets GOGC: never, or before one of the ends
			debug.SetGCPercent(100)
			var all []*Loop
			for range loops {
				all = append(all, newIdleLoop())
				if got := look(all[0]); got < 200 {
					t.Fatalf("GOGC %d after a frame", got)
				}
			}
			want := 100
			for i, k := range [6][loops]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}[order] {
				if i == sets-1 {
					debug.SetGCPercent(77)
					want = 77
				}
				all[k].Close()
				if got := readGOGC(); i < loops-1 && want == 100 && got < 200 {
					t.Errorf("order %d: GOGC %d with loops that are open", order, got)
				}
			}
			if got := readGOGC(); got != want {
				t.Errorf("order %d, set before end %d: GOGC %d after all, want %d", order, sets, got, want)
			}
		}
	}
	// A loop that joins when the program has set GOGC takes that for what the program wants.
	debug.SetGCPercent(100)
	a := newIdleLoop()
	look(a)
	debug.SetGCPercent(77)
	b := newIdleLoop()
	if one, other := look(b), look(a); one < 2*77 || one != other {
		t.Errorf("two loops set GOGC to %d and %d, where the program wants 77", one, other)
	}
	a.Close()
	b.Close()
	if got := readGOGC(); got != 77 {
		t.Errorf("GOGC %d after all, want 77", got)
	}
}

func newIdleLoop() *Loop {
	l := New(Options{GCBetweenFrames: true, Workers: workers.Options{Workers: -1}})
	l.idle.stay()
	return l
}

// look has the loop look at the heap, and returns the GOGC after that.
func look(l *Loop) int {
	<-l.idle.turn
	l.idle.pause = 0
	l.idle.turn <- struct{}{}
	l.idle.looked()
	return readGOGC()
}
