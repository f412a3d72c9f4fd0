package hist

import (
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/frameslice/frameslice/internal/testkit"
)

// A histogram's quantiles are those of the sorted durations, or up to 1/32 more.
func TestHistogramMatchesSortedDurations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var whole Histogram
		var all []time.Duration
		for range rapid.IntRange(1, 3).Draw(t, "parts") {
			var h Histogram
			for range rapid.IntRange(0, 50).Draw(t, "n") {
				shift := rapid.IntRange(0, 44).Draw(t, "shift")
				d := time.Duration(rapid.Int64Range(-1, 1<<shift).Draw(t, "d"))
				h.Record(d)
				all = append(all, max(d, 0))
			}
			whole.Add(&h)
		}
		slices.Sort(all)
		n, sum := len(all), time.Duration(0)
		for _, d := range all {
			sum += d
		}
		if whole.Count() != uint64(n) || n > 0 && (whole.Max() != all[n-1] || whole.Mean() != sum/time.Duration(n)) {
			t.Fatalf("%d of mean %v, max %v; recorded %v", whole.Count(), whole.Mean(), whole.Max(), all)
		}
		for _, q := range []float64{math.Inf(-1), -1, 0, 0.01, 0.5, 0.9, 0.99, 1, 2, math.Inf(1)} {
			got, want := whole.Percentile(100*q), time.Duration(0)
			if n > 0 {
				want = all[int(min(max(math.Ceil(float64(n)*q)-1, 0), float64(n-1)))]
			}
			if got < want || got > want+want/32 && got != whole.Max() {
				t.Fatalf("percentile %v of %v: %v, want %v", q, all, got, want)
			}
		}
	})
}

// A rank that is whole but for rounding is not rounded up.
func TestPercentileTakesNoRankTooMany(t *testing.T) {
	for n := range 300 {
		for percent := range 101 {
			rank := (percent*n + 99) / 100
			for zeros := max(rank-1, 0); zeros <= rank; zeros++ {
				var h Histogram
				for i := range n {
					h.Record(time.Duration(min(max(i+1-zeros, 0), 1)))
				}
				want := time.Duration(0)
				if zeros < max(rank, 1) && n > 0 {
					want = 1
				}
				if got := h.Percentile(float64(percent)); got != want {
					t.Fatalf("%d %% of %d zeros and %d ones: %d, want %d", percent, zeros, n-zeros, got, want)
				}
			}
		}
	}
}

func TestPercentileOfNaN(t *testing.T) {
	testkit.Panics(t, "hist: Percentile of NaN", func() { new(Histogram).Percentile(math.NaN()) })
}

// A tally of many goroutines is the histogram of all their durations, and adds to what is there.
func TestTallyIsAHistogram(t *testing.T) {
	var shared Tally
	var want Histogram
	want.Record(time.Hour)
	got := want
	var all sync.WaitGroup
	for g := range 4 {
		for i := range 1000 {
			want.Record(time.Duration((i - 1) * (g + 1) * i))
		}
		all.Go(func() {
			for i := range 1000 {
				shared.Record(time.Duration((i - 1) * (g + 1) * i))
			}
		})
	}
	all.Wait()
	if shared.AddTo(&got); got != want {
		t.Errorf("%d durations of mean %v, at most %v, want %d, %v, %v", got.Count(), got.Mean(), got.Max(),
			want.Count(), want.Mean(), want.Max())
	}
}

// The sum may be longer than the longest Duration: the waits of 10,000 goroutines come to 292 years in ten days.
func TestTheMeanOfLongWaitsIsExact(t *testing.T) {
	const long = 1<<63 - 1
	var h, whole Histogram
	var shared Tally
	for _, d := range []time.Duration{long, long, long, long - 4, long - 6} {
		h.Record(d)
		shared.Record(d)
	}
	if h.Mean() != long-2 || h.Percentile(50) != long {
		t.Errorf("mean %v, median %v", h.Mean(), h.Percentile(50))
	}
	shared.AddTo(&whole)
	if whole != h {
		t.Errorf("the tally's mean is %v, want %v", whole.Mean(), h.Mean())
	}
	whole.Add(&h)
	if whole.Mean() != long-2 {
		t.Errorf("the mean of both is %v, want %v", whole.Mean(), time.Duration(long-2))
	}
}

func BenchmarkRecord(b *testing.B) {
	var h Histogram
	var shared Tally
	for name, record := range map[string]func(time.Duration){"Histogram": h.Record, "Tally": shared.Record} {
		b.Run(name, func(b *testing.B) {
			d := time.Duration(1)
			for b.Loop() {
				record(d)
				d = (d*3/2 + 1) & (1<<36 - 1)
			}
		})
	}
}
