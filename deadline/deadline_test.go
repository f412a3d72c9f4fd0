package deadline_test

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/frameslice/frameslice/deadline"
)

func TestPriorities(t *testing.T) {
	names := []string{"immediate", "user-blocking", "normal", "low", "idle"}
	for lane, p := range deadline.Priorities() {
		if p.Lane() != lane || !p.Valid() || p.String() != names[lane] {
			t.Errorf("%d: lane %d, valid %v, %q; want lane %d, %q",
				p, p.Lane(), p.Valid(), p, lane, names[lane])
		}
		if lane > 0 && p >= deadline.Priorities()[lane-1] {
			t.Errorf("%v is not less urgent than its predecessor", p)
		}
	}
	if deadline.Priority(0) != deadline.Normal {
		t.Error("the zero Priority is not Normal")
	}
	for _, p := range []deadline.Priority{-128, -3, 3, 127} {
		if p.Valid() || p.String() == "" || p.String() == "normal" {
			t.Errorf("Priority %d: valid %v, %q", int8(p), p.Valid(), p)
		}
	}
	if got := deadline.Priority(-3).String(); got != "Priority(-3)" {
		t.Errorf("String of -3 = %q", got)
	}
}

func TestTimeouts(t *testing.T) {
	want := []time.Duration{0, 250 * ms, 5 * time.Second, 10 * time.Second, math.MaxInt64}
	custom := deadline.Timeouts{Immediate: 1, UserBlocking: -2, Normal: 3, Low: 1 << 61, Idle: 5}
	wantCustom := []time.Duration{1, -2, 3, math.MaxInt64, 5}
	for lane, p := range deadline.Priorities() {
		if got := (deadline.Timeouts{}).Of(p); got != want[lane] {
			t.Errorf("default timeout of %v = %v, want %v", p, got, want[lane])
		}
		if got := custom.Of(p); got != wantCustom[lane] {
			t.Errorf("custom timeout of %v = %v, want %v", p, got, wantCustom[lane])
		}
	}
	mustPanic(t, "deadline: invalid Priority(3)", func() { deadline.Timeouts{}.Of(3) })
}

func mustPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := recover(); got != want {
			t.Errorf("panic %v, want %q", got, want)
		}
	}()
	f()
}

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
	if !deadline.Instant(1).Before(2) || deadline.Instant(2).Before(2) {
		t.Error("Before is not <")
	}
}

func TestInstantArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		i := deadline.Instant(rapid.Int64Range(-1<<61, 1<<61).Draw(t, "i"))
		d := time.Duration(rapid.Int64Range(-1<<61, 1<<61).Draw(t, "d"))
		if i.Add(d).Sub(i) != d || i.Add(d).Add(-d) != i || i.Before(i.Add(d)) != (d > 0) {
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
	e := deadline.At(101)
	if d.Earlier(e) != d || e.Earlier(d) != d ||
		d.Earlier(zero) != d || zero.Earlier(d) != d || zero.Earlier(zero) != zero {
		t.Error("Earlier is not the earlier one")
	}
	if deadline.At(math.MinInt64).String() == "" {
		t.Error("String of the first Instant is empty")
	}
}

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
		{"endless interval", deadline.Budget{Interval: math.MaxInt64, Reserve: -1, Max: ms}, 0, 0, ms},
	} {
		now := begin.Add(c.now)
		if got := c.b.Slice(begin, now, c.follows).RemainingAt(now); got != c.want {
			t.Errorf("%s: slice = %v, want %v", c.name, got, c.want)
		}
	}
}

func TestBudgetBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := func(name string) time.Duration { return time.Duration(rapid.Int64().Draw(t, name)) }
		b := deadline.Budget{Interval: d("interval"), Reserve: d("reserve"), Floor: d("floor"), Max: d("max")}
		now := deadline.Instant(rapid.Int64Range(0, 1<<61).Draw(t, "now"))
		dl := b.Slice(deadline.Instant(d("begin")), now, d("follows"))
		slice := dl.RemainingAt(now)
		if at, ok := dl.Instant(); slice < 0 || ok && b.Max > 0 && slice > b.Max || ok && at < now {
			t.Fatalf("%+v: slice %v", b, slice)
		}
	})
}

func TestPolicyString(t *testing.T) {
	if deadline.ByExpiration.String() != "ByExpiration" || deadline.ByPriority.String() != "ByPriority" ||
		deadline.Policy(9).String() != "Policy(9)" {
		t.Error("names of the policies")
	}
}
