package deadline

import (
	"iter"
	"math"
	"math/bits"
	"time"
)

// A Histogram counts durations from 0 to 4.5 minutes, in 1,088 buckets: exact up to 63 ns, and from there on no
// wider than 1/32 of what they hold (a logarithmic scale whose octaves are divided evenly, as in HdrHistogram).
// What is longer counts in the last bucket, which ends with the longest. The zero Histogram is empty and ready; it
// takes 9 KiB, and none of its methods allocates. It belongs to one goroutine at a time; a [Tally] may be shared.
type Histogram struct {
	counts [histBuckets]uint64
	n      uint64
	sum    uint64 // and carry times 2^64: where 10,000 wait, their waits come to 292 years in ten days
	carry  uint64
	max    time.Duration
}

const (
	histBits    = 5 // of a bucket's number within its octave
	histOctaves = 34
	histBuckets = histOctaves << histBits
)

// histBucket returns the bucket of v, which is not negative.
func histBucket(v uint64) int {
	if v < 1<<histBits {
		return int(v)
	}
	octave := bits.Len64(v) - histBits - 1
	return min(octave<<histBits+int(v>>octave), histBuckets-1)
}

// histEnd returns the longest duration in bucket i.
func histEnd(i int) time.Duration {
	if i < 1<<histBits {
		return time.Duration(i)
	}
	octave := i>>histBits - 1
	return time.Duration(i&(1<<histBits-1)+1<<histBits+1)<<octave - 1
}

// end is histEnd, but for the last bucket, which has no end of its own.
func (h *Histogram) end(i int) time.Duration {
	if i == histBuckets-1 {
		return max(histEnd(i), h.max)
	}
	return histEnd(i)
}

// Record counts d; a negative one counts as 0. It takes some 2 ns.
func (h *Histogram) Record(d time.Duration) {
	d = max(d, 0)
	h.counts[histBucket(uint64(d))]++
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

// Max returns the longest, exactly; 0 if there is none.
func (h *Histogram) Max() time.Duration { return h.max }

// Mean returns the mean, exactly as long as all durations together are less than 292 years; 0 if there is none.
func (h *Histogram) Mean() time.Duration {
	if h.n == 0 {
		return 0
	}
	mean, _ := bits.Div64(h.carry, h.sum, h.n)
	return time.Duration(mean)
}

// Quantile returns the shortest duration that a part q (from 0 to 1, and what is outside counts as the nearer of them;
// 0.5 is the median) of the durations does not exceed, rounded up by 1/32 at most, and never beyond Max, which is what
// it returns for one of more than 4.5 minutes; 0 if there is none. It panics if q is NaN. It takes up to 1 µs.
func (h *Histogram) Quantile(q float64) time.Duration {
	if q != q {
		panic("deadline: Quantile of NaN")
	}
	// The factor keeps a product that is whole but for rounding from being rounded up: 0.55 of 200 are 110.
	need := max(uint64(math.Ceil(min(max(q, 0), 1)*float64(h.n)*(1-1e-15))), 1)
	if h.n == 0 {
		return 0
	}
	seen := uint64(0)
	for i, n := range h.counts {
		if seen += n; seen >= need {
			return min(h.end(i), h.max)
		}
	}
	return h.max
}

// Buckets returns the buckets that are not empty, from the shortest durations on: the longest duration that
// belongs to each, and its count.
func (h *Histogram) Buckets() iter.Seq2[time.Duration, uint64] {
	return func(yield func(time.Duration, uint64) bool) {
		for i, n := range h.counts {
			if n > 0 && !yield(h.end(i), n) {
				return
			}
		}
	}
}

// Add adds what o has counted.
func (h *Histogram) Add(o *Histogram) {
	for i, n := range o.counts {
		h.counts[i] += n
	}
	h.n += o.n
	h.add(o.sum, o.carry)
	h.max = max(h.max, o.max)
}
