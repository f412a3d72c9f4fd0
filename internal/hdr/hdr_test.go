package hdr

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/internal/hist"
)

// randomDurations spreads over all magnitudes up to a minute.
func randomDurations(seed uint64, n int) []time.Duration {
	rng := rand.New(rand.NewPCG(seed, 1))
	d := make([]time.Duration, n)
	for i := range d {
		d[i] = time.Duration(math.Exp(rng.Float64() * math.Log(float64(time.Minute))))
	}
	return d
}

func TestHistogramIsWithinOnePartInAThousand(t *testing.T) {
	d := randomDurations(1, 20_000)
	h := New()
	for _, x := range d {
		h.Record(x)
	}
	slices.Sort(d)
	for _, p := range []float64{0.1, 1, 10, 25, 50, 75, 90, 99, 99.9, 99.99, 100} {
		got, want := h.Percentile(p), hist.At(d, p/100)
		if bound := max(want/1000, time.Microsecond/2) + time.Microsecond/2; (got - want).Abs() > bound {
			t.Errorf("p%v: got %v, want %v within %v", p, got, want, bound)
		}
	}
	bounds := []time.Duration{-1, 0, time.Microsecond, time.Second / 60, time.Minute, time.Hour}
	counts := h.CountsTo(bounds...)
	for i, at := range bounds {
		least, _ := slices.BinarySearch(d, at-max(at/1000, time.Microsecond))
		most, _ := slices.BinarySearch(d, at+max(at/1000, time.Microsecond))
		if got := counts[i]; got < uint64(least) || got > uint64(most) {
			t.Errorf("to %v: got %d, want %d to %d", at, got, least, most)
		}
	}
	if got, want := h.Max(), d[len(d)-1]; got != want {
		t.Errorf("max: got %v, want exactly %v", got, want)
	}
	sum := time.Duration(0)
	for _, x := range d {
		sum += x
	}
	if h.Sum() != sum {
		t.Errorf("sum: got %v, want exactly %v", h.Sum(), sum)
	}
}

// A duration that is equal to a bound counts to it, whatever the width of the buckets there. One that is longer by more
// than a part in a thousand does not.
func TestCountsToABoundIncludeTheBound(t *testing.T) {
	bounds := []time.Duration{0, 1, 499, 500, 1500 * time.Nanosecond, time.Second / 60, time.Second / 144, time.Minute}
	for _, m := range []time.Duration{1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 25, 33, 50, 64, 100, 250, 500, 1000, 30_000} {
		bounds = append(bounds, m*time.Millisecond, m*time.Millisecond+m*time.Microsecond/2)
	}
	for _, bound := range bounds {
		h := New()
		h.Record(bound)
		h.Record(bound + bound/900 + 2*time.Microsecond)
		want := uint64(1)
		if bound == time.Minute {
			want = 2 // longer ones are known as a minute
		}
		if got := h.CountsTo(bound); got[0] != want {
			t.Errorf("to %v: got %d, want %d", bound, got[0], want)
		}
	}
}

// Of few durations the ranks differ, not the values alone: 99 % of 160 are 158.4, so the 159th is the first that
// does not leave more than 1 % behind it. The library HdrHistogram takes the 158th.
func TestHistogramPercentileIsTheNearestRank(t *testing.T) {
	for n := 1; n <= 400; n++ {
		h, d := New(), make([]time.Duration, n)
		for i := range d {
			d[i] = time.Duration(i+1) * time.Microsecond
			h.Record(d[i])
		}
		for _, p := range []float64{math.Inf(-1), -1e300, 0, 0.1, 1, 33.3, 50, 90, 99, 99.9, 100, 1e300, math.Inf(1)} {
			if got, want := h.Percentile(p), hist.At(d, p/100); got != want {
				t.Fatalf("p%v of 1 to %d µs: got %v, want %v", p, n, got, want)
			}
		}
	}
}

func TestHistogramLosesNothingOutOfRange(t *testing.T) {
	h := New()
	if h.Count() != 0 || h.Mean() != 0 || h.Max() != 0 || h.Percentile(50) != 0 || h.Percentile(100) != 0 {
		t.Errorf("an empty histogram is not all zero: %d, %v", h.Count(), h.Mean())
	}
	for _, d := range []time.Duration{-5, math.MinInt64, time.Millisecond, 30 * time.Minute, math.MaxInt64} {
		h.Record(d)
	}
	if h.Count() != 5 || h.over != 2 || h.Max() != math.MaxInt64 || h.sum != math.MaxInt64 {
		t.Errorf("got count %d, over %d, max %d, sum %d; want 5, 2 and both saturated",
			h.Count(), h.over, h.Max(), h.sum)
	}
	if got := h.Percentile(20); got != 0 {
		t.Errorf("p20 of two negative durations among five: got %v, want 0", got)
	}
	if got := h.Percentile(80); (got - time.Minute).Abs() > time.Minute/1000 {
		t.Errorf("p80: got %v, want the top of the range", got)
	}
}

func TestHistogramMergeIsRecordingBoth(t *testing.T) {
	a, b, both := New(), New(), New()
	for i, d := range append(randomDurations(3, 2000), time.Hour) {
		both.Record(d)
		if i%3 == 0 {
			a.Record(d)
		} else {
			b.Record(d)
		}
	}
	c := a.Clone()
	c.Merge(b)
	if !slices.Equal(c.counts, both.counts) || c.Mean() != both.Mean() || c.Max() != both.Max() || c.n != both.n ||
		c.Over() != both.Over() {
		t.Errorf("got %d of mean %v, want %d of mean %v", c.Count(), c.Mean(), both.Count(), both.Mean())
	}
	if a.Count() == c.Count() {
		t.Error("Merge into a clone changed its original")
	}
	if c.Reset(); c.Count() != 0 || c.Max() != 0 || c.sum != 0 || c.over != 0 {
		t.Error("Reset left something")
	}
}

func TestHGRMHoldsThePercentilesInMilliseconds(t *testing.T) {
	h := New()
	for i := range 1000 {
		h.Record(time.Duration(i+1) * time.Millisecond)
	}
	var buf strings.Builder
	err := h.WriteHGRM(&buf)
	for _, row := range []string{"     500.223     0.500000          500 ", "    1000.447     1.000000         1000 "} {
		if err != nil || !strings.Contains(buf.String(), row) {
			t.Errorf("%v; no %q in\n%s", err, row, &buf)
		}
	}
}

// A loop of 1,000 Hz counts more frames in 25 days than an int of 32 bits.
func TestPercentilesOfMoreFramesThanAnIntHolds(t *testing.T) {
	h := New()
	for _, d := range []struct {
		ms time.Duration
		n  uint64
	}{{1, 2 << 30}, {2, 1 << 30}, {9, 1000}} {
		h.counts[bucketOf(d.ms*time.Millisecond)] += d.n
		h.n += d.n
	}
	h.Record(9 * time.Millisecond) // Max
	for p, want := range map[float64]time.Duration{50: time.Millisecond, 90: 2 * time.Millisecond} {
		if got := h.Percentile(p); got.Round(10*time.Microsecond) != want {
			t.Errorf("p%v is %v, want %v", p, got, want)
		}
	}
}
