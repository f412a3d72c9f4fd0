package hist

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The bars hold all intervals, each between its ends; a percentile is right to half a bin; and what is dropped is gone.
func TestFrames(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var f, old Frames
	var all []float64
	for range 1000 {
		gone := 50 * rng.Float64()
		f.Add(gone, 3)
		ms := 1.001 + 300*rng.Float64()*rng.Float64()
		var one Frames
		one.Add(ms, 1)
		for i := range Bars {
			if n := one.Bar(i); n != 0 && (n != 1 || ms < BarFrom(i) || ms >= BarFrom(i+1)) {
				t.Fatalf("%v ms: %d in the bar from %v to %v", ms, n, BarFrom(i), BarFrom(i+1))
			}
		}
		f.Add(ms, 1)
		f.Drop(gone, 3)
		all = append(all, ms)
	}
	slices.Sort(all)
	for _, q := range []float64{0, 0.5, 0.99, 1} {
		got, want := f.Percentile(100*q), all[Nearest(1000, q)-1]
		if got < want*0.9994 || got > want*1.0006 {
			t.Errorf("percentile %v: %v, want %v", q, got, want)
		}
	}
	if f.MissedPercent() != 50 || old.MissedPercent() != 0 || old.Percentile(50) != 0 {
		t.Errorf("%v %% missed; without frames %v, and a median of %v", f.MissedPercent(), old.MissedPercent(),
			old.Percentile(50))
	}
	for _, ms := range []float64{-1, 0, 0.3, 1} {
		old.Add(ms, 0)
	}
	if old.Add(1e9, 0); old.Bar(0) != 4 || old.Bar(Bars-1) != 1 {
		t.Errorf("%d in the first bar, %d in the last", old.Bar(0), old.Bar(Bars-1))
	}
}
