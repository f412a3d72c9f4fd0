package deadline

import (
	"fmt"
	"math"
	"testing"
	"time"
)

// Bad arguments: a panic in the caller that names the package and the value.
func TestMisuse(t *testing.T) {
	var h Histogram
	h.Record(1)
	cases := map[string]func(){"deadline: Quantile of NaN": func() { h.Quantile(math.NaN()) }}
	for _, p := range []Priority{3, 17, -3, math.MaxInt8, math.MinInt8} {
		cases[fmt.Sprintf("deadline: invalid Priority(%d)", int8(p))] = func() { Timeouts{}.Of(p) }
	}
	for want, f := range cases {
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("panic %q, want %q", got, want)
				}
			}()
			f()
		}()
	}
}

// What is out of range counts as the nearest that is in it, and nothing overflows.
func TestExtremes(t *testing.T) {
	const longest, shortest = time.Duration(math.MaxInt64), time.Duration(math.MinInt64)
	var e Estimate
	e.Observe(longest)
	if e.Mean() < time.Hour || e.High() < time.Second {
		t.Errorf("after one run for ever: mean %v, high %v", e.Mean(), e.High())
	}
	e.Observe(longest)
	e.Observe(shortest)
	if e.Mean() < time.Hour {
		t.Errorf("after two of three: mean %v", e.Mean())
	}
	var h Histogram
	for _, d := range []time.Duration{shortest, 1, longest} {
		h.Record(d)
	}
	for q, want := range map[float64]time.Duration{math.Inf(-1): 0, -1: 0, 2: longest, math.Inf(1): longest} {
		if got := h.Quantile(q); got != want {
			t.Errorf("quantile %v: %v, want %v", q, got, want)
		}
	}
}
