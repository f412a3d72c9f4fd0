package plot

import (
	"math"
	"slices"
	"testing"
)

func TestTicksAreRoundWithinAndApart(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		gap    float32
	}{
		{13, 27, 26}, {16.6, 16.7, 20}, {1, 100, 26}, {0.5, 1e5, 26}, {2, 11, 40}, {8, 400, 200}, {14, 15, 200},
		{10, 59.9, 5}, {1e-7, 1e10, 30}, {16.6666, 16.6667, 50}, {0, 60, 60}, {0, 0.001, 60}, {0, 1e10, 60},
	} {
		a := axis{c.lo, c.hi, 400, 0}
		ticks := a.ticks(c.gap)
		if len(ticks) == 0 {
			t.Errorf("%v..%v: no ticks", c.lo, c.hi)
		}
		for i, v := range ticks {
			if v < c.lo*(1-1e-6) || v > c.hi*(1+1e-6) {
				t.Errorf("%v..%v: tick %v is outside", c.lo, c.hi, v)
			}
			if i > 0 && len(ticks) > 2 && a.at(ticks[i-1])-a.at(v) < c.gap && (c.lo == 0 || c.hi/c.lo < 1e9) {
				t.Errorf("%v..%v: ticks %v and %v are too near", c.lo, c.hi, ticks[i-1], v)
			}
		}
	}
}

func TestAxisIsLogarithmicAndBounded(t *testing.T) {
	a := axis{1, 100, 0, 200}
	for v, want := range map[float64]float32{1: 0, 10: 100, 100: 200, 0: 0, 1e9: 200} {
		if got := a.at(v); math.Abs(float64(got-want)) > 1e-4 {
			t.Errorf("%v: got %v, want %v", v, got, want)
		}
	}
}

func TestAxisFromZeroIsLinear(t *testing.T) {
	a := axis{0, 60, 0, 600}
	if got := a.ticks(100); !slices.Equal(got, []float64{0, 10, 20, 30, 40, 50, 60}) || a.at(15) != 150 {
		t.Errorf("ticks at %v, 15 at %v", got, a.at(15))
	}
}

func TestTickTexts(t *testing.T) {
	for v, want := range map[float64]string{
		0.1 + 0.2: "0.3", 16: "16", 1000: "1 s", 2500: "2.5 s", 0.005: "0.005",
	} {
		if got := duration(v); got != want {
			t.Errorf("%v: got %q, want %q", v, got, want)
		}
	}
	for power, want := range map[float64]string{1: "1", 100: "100", 1000: "1k", 100000: "100k", 1000000: "1M"} {
		if got := short(power); got != want {
			t.Errorf("%v: got %q, want %q", power, got, want)
		}
	}
}
