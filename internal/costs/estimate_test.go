package costs_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/frameslice/frameslice/internal/costs"
	"github.com/frameslice/frameslice/internal/testkit"
)

const ms = time.Millisecond

// observe feeds n runs of about d: within 5 %.
func observe(e *costs.Estimate, rng *rand.Rand, n int, d time.Duration) {
	for range n {
		e.Observe(d + time.Duration((rng.Float64()-0.5)*0.1*float64(d)))
	}
}

// about reports whether an estimate of cost d is within its documented precision, plus the noise of observe.
func about(got, d time.Duration) bool {
	return got >= d*95/100 && got <= d*120/100
}

// What is expected after runs of one cost, and then of another.
func TestEstimateAfterRuns(t *testing.T) {
	type runs struct {
		n int
		d time.Duration
	}
	cases := [][]runs{
		{{1, 40 * ms}, {1, ms}},         // a cold start heals with the first warm run
		{{1000, ms}, {400, ms * 3 / 4}}, // a decline, not far enough to be forgotten at once
	}
	for _, d := range []time.Duration{ms / 100, ms / 10, ms, 7 * ms, 90 * ms, 900 * ms} {
		for _, n := range []int{1, 2, 3, 10, 100, 1000} {
			cases = append(cases, []runs{{n, d}})
		}
	}
	for _, n := range []int{2, 5, 30, 100, 128, 1000} {
		cases = append(cases, []runs{{n, ms / 2}, {3, 5 * ms}}) // dear three times in a row
	}
	for _, c := range cases {
		var e costs.Estimate
		if e.Refused(); e.Mean() != 0 || e.High() != 0 {
			t.Errorf("the zero Estimate has mean %v, high %v", e.Mean(), e.High())
		}
		rng := rand.New(rand.NewPCG(1, 1))
		for _, r := range c {
			observe(&e, rng, r.n, r.d)
		}
		last := c[len(c)-1].d
		if !about(e.High(), last) || len(c) == 1 && !about(e.Mean(), last) {
			t.Errorf("after %v: mean %v, high %v", c, e.Mean(), e.High())
		}
	}
}

func TestEstimateBimodal(t *testing.T) {
	// Every tenth run (then one in ten at random) takes 3 ms, the others 0.1 ms. Of a hundred seeds the worst has 643.
	for _, random := range []bool{false, true} {
		var e costs.Estimate
		rng := rand.New(rand.NewPCG(3, 3))
		low, mean := 0, time.Duration(0)
		for i := range 5000 {
			heavy := i%10 == 9
			if random {
				heavy = rng.IntN(10) == 0
			}
			if i > 100 && !about(e.High(), 3*ms) {
				low++
			}
			if heavy {
				observe(&e, rng, 1, 3*ms)
			} else {
				observe(&e, rng, 1, ms/10)
			}
			mean += e.Mean() / 5000 // of one moment it is that of about 16 runs
		}
		if limit := 5000 * 15 / 100; low > limit || !random && low > 0 {
			t.Errorf("random %v: High was not the expensive mode in %d of 5000 runs", random, low)
		}
		if mean < 300*time.Microsecond || mean > 500*time.Microsecond {
			t.Errorf("random %v: mean %v, want about 0.4 ms", random, mean)
		}
	}
}

// The run before an outlier is not above High by its noise: then the outlier would be the second in a row, and count
// so.
func TestEstimateIgnoresRareOutliers(t *testing.T) {
	const quiet = ms * 47 / 100
	for _, before := range []int{1, 2, 5, 19, 40, 64, 100, 127, 128, 129, 1000} {
		var e costs.Estimate
		rng := rand.New(rand.NewPCG(4, 4))
		observe(&e, rng, before, ms/2)
		e.Observe(quiet)
		e.Observe(80 * ms)
		if !about(e.High(), ms/2) || e.Mean() > ms {
			t.Errorf("an outlier of 80 ms after %d runs of 0.5 ms: mean %v, high %v",
				before, e.Mean(), e.High())
		}
	}
	var e costs.Estimate
	rng := rand.New(rand.NewPCG(5, 5))
	for i := range 10_000 {
		observe(&e, rng, 1, ms/2)
		if i%50 == 49 {
			e.Observe(quiet)
			e.Observe(80 * ms)
		}
		if i > 0 && !about(e.High(), ms/2) {
			t.Fatalf("outliers in 2 %% of the runs: high %v after %d", e.High(), i)
		}
	}
}

func TestEstimateForgets(t *testing.T) {
	for _, before := range []int{1, 10, 128, 1000} {
		var e costs.Estimate
		rng := rand.New(rand.NewPCG(7, 7))
		observe(&e, rng, before, 8*ms)
		runs := 0
		for ; !about(e.High(), ms) && runs < 1000; runs++ {
			observe(&e, rng, 1, ms)
		}
		if runs > 33 {
			t.Errorf("after %d runs of 8 ms it took %d of 1 ms to see that it got cheaper, want at most 33",
				before, runs)
		}
		observe(&e, rng, 64, ms)
		if !about(e.Mean(), ms) {
			t.Errorf("mean %v after 64 more runs of 1 ms", e.Mean())
		}
	}
}

func TestEstimateExtremes(t *testing.T) {
	for _, d := range []time.Duration{math.MinInt64, -1, 0, 1, 4095} {
		var e costs.Estimate
		for range 300 {
			e.Observe(d)
		}
		if e.Mean() != max(d, 0) || e.High() != 4608 {
			t.Errorf("runs of %v: mean %v, high %v, want %v and 4.608µs", d, e.Mean(), e.High(), max(d, 0))
		}
	}
	for _, d := range []time.Duration{1 << 30, 1 << 31, math.MaxInt64} {
		var e costs.Estimate
		for range 300 {
			e.Observe(d)
		}
		if e.High() != 1<<30 {
			t.Errorf("runs of %v: high %v, want %v", d, e.High(), time.Duration(1<<30))
		}
	}
	var e costs.Estimate
	for _, d := range []time.Duration{math.MaxInt64, math.MaxInt64, math.MinInt64} {
		e.Observe(d)
	}
	if e.Mean() < time.Hour {
		t.Errorf("mean %v after two endless runs of three", e.Mean())
	}
}

// TestEstimateStaysInRange checks the bookkeeping with any sequence: High is at least the least run and at
// most an eighth above the greatest, the mean lies between them.
func TestEstimateStaysInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var e costs.Estimate
		least, greatest := time.Duration(math.MaxInt64), time.Duration(0)
		cost := rapid.Custom(func(t *rapid.T) time.Duration {
			d := time.Duration(rapid.IntRange(4096, 1<<20).Draw(t, "cost"))
			return d << rapid.IntRange(0, 9).Draw(t, "scale")
		})
		for range rapid.IntRange(1, 600).Draw(t, "runs") {
			d := cost.Draw(t, "d")
			least, greatest = min(least, d), max(greatest, d)
			for range rapid.IntRange(1, 40).Draw(t, "times") {
				e.Observe(d)
			}
			if e.High() < least || e.High() > greatest+greatest/8 {
				t.Fatalf("high %v of runs from %v to %v", e.High(), least, greatest)
			}
			if e.Mean() < least-1 || e.Mean() > greatest {
				t.Fatalf("mean %v of runs from %v to %v", e.Mean(), least, greatest)
			}
			if err := e.Check(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestEstimateOfWhatAlwaysCostsTheSame(t *testing.T) {
	const ms = time.Millisecond
	for _, d := range []time.Duration{9*time.Microsecond + 1, ms, 3*ms + 7, 900 * ms} {
		var e costs.Estimate
		for n := range 1000 {
			e.Observe(d)
			if e.High() != d {
				t.Fatalf("High is %v after %d runs of %v", e.High(), n+1, d)
			}
		}
		e.Observe(d + 1)
		if e.High() < d || e.High() > d+d/8 {
			t.Errorf("High is %v after runs of %v and one of a ns more", e.High(), d)
		}
	}
}

// Of sixty runs High is below three at most, however close together they are.
func TestEstimateOfWhatCostsNearlyTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var e costs.Estimate
		var runs []time.Duration
		low, spread := 1<<20+rng.IntN(1<<16), 1+rng.IntN(1<<17)
		for range 60 {
			d := time.Duration(low + rng.IntN(spread))
			runs = append(runs, d)
			e.Observe(d)
		}
		above := 0
		for _, d := range runs {
			if d > e.High() {
				above++
			}
		}
		if above > 3 {
			t.Fatalf("%d of %d runs are above High, %v", above, len(runs), e.High())
		}
	}
}

func TestEstimateForgetsWhatKeepsWorkWaiting(t *testing.T) {
	for _, first := range []int{1, 2, 3, 50} {
		var e costs.Estimate
		rng := rand.New(rand.NewPCG(9, 9))
		observe(&e, rng, first, 20*ms)
		for range 10 {
			e.Refused() // the last run has cost as much
		}
		if !about(e.High(), 20*ms) {
			t.Fatalf("High is %v after %d runs of 20 ms", e.High(), first)
		}
		for frame := 1; frame <= 3; frame++ {
			if first > 1 && !about(e.High(), 20*ms) {
				t.Errorf("after %d runs of 20 ms: High is %v in frame %d", first, e.High(), frame)
			}
			e.Observe(ms)
			e.Refused()
		}
		if !about(e.High(), ms) {
			t.Errorf("after %d runs of 20 ms, High is %v although work has waited for three frames", first, e.High())
		}
		observe(&e, rng, 100, ms)
		e.Observe(20 * ms)
		if err := e.Check(); err != nil {
			t.Error(err)
		}
		if first > 1 && !about(e.High(), 20*ms) {
			t.Errorf("High is %v after the cost of %d runs has come back", e.High(), first)
		}
	}
}

// The exact cost that High returns is of runs that were seen while High was in their bucket.
func TestEstimateHighIsNoStalePeak(t *testing.T) {
	var e costs.Estimate
	const us = time.Microsecond
	for range 300 {
		e.Observe(8400 * us)
	}
	for _, d := range []time.Duration{20_000, 30_000, 40_000} {
		e.Observe(d * us)
	}
	if h := e.High(); h < 20_000*us {
		t.Fatalf("%v after three in a row above", h)
	}
	for range 128 - 115 { // until all runs count half; the histogram holds 115
		e.Observe(8900 * us)
	}
	e.Observe(1000 * us)
	if h := e.High(); h < 8900*us || h > 10_000*us {
		t.Errorf("%v, although the last 13 of those that cost about as much took 8.9 ms", h)
	}
}

func TestEstimateAllocatesNothing(t *testing.T) {
	var e costs.Estimate
	testkit.NoAllocs(t, func() {
		e.Observe(ms)
		e.Observe(e.Mean())
	})
}

func BenchmarkEstimate(b *testing.B) {
	durations := make([]time.Duration, 1024)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range durations {
		durations[i] = time.Duration(1e5 * rng.ExpFloat64())
	}
	b.Run("Observe", func(b *testing.B) {
		var e costs.Estimate
		i := 0
		for b.Loop() {
			e.Observe(durations[i&1023])
			i++
		}
	})
	b.Run("High", func(b *testing.B) {
		var e costs.Estimate
		e.Observe(ms)
		for b.Loop() {
			_ = e.High()
		}
	})
}
