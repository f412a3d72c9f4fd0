package frame

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

func TestPacerTicksAreAbsoluteAndMissesSkip(t *testing.T) {
	const p = 10 * milli
	for _, c := range []struct {
		name    string
		now     time.Duration // after tick 0
		tick    time.Duration // the next frame's tick
		skipped uint64
	}{
		{"early", 3 * milli, 10 * milli, 0},
		{"on the tick", 10 * milli, 10 * milli, 0},
		{"a little late starts at once", 11 * milli, 10 * milli, 0},
		{"under half an interval late", 14999 * time.Microsecond, 10 * milli, 0},
		{"half an interval late waits", 15 * milli, 20 * milli, 1},
		{"on the next tick", 20 * milli, 20 * milli, 1},
		{"many ticks late", 1004 * milli, 1000 * milli, 99},
		{"many and a half", 1006 * milli, 1010 * milli, 100},
	} {
		q := pacer{}
		q.start(1000, p)
		q.advance(deadline.Instant(1000).Add(c.now))
		if got := q.tick.Sub(1000); got != c.tick || q.skipped != c.skipped {
			t.Errorf("%s: tick %v skipped %d, want %v and %d", c.name, got, q.skipped, c.tick, c.skipped)
		}
	}
}

// A frame whose wait ended a moment before the next tick must not be followed by another one a moment later.
func TestPacerMakesUpForNoTickThatTheWaitMissed(t *testing.T) {
	const p = 10 * milli
	for _, c := range []struct {
		woke, due time.Duration // after the tick that was waited for
		skipped   uint64
	}{
		{0, p, 0}, {milli, p, 0}, {p/2 - 1, p, 0}, {p / 2, 2 * p, 1}, {p - 1, 2 * p, 1}, {p, 2 * p, 1},
		{25 * milli, 4 * p, 3},
	} {
		q := pacer{}
		q.start(1000, p)
		q.advance(1001)
		waited := q.tick
		q.skip(waited.Add(c.woke))
		q.advance(waited.Add(c.woke + milli/10))
		if got := q.tick.Sub(waited); got != c.due || q.skipped != c.skipped {
			t.Errorf("woken %v late: the next frame at %v, %d skipped; want %v, %d",
				c.woke, got, q.skipped, c.due, c.skipped)
		}
	}
}

func TestWaitIsNeverEarly(t *testing.T) {
	for _, timer := range []bool{false, true} {
		q := pacer{}
		q.init(nil)
		q.virtual = timer
		begin := deadline.Now()
		q.start(begin, 3*milli)
		for range 20 {
			q.advance(deadline.Now())
			q.until(q.tick, nil)
			if now := deadline.Now(); now < q.tick {
				t.Fatalf("timer %v: woke %v before its tick", timer, q.tick.Sub(now))
			}
		}
		if at := deadline.Now().Sub(begin); at < 60*milli {
			t.Errorf("timer %v: 20 ticks of 3 ms took %v", timer, at)
		}
	}
}
