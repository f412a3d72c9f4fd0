package deadline_test

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

func TestDeadline(t *testing.T) {
	var zero deadline.Deadline
	if deadline.At(deadline.Never) != zero {
		t.Error("At(Never) is not the zero Deadline")
	}
	if zero.Exceeded() || zero.ExceededAt(math.MaxInt64) || zero.Remaining() != math.MaxInt64 ||
		!zero.Fits(math.MaxInt64-1, math.MaxInt64) || zero.String() != "never" {
		t.Error("the zero Deadline expires")
	}
	if at, ok := zero.Instant(); ok || at != deadline.Never {
		t.Errorf("Instant of the zero Deadline = %d, %v", at, ok)
	}
	d := deadline.At(100)
	for _, c := range []struct {
		now      deadline.Instant
		exceeded bool
		left     time.Duration
	}{
		{-5, false, 105}, {99, false, 1}, {100, true, 0}, {101, true, -1},
		{deadline.Never, true, math.MinInt64},
	} {
		if d.ExceededAt(c.now) != c.exceeded || d.RemainingAt(c.now) != c.left {
			t.Errorf("at %d: exceeded %v, remaining %d; want %v, %d",
				c.now, d.ExceededAt(c.now), d.RemainingAt(c.now), c.exceeded, c.left)
		}
	}
	for _, c := range []struct {
		now  deadline.Instant
		cost time.Duration
		want bool
	}{
		{90, 10, true}, {90, 11, false}, {99, 0, true},
		{100, 0, false}, {100, -5, false}, {90, math.MaxInt64, false},
	} {
		if got := d.Fits(c.now, c.cost); got != c.want {
			t.Errorf("Fits(%d, %d) = %v, want %v", c.now, c.cost, got, c.want)
		}
	}
	if at, ok := d.Instant(); !ok || at != 100 {
		t.Errorf("Instant = %d, %v, want 100, true", at, ok)
	}
	if deadline.At(math.MinInt64).String() == "" {
		t.Error("String of the first Instant is empty")
	}
}

func TestNowFollowsTheBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := deadline.Now()
		d := deadline.In(3 * ms)
		time.Sleep(2 * ms)
		if got := deadline.Now().Sub(begin); got != 2*ms {
			t.Errorf("Now moved by %v in a bubble that slept 2 ms", got)
		}
		if d.Exceeded() || d.Remaining() != ms {
			t.Errorf("a deadline of 3 ms after 2: exceeded %v, remaining %v", d.Exceeded(), d.Remaining())
		}
		if got := d.String(); got != "in 1ms" {
			t.Errorf("String = %q, want in 1ms", got)
		}
		time.Sleep(ms)
		if !d.Exceeded() || d.Remaining() != 0 || d.String() != "now" {
			t.Errorf("a deadline of 3 ms after 3: exceeded %v, remaining %v, %v",
				d.Exceeded(), d.Remaining(), d)
		}
		time.Sleep(ms)
		if !d.Exceeded() || d.Remaining() != -ms || d.String() != "1ms ago" {
			t.Errorf("a deadline of 3 ms after 4: exceeded %v, remaining %v, %v",
				d.Exceeded(), d.Remaining(), d)
		}
	})
}
