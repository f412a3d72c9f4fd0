package frame

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/workers"
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
		g := grid{}
		var now deadline.Instant
		for i, late := range c.late {
			now = deadline.Instant(100 * milli).Add(time.Duration(i)*p + late)
			g.observe(now, p)
		}
		got := g.next(now, p).Sub(deadline.Instant(100 * milli).Add(time.Duration(len(c.late)) * p))
		if got != c.want {
			t.Errorf("%s: the next tick is off by %v, want %v", c.name, got, c.want)
		}
	}
}

// A display whose refresh is 0.1 % slower than the interval says: the grid stays within half a millisecond.
func TestGridFollowsADisplayThatIsSlower(t *testing.T) {
	const p = record.DefaultInterval
	g := grid{}
	now := deadline.Instant(time.Second)
	for range 10_000 {
		g.observe(now, p)
		now = now.Add(p + p/1000)
	}
	if off := now.Sub(g.next(now.Add(-p), p)).Abs(); off > 600*time.Microsecond {
		t.Errorf("off by %v", off)
	}
}

func TestGridSkipsWhatHasPassed(t *testing.T) {
	g := grid{tick: 1000}
	for now, want := range map[deadline.Instant]deadline.Instant{
		900: 1010, 1000: 1010, 1009: 1010, 1010: 1020, 1055: 1060,
	} {
		if got := g.next(now, 10); got != want {
			t.Errorf("at %d the next is %d, want %d", now, got, want)
		}
	}
}

// The pool is told of a frame only if something paces them.
func TestExpectedNeedsSomethingThatPaces(t *testing.T) {
	l := New(Options{Workers: workers.Options{Workers: -1}})
	defer l.Close()
	now := deadline.Now()
	l.grid.observe(now, record.DefaultInterval)
	if at, trail := l.expected(now); at != 0 || trail != 0 {
		t.Errorf("a host that was never measured: %v for %v", at, trail)
	}
	l.period.raw = l.period.value
	const r = record.DefaultInterval
	if at, trail := l.expected(now); at != now.Add(r+r/64) || trail != r/2 {
		t.Errorf("a measured host: %v for %v", at.Sub(now), trail)
	}
	l.pacing = true
	l.pacer.start(now, 10*milli)
	if at, _ := l.expected(now.Add(12 * milli)); at != now.Add(12*milli+l.interval()/64) {
		t.Errorf("the loop's own tick has passed: %v, want at once", at.Sub(now))
	}
}

// A frame that is late by more than half an interval looks like one that is early: that must not last.
func TestGridComesBackAfterAStall(t *testing.T) {
	const p = 16 * milli
	for _, late := range []time.Duration{p * 5 / 8, p * 6 / 8, 20*p + p*9/16} {
		g := grid{}
		now := deadline.Instant(100 * milli)
		g.observe(now, p)
		g.observe(now.Add(p+late), p)
		now = now.Add(p + late/p*p)
		frames, off := 0, p
		for ; off > p/graceful; frames++ {
			now = now.Add(p)
			g.observe(now, p)
			off = now.Add(p).Sub(g.next(now, p)).Abs()
		}
		if frames > gridFar+1 {
			t.Errorf("late by %v: the grid is wrong for %d frames", late, frames)
		}
	}
}
