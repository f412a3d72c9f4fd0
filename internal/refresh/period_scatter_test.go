package refresh

import (
	"testing"
	"time"
)

// Where a game is busy for about half of the time or more, and frames come late and the next ones early, as in a
// browser that draws with the processor, neither the longer intervals are a display's nor the shorter ones. How near
// the period comes depends on the scatter, and so on the seed. Of a hundred the period in force was 4.2 % off (that is
// from 72 to 75 Hz) or less at 20 % of scatter and 7.8 % at 40; what is shown, which such a game can no longer correct,
// 10.6 and 23.3 %.
func TestOfABusyGameWhoseFramesScatter(t *testing.T) {
	for _, hz := range []time.Duration{60, 75, 144} {
		for _, busy := range []time.Duration{30, 45, 50, 55, 60, 75} { // hundredths of the period
			for _, scatter := range []time.Duration{5, 20, 40} {
				p, rng, refresh := New(at60), seeded(), time.Second/hz
				within, shown := max(refresh/20, refresh*scatter/400), max(refresh/20, refresh*scatter*2/300)
				late := time.Duration(0)
				for range 600 {
					before := late
					late = time.Duration(rng.Float64() * float64(refresh*scatter/100))
					p.Observe(refresh+late-before, refresh*busy/100, 0)
				}
				if (p.value-refresh).Abs() > within || (p.shown-refresh).Abs() > shown {
					t.Errorf("%d Hz, %d %% busy, scatter %d %%: %v, shown as %v, want %v",
						hz, busy, scatter, p.value, p.shown, refresh)
				}
			}
		}
	}
}

// A busy game, every fifth of whose frames takes two refreshes, stays on the display that it is on, and learns once.
func TestOfABusyGameThatMisses(t *testing.T) {
	for _, hz := range []time.Duration{60, 144} {
		for _, every := range []int{3, 5, 7, 20} {
			for _, slice := range []time.Duration{0, milli / 2} {
				p, refresh := New(at60), time.Second/hz
				small := 0
				for i := range 600 {
					interval := refresh
					if i%every == 1 {
						interval *= 2
					}
					if p.SliceCap() > 0 {
						small++
					}
					p.Observe(interval, refresh*6/10, slice)
					if i > learning && !near(p.value, refresh, 500) {
						t.Fatalf("%d Hz, one of %d frames late, slices of %v: %v", hz, every, slice, p.value)
					}
				}
				if small > learning+1 {
					t.Errorf("%d Hz, one of %d frames late, slices of %v: %d of 600 small", hz, every, slice, small)
				}
			}
		}
	}
}

// A game that is busy for most of a fast display's period moves to a slow one, with a backlog and without: what was too
// much of the old period to be sure of is little of the new one.
func TestOfABusyGameThatMoves(t *testing.T) {
	for _, backlog := range []bool{false, true} {
		for _, c := range [][2]int{{144, 60}, {120, 50}, {60, 30}, {60, 144}} {
			own := hertz(max(c[0], c[1])) * 7 / 10
			d := &display{hz: c[0], own: own, reserve: milli, backlog: backlog, rng: seeded()}
			p := New(at60)
			run(&p, d, 300)
			d.hz = c[1]
			run(&p, d, 40)
			if !near(p.value, hertz(c[1]), 500) || !near(p.shown, hertz(c[1]), 500) {
				t.Errorf("%d to %d Hz, backlog %v: %v, shown as %v", c[0], c[1], backlog, p.value, p.shown)
			}
		}
	}
}

// What a game does for a while is not taken for another display, and costs no slices: a scene that is too heavy, frames
// that are late by more and by less while it loads.
func TestIsNotLearnedAgainForTheGamesOwn(t *testing.T) {
	for name, c := range map[string]struct {
		busy  time.Duration
		takes [2]time.Duration // refreshes, in turn
	}{
		"a heavy scene": {20 * milli, [2]time.Duration{2, 2}},
		"loading":       {2 * milli, [2]time.Duration{2, 3}},
	} {
		p, refresh := New(at60), hertz(60)
		for range 100 {
			p.Observe(refresh, 3*milli, 0)
		}
		for i := range 20 {
			p.Observe(c.takes[i%2]*refresh-milli/2, c.busy, 0)
			if p.SliceCap() > 0 || !near(p.value, refresh, 60) || !near(p.shown, refresh, 60) {
				t.Fatalf("%s, after %d frames: %v, shown as %v, a slice of %v", name, i, p.value, p.shown, p.SliceCap())
			}
		}
	}
}

// Of a busy game that misses most refreshes the others tell the period, and continue to.
func TestOfABusyGameThatMissesMost(t *testing.T) {
	p, refresh := New(at60), hertz(60)
	for i := range 300 {
		if i%5 < 3 {
			p.Observe(2*refresh, refresh*11/10, 0)
		} else {
			p.Observe(refresh, refresh*8/10, 0)
		}
		if i > window && (!near(p.value, refresh, 500) || !near(p.shown, refresh, 500)) {
			t.Fatalf("after %d frames: %v, shown as %v, want %v", i, p.value, p.shown, refresh)
		}
	}
}
