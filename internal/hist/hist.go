// Package hist counts durations in buckets: a [Histogram] on one goroutine, a [Tally] on many, and [Frames] of the
// latest intervals for a live view.
//
// The scheduler and the pool keep the times of their tasks and jobs here. Frame times have the finer histogram of
// package hdr, whose buckets are those of [Bucket], too. Every percentile of the library has the rank of [Nearest].
package hist

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"time"
)

// A Histogram counts durations up to 4.5 minutes in 1,088 buckets. A bucket is exact up to 63 ns, and otherwise no
// wider than 1/32 of its durations. Longer durations count in the last bucket.
//
// The zero Histogram is empty and ready. It takes 9 KiB, and no method allocates. One goroutine at a time.
type Histogram struct {
	counts [buckets]uint64
	n      uint64
	sum    uint64 // plus carry times 2^64: 10,000 goroutines that wait come to 292 years in ten days
	carry  uint64
	max    time.Duration
}

const (
	bucketBits = 5 // of a bucket's number within its octave
	octaves    = 34
	buckets    = octaves << bucketBits
)

// Bucket returns the bucket of v, of 2^width buckets in each octave. Below 2^(width+1) each v has its own.
func Bucket(v uint64, width int) int {
	if v < 1<<width {
		return int(v)
	}
	octave := bits.Len64(v) - width - 1
	return octave<<width + int(v>>octave)
}

// End returns the greatest v in bucket i.
func End(i, width int) uint64 {
	if i < 1<<width {
		return uint64(i)
	}
	octave := i>>width - 1
	return uint64(i&(1<<width-1)+1<<width+1)<<octave - 1
}

// Nearest returns the rank among n values, from 1, of the value that a part q of them does not exceed. A q out of 0..1
// counts as the nearest in range. The factor keeps a rounding error from raising the rank: 0.55 of 200 are 110.
func Nearest(n uint64, q float64) uint64 {
	return max(uint64(math.Ceil(min(max(q, 0), 1)*float64(n)*(1-1e-12))), 1)
}

// At returns the value among s, which ascends, that a part q of them does not exceed, or zero if there is none.
func At[T any](s []T, q float64) (v T) {
	if len(s) > 0 {
		v = s[Nearest(uint64(len(s)), q)-1]
	}
	return v
}

// Median returns the middle of values in any order: the lower one of two.
func Median[T cmp.Ordered](values []T) T { return At(slices.Sorted(slices.Values(values)), 0.5) }

// Rank returns the bucket of the value that has rank need, from 1: the first bucket up to which there are so many.
// Without one it is the last bucket.
func Rank[N uint16 | uint64](counts []N, need uint64) int {
	seen := uint64(0)
	for i, n := range counts {
		if seen += uint64(n); seen >= need {
			return i
		}
	}
	return len(counts) - 1
}

// bucketOf returns the bucket of a duration, which is not negative.
func bucketOf(d time.Duration) int { return min(Bucket(uint64(d), bucketBits), buckets-1) }

// Record counts d; a negative one counts as 0. It takes about 2 ns.
func (h *Histogram) Record(d time.Duration) {
	d = max(d, 0)
	h.counts[bucketOf(d)]++
	h.n++
	h.add(uint64(d), 0)
	h.max = max(h.max, d)
}

// add adds to the sum.
func (h *Histogram) add(sum, carry uint64) {
	h.sum, sum = bits.Add64(h.sum, sum, 0)
	h.carry += carry + sum
}

// Count returns how many durations were recorded.
func (h *Histogram) Count() uint64 { return h.n }

// Max returns the longest duration, exactly, and 0 if there is none.
func (h *Histogram) Max() time.Duration { return h.max }

// Mean returns the mean, exactly, and 0 if there is none.
func (h *Histogram) Mean() time.Duration {
	if h.n == 0 {
		return 0
	}
	mean, _ := bits.Div64(h.carry, h.sum, h.n)
	return time.Duration(mean)
}

// Percentile returns the duration that p percent of the durations do not exceed: 50 is the median. A p below 0 counts
// as 0, and one above 100 as 100. The result is rounded up by 1/32 at most, and is never beyond Max. Without durations
// it is
// 0. Percentile panics if p is NaN. It takes up to 1 µs.
func (h *Histogram) Percentile(p float64) time.Duration {
	if p != p {
		panic("hist: Percentile of NaN")
	}
	i := Rank(h.counts[:], Nearest(h.n, p/100))
	if i == buckets-1 {
		return h.max // the last bucket has no end
	}
	return min(time.Duration(End(i, bucketBits)), h.max)
}

// Add adds the counts of o.
func (h *Histogram) Add(o *Histogram) {
	for i, n := range o.counts {
		h.counts[i] += n
	}
	h.n += o.n
	h.add(o.sum, o.carry)
	h.max = max(h.max, o.max)
}

// AddSaturating returns a+b, or the nearest Duration if that is out of range.
func AddSaturating(a, b time.Duration) time.Duration {
	sum := a + b
	switch {
	case (a^sum)&(b^sum) >= 0:
		return sum
	case b > 0:
		return math.MaxInt64
	}
	return math.MinInt64
}
