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
	if zero.Exceeded() || zero.RemainingAt(0) != math.MaxInt64 ||
		zero.Remaining() != math.MaxInt64 || zero.String() != "never" {
		t.Error("the zero Deadline expires")
	}
	if at, ok := zero.Instant(); ok || at != deadline.Never {
		t.Errorf("Instant of the zero Deadline = %d, %v", at, ok)
	}
	d := deadline.At(100)
	for _, c := range []struct {
		now  deadline.Instant
		left time.Duration
	}{{-5, 105}, {99, 1}, {100, 0}, {101, -1}, {deadline.Never, math.MinInt64}} {
		if got := d.RemainingAt(c.now); got != c.left {
			t.Errorf("at %d: remaining %d, want %d", c.now, got, c.left)
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
