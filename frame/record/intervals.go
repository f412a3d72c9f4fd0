package record

import (
	"math"
	"slices"
	"time"

	"github.com/frameslice/frameslice/internal/hist"
)

// Intervals are the times between successive frames. The argument r of its methods is the interval that a frame should
// have.
type Intervals []time.Duration

// total returns the sum, the T of the formulas.
func (d Intervals) total() time.Duration {
	var sum time.Duration
	for _, x := range d {
		sum = hist.AddSaturating(sum, x)
	}
	return sum
}

// Percentile returns the shortest interval that p percent do not exceed, or 0 for no frames. A p out of 0..100 counts
// as the nearest in range; NaN panics.
func (d Intervals) Percentile(p float64) time.Duration {
	if math.IsNaN(p) {
		panic("record: Percentile of NaN")
	}
	return hist.At(d.ascending(), p/100)
}

// lateBy returns the sum of max(0, d-r).
func (d Intervals) lateBy(r time.Duration) time.Duration {
	var sum time.Duration
	for _, x := range d {
		sum = hist.AddSaturating(sum, max(0, x-r))
	}
	return sum
}

func (d Intervals) ascending() Intervals {
	s := slices.Clone(d)
	slices.Sort(s)
	return s
}

// rate returns n per second of t.
func rate(n float64, t time.Duration) float64 {
	if t <= 0 {
		return 0
	}
	return n / t.Seconds()
}

func share(part, whole time.Duration) float64 {
	if whole <= 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
