package deadline_test

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/frameslice/frameslice/deadline"
)

const ms = time.Millisecond

func TestBudget(t *testing.T) {
	const interval = time.Second / 60
	begin := deadline.Instant(1000 * ms)
	for _, c := range []struct {
		name    string
		b       deadline.Budget
		now     time.Duration // since begin
		follows time.Duration
		want    time.Duration
	}{
		{"fresh frame", deadline.Budget{}, 0, 0, interval - interval/16},
		{"after 4 ms, 3 to follow", deadline.Budget{}, 4 * ms, 3 * ms, interval - interval/16 - 7*ms},
		{"144 Hz", deadline.Budget{Interval: 6944 * time.Microsecond}, ms, ms, 4510 * time.Microsecond},
		{"late: the floor", deadline.Budget{}, 16 * ms, 2 * ms, ms / 2},
		{"very late", deadline.Budget{}, time.Hour, 2 * ms, ms / 2},
		{"floor", deadline.Budget{Floor: 2 * ms}, 15 * ms, 0, 2 * ms},
		{"no floor", deadline.Budget{Floor: -1}, 16 * ms, 2 * ms, 0},
		{"no reserve", deadline.Budget{Interval: 10 * ms, Reserve: -1}, 0, 0, 10 * ms},
		{"reserve", deadline.Budget{Interval: 10 * ms, Reserve: 3 * ms}, ms, ms, 5 * ms},
		{"max", deadline.Budget{Max: 4 * ms}, 0, 0, 4 * ms},
		{"max below floor", deadline.Budget{Floor: 4 * ms, Max: 2 * ms}, time.Hour, 0, 2 * ms},
		{"negative interval", deadline.Budget{Interval: -1}, 0, 0, interval - interval/16},
		{"negative follows", deadline.Budget{Reserve: -1}, 5 * ms, -5 * ms, interval - 5*ms},
		{"now before begin", deadline.Budget{Reserve: -1}, -5 * ms, 0, interval},
		{"endless follows", deadline.Budget{}, 0, math.MaxInt64, ms / 2},
		{"floor of 500 Hz", deadline.Budget{Interval: 2 * ms}, time.Hour, 0, ms / 4},
		{"endless interval", deadline.Budget{Interval: math.MaxInt64, Reserve: -1, Max: ms}, 0, 0, ms},
	} {
		now := begin.Add(c.now)
		if end, _ := c.b.Slice(begin, now, c.follows).Instant(); end.Sub(now) != c.want {
			t.Errorf("%s: slice = %v, want %v", c.name, end.Sub(now), c.want)
		}
	}
}

func TestBudgetBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := func(name string) time.Duration { return time.Duration(rapid.Int64().Draw(t, name)) }
		b := deadline.Budget{Interval: d("interval"), Reserve: d("reserve"), Floor: d("floor"), Max: d("max")}
		now := deadline.Instant(rapid.Int64Range(0, 1<<61).Draw(t, "now"))
		dl := b.Slice(deadline.Instant(d("begin")), now, d("follows"))
		at, ok := dl.Instant()
		if slice := at.Sub(now); slice < 0 || ok && b.Max > 0 && slice > b.Max || ok && at < now {
			t.Fatalf("%+v: slice %v", b, slice)
		}
	})
}
