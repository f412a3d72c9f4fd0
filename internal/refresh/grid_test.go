package refresh

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// A display's ticks lie at multiples of 16 ms from 100 on; frames begin late by what is given.
func TestGridFollowsTheEarlyAndHardlyTheLate(t *testing.T) {
	const p = 16 * milli
	for _, c := range []struct {
		name string
		late []time.Duration // of each frame, against 100 ms + i intervals
		want time.Duration   // the next tick, against the one after the last
	}{
		{"on time", []time.Duration{0, 0, 0}, 0},
		{"one late", []time.Duration{0, 0, 3200 * time.Microsecond}, 100 * time.Microsecond},
		{"late, then on time", []time.Duration{0, 4 * milli, 0}, 0},
		{"the first was late", []time.Duration{4 * milli, 0}, 0},
		{"a refresh missed", []time.Duration{0, 0, 16 * milli}, 16 * milli},
		{"missed, and late", []time.Duration{0, 19200 * time.Microsecond}, 16100 * time.Microsecond},
		{"a quarter late of ten missed", []time.Duration{0, 164 * milli}, 160*milli + 125*time.Microsecond},
	} {
		g := Grid{}
		var now deadline.Instant
		for i, late := range c.late {
			now = deadline.Instant(100 * milli).Add(time.Duration(i)*p + late)
			g.Observe(now, p)
		}
		got := g.Next(now, p).Sub(deadline.Instant(100 * milli).Add(time.Duration(len(c.late)) * p))
		if got != c.want {
			t.Errorf("%s: the next tick is off by %v, want %v", c.name, got, c.want)
		}
	}
}

// A display whose refresh is 0.1 % slower than the interval says: the grid stays within half a millisecond.
func TestGridFollowsADisplayThatIsSlower(t *testing.T) {
	const p = at60
	g := Grid{}
	now := deadline.Instant(time.Second)
	for range 10_000 {
		g.Observe(now, p)
		now = now.Add(p + p/1000)
	}
	if off := now.Sub(g.Next(now.Add(-p), p)).Abs(); off > 600*time.Microsecond {
		t.Errorf("off by %v", off)
	}
}

func TestGridSkipsWhatHasPassed(t *testing.T) {
	g := Grid{tick: 1000}
	for now, want := range map[deadline.Instant]deadline.Instant{
		900: 1010, 1000: 1010, 1009: 1010, 1010: 1020, 1055: 1060,
	} {
		if got := g.Next(now, 10); got != want {
			t.Errorf("at %d the next is %d, want %d", now, got, want)
		}
	}
}

// A frame that is late by more than half an interval looks like one that is early: that must not last.
func TestGridComesBackAfterAStall(t *testing.T) {
	const p = 16 * milli
	for _, late := range []time.Duration{p * 5 / 8, p * 6 / 8, 20*p + p*9/16} {
		g := Grid{}
		now := deadline.Instant(100 * milli)
		g.Observe(now, p)
		g.Observe(now.Add(p+late), p)
		now = now.Add(p + late/p*p)
		frames, off := 0, p
		for ; off > p/64; frames++ {
			now = now.Add(p)
			g.Observe(now, p)
			off = now.Add(p).Sub(g.Next(now, p)).Abs()
		}
		if frames > gridFar+1 {
			t.Errorf("late by %v: the grid is wrong for %d frames", late, frames)
		}
	}
}
