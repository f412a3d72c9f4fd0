package deadline_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
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
	for _, p := range []deadline.Priority{3, 17, -3, math.MaxInt8, math.MinInt8} {
		testkit.Panics(t, fmt.Sprintf("deadline: invalid Priority(%d)", int8(p)), func() { custom.Of(p) })
	}
	testkit.Extremes(t, func(o deadline.Timeouts) error {
		for _, p := range deadline.Priorities() {
			o.Of(p) // a negative one is overdue at birth
		}
		return nil
	})
}
