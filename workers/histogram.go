package workers

import (
	"iter"
	"math"
	"math/bits"
	"sync/atomic"
	"time"
)

// A Histogram counts durations up to two minutes, in 256 buckets: exactly up to 15 ns, and from there on in buckets
// no wider than an eighth of what they hold (a logarithmic scale whose octaves are divided evenly, as in
// HdrHistogram). What is longer counts in the last bucket. The zero Histogram is empty. It is a copy: what Insight
// filled in does not change by itself.
type Histogram struct {
	counts [histBuckets]uint64
	n      uint64
	max    time.Duration
}

const (
	histBits    = 3 // of a bucket's number within its octave
	histBuckets = 35 << histBits
)

// bucketOf returns the bucket of v, which is not negative.
func bucketOf(v uint64) int {
	if v < 2<<histBits {
		return int(v)
	}
	octave := bits.Len64(v) - histBits - 1
	return min(octave<<histBits+int(v>>octave), histBuckets-1)
}

// bucketEnd returns the longest duration in bucket i.
func bucketEnd(i int) time.Duration {
	if i < 2<<histBits {
		return time.Duration(i)
	}
	octave := i>>histBits - 1
	return time.Duration(i&(1<<histBits-1)+1<<histBits+1)<<octave - 1
}

// Count returns how many durations were counted.
func (h *Histogram) Count() uint64 { return h.n }

// Max returns the longest, exactly; 0 if there is none.
func (h *Histogram) Max() time.Duration { return h.max }

// Quantile returns the shortest duration that a part q (between 0 and 1; 0.5 is the median) of the durations does
// not exceed, rounded up by an eighth at most, and never beyond Max; 0 if there is none.
func (h *Histogram) Quantile(q float64) time.Duration {
	need := max(uint64(math.Ceil(min(max(q, 0), 1)*float64(h.n))), 1)
	seen := uint64(0)
	for i, n := range h.counts {
		if seen += n; seen >= need {
			return min(bucketEnd(i), h.max)
		}
	}
	return h.max
}

// Buckets returns the buckets that are not empty, from the shortest durations on: the longest duration that
// belongs to each, and its count.
func (h *Histogram) Buckets() iter.Seq2[time.Duration, uint64] {
	return func(yield func(time.Duration, uint64) bool) {
		for i, n := range h.counts {
			if n > 0 && !yield(bucketEnd(i), n) {
				return
			}
		}
	}
}

// A tally is a Histogram that any goroutine may add to while others read it.
type tally struct {
	counts [histBuckets]atomic.Uint64
	max    atomic.Int64
}

func (t *tally) record(d time.Duration) {
	d = max(d, 0)
	t.counts[bucketOf(uint64(d))].Add(1)
	for {
		old := t.max.Load()
		if int64(d) <= old || t.max.CompareAndSwap(old, int64(d)) {
			return
		}
	}
}

// addTo adds what was counted so far to h.
func (t *tally) addTo(h *Histogram) {
	for i := range t.counts {
		n := t.counts[i].Load()
		h.counts[i] += n
		h.n += n
	}
	h.max = max(h.max, time.Duration(t.max.Load()))
}
