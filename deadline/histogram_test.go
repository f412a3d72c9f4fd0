package deadline_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/frameslice/frameslice/deadline"
)

// A histogram's quantiles are those of the sorted durations, or up to 1/32 more.
func TestHistogramMatchesSortedDurations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var whole deadline.Histogram
		var all []time.Duration
		for range rapid.IntRange(1, 3).Draw(t, "parts") {
			var h deadline.Histogram
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
		for _, q := range []float64{-1, 0, 0.01, 0.5, 0.9, 0.99, 1, 2} {
			got, want := whole.Quantile(q), time.Duration(0)
			if n > 0 {
				want = all[min(max(int(float64(n)*q+0.9999999)-1, 0), n-1)]
			}
			if got < want || got > want+want/32 && got != whole.Max() {
				t.Fatalf("quantile %v of %v: %v, want %v", q, all, got, want)
			}
		}
		seen, before := uint64(0), time.Duration(-1)
		for end, count := range whole.Buckets() {
			if seen += count; count == 0 || end <= before {
				t.Fatalf("bucket to %v of %d after one to %v", end, count, before)
			}
			before = end
		}
		if seen != uint64(n) {
			t.Fatalf("%d in buckets, %d recorded", seen, n)
		}
	})
}

// What is a whole number of durations but for rounding is that number.
func TestQuantileTakesNoRankTooMany(t *testing.T) {
	for n := range 300 {
		for percent := range 101 {
			rank := (percent*n + 99) / 100
			for zeros := max(rank-1, 0); zeros <= rank; zeros++ {
				var h deadline.Histogram
				for i := range n {
					h.Record(time.Duration(min(max(i+1-zeros, 0), 1)))
				}
				want := time.Duration(0)
				if zeros < max(rank, 1) && n > 0 {
					want = 1
				}
				if got := h.Quantile(float64(percent) / 100); got != want {
					t.Fatalf("%d %% of %d zeros and %d ones: %d, want %d", percent, zeros, n-zeros, got, want)
				}
			}
		}
	}
}

// A tally of many goroutines is the histogram of what they recorded, whoever it was, and adds to what is there.
func TestTallyIsAHistogram(t *testing.T) {
	var shared deadline.Tally
	var want deadline.Histogram
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

// The sum of what many wait for is soon longer than the longest Duration: 10,000 come to 292 years in ten days.
func TestTheMeanOfLongWaitsIsExact(t *testing.T) {
	const long = 1<<63 - 1
	var h, whole deadline.Histogram
	var shared deadline.Tally
	for _, d := range []time.Duration{long, long, long, long - 4, long - 6} {
		h.Record(d)
		shared.Record(d)
	}
	if h.Mean() != long-2 {
		t.Errorf("the mean is %v, want %v", h.Mean(), time.Duration(long-2))
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

func BenchmarkHistogramRecord(b *testing.B) {
	var h deadline.Histogram
	d := time.Duration(1)
	for b.Loop() {
		h.Record(d)
		d = d*3/2 + 1
		d &= 1<<36 - 1
	}
}

func BenchmarkTallyRecord(b *testing.B) {
	var h deadline.Tally
	d := time.Duration(1)
	for b.Loop() {
		h.Record(d)
		d = d*3/2 + 1
		d &= 1<<36 - 1
	}
}

func BenchmarkTallyAddTo(b *testing.B) {
	var t deadline.Tally
	var h deadline.Histogram
	for b.Loop() {
		t.AddTo(&h)
	}
}

func ExampleHistogram() {
	var frames deadline.Histogram
	for i := range 100 {
		frames.Record(time.Duration(i) * time.Millisecond / 10)
	}
	fmt.Println(frames.Count(), "frames, at most", frames.Max(), "and half of them", frames.Quantile(0.5))
	// Output:
	// 100 frames, at most 9.9ms and half of them 4.980735ms
}
