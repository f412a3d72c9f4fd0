package deadline_test

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/frameslice/frameslice/deadline"
)

func TestInstantSaturates(t *testing.T) {
	const never, first = deadline.Never, deadline.Instant(math.MinInt64)
	for _, c := range []struct {
		i    deadline.Instant
		d    time.Duration
		want deadline.Instant
	}{
		{1, 2, 3}, {1, -2, -1}, {5, 0, 5},
		{never, 1, never}, {never, -1, never}, {never, math.MinInt64, never}, {never, 0, never},
		{never - 1, 1, never}, {never - 1, 2, never}, {never - 1, -1, never - 2}, {1, math.MaxInt64, never},
		{first, -1, first}, {first, 0, first}, {first + 1, -2, first}, {-1, math.MinInt64, first},
		{0, math.MinInt64, first}, {first, math.MaxInt64, -1},
	} {
		if got := c.i.Add(c.d); got != c.want {
			t.Errorf("%d.Add(%d) = %d, want %d", c.i, c.d, got, c.want)
		}
	}
	for _, c := range []struct {
		i, j deadline.Instant
		want time.Duration
	}{
		{3, 1, 2}, {1, 3, -2}, {never, never, 0}, {first, first, 0}, {never, 0, math.MaxInt64},
		{never, -1, math.MaxInt64},
		{never, never - 1, math.MaxInt64}, {0, never, math.MinInt64}, {never - 1, never, math.MinInt64},
		{first, 1, math.MinInt64}, {1, first, math.MaxInt64}, {0, first, math.MaxInt64},
		{-1, first, math.MaxInt64},
		{-2, first, math.MaxInt64 - 1}, {never - 1, -2, math.MaxInt64}, {first, -1, -math.MaxInt64},
	} {
		if got := c.i.Sub(c.j); got != c.want {
			t.Errorf("%d.Sub(%d) = %d, want %d", c.i, c.j, got, c.want)
		}
	}
}

func TestInstantArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		i := deadline.Instant(rapid.Int64Range(-1<<61, 1<<61).Draw(t, "i"))
		d := time.Duration(rapid.Int64Range(-1<<61, 1<<61).Draw(t, "d"))
		if i.Add(d).Sub(i) != d || i.Add(d).Add(-d) != i || (i < i.Add(d)) != (d > 0) {
			t.Fatalf("%d and %d", i, d)
		}
	})
}

func TestNowAdvances(t *testing.T) {
	last := deadline.Now()
	if last < 0 {
		t.Errorf("Now = %d, before the zero Instant", last)
	}
	for range 1000 {
		now := deadline.Now()
		if now < last {
			t.Fatalf("the clock went from %d back to %d", last, now)
		}
		last = now
	}
}
