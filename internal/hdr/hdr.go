// Package hdr has the finer histogram of the library, for frame times, with the files of HdrHistogram's tools.
package hdr

import (
	"math"
	"slices"
	"time"

	"github.com/frameslice/frameslice/internal/hist"
)

// A histogram takes 139 KB. Its buckets are those of an HdrHistogram with three digits.
const (
	histogramUnit    = time.Microsecond
	histogramMax     = 60 * time.Second
	histogramWidth   = 10
	histogramBuckets = 17 << histogramWidth
)

// A Histogram is a distribution of durations up to one minute, made by New. No value is off by more than 0.1
// %, or half a microsecond. Longer durations count in the last bucket, negative ones as 0. Max and Mean are exact. One
// goroutine at a time.
type Histogram struct {
	counts  []uint64
	n, over uint64
	max     time.Duration
	sum     time.Duration

	end time.Time // see EndAt
}

// New returns an empty Histogram of 139 KB.
func New() *Histogram { return &Histogram{counts: make([]uint64, histogramBuckets)} }

// Record counts d in about 5 ns. Nothing allocates.
func (h *Histogram) Record(d time.Duration) {
	d = max(0, d)
	h.max = max(h.max, d)
	h.sum = hist.AddSaturating(h.sum, d)
	if d > histogramMax {
		h.over++
	}
	h.counts[bucketOf(d)]++
	h.n++
}

// bucketOf returns the bucket of a duration, which is not negative.
func bucketOf(d time.Duration) int {
	return hist.Bucket(uint64((min(d, histogramMax)+histogramUnit/2)/histogramUnit), histogramWidth)
}

// Count returns how many durations there are.
func (h *Histogram) Count() uint64 { return h.n }

// Over returns how many durations are longer than a minute.
func (h *Histogram) Over() uint64 { return h.over }

// Max returns the longest duration.
func (h *Histogram) Max() time.Duration { return h.max }

// Sum returns the sum of the durations, at most the greatest Duration.
func (h *Histogram) Sum() time.Duration { return h.sum }

// Mean returns the mean, or 0.
func (h *Histogram) Mean() time.Duration {
	if h.n > 0 {
		return h.sum / time.Duration(h.n)
	}
	return 0
}

// Percentile returns the shortest duration that p percent do not exceed. A p out of 0..100 counts as the nearest in
// range; NaN panics.
func (h *Histogram) Percentile(p float64) time.Duration {
	if math.IsNaN(p) {
		panic("record: Percentile of NaN")
	}
	if p >= 100 || h.n == 0 {
		return h.max
	}
	bucket := hist.Rank(h.counts, hist.Nearest(h.n, p/100))
	return min(h.max, time.Duration(hist.End(bucket, histogramWidth))*histogramUnit)
}

// CountsTo returns, for each bound, how many durations are not longer, as the buckets of a metrics system want to know.
// The bounds ascend. A duration that is equal to a bound always counts to it. A duration that is longer by 0.1 % of the
// bound, or by half a microsecond, may count to it, too. No count is ever less than it was. CountsTo takes about 10 µs.
func (h *Histogram) CountsTo(bounds ...time.Duration) []uint64 {
	counts := make([]uint64, len(bounds))
	n, i := uint64(0), 0
	for k, bound := range bounds {
		for ; bound >= 0 && i <= bucketOf(bound); i++ {
			n += h.counts[i]
		}
		counts[k] = n
	}
	return counts
}

// Merge adds all of g to h. It takes about 10 µs, and nothing if g is empty.
func (h *Histogram) Merge(g *Histogram) {
	if g.n == 0 {
		return
	}
	for i, n := range g.counts {
		h.counts[i] += n
	}
	h.n += g.n
	h.over += g.over
	h.max = max(h.max, g.max)
	h.sum = hist.AddSaturating(h.sum, g.sum)
	if g.end.After(h.end) {
		h.end = g.end
	}
}

// Reset empties h.
func (h *Histogram) Reset() {
	if h.n == 0 {
		return // spares clearing 139 KB
	}
	clear(h.counts)
	h.n, h.over, h.max, h.sum = 0, 0, 0, 0
}

// Clone returns a copy of its own.
func (h *Histogram) Clone() *Histogram {
	c := *h
	c.counts = slices.Clone(h.counts)
	return &c
}

// EndAt says when the last duration had ended, for WriteHLog. The default is the time of that call.
func (h *Histogram) EndAt(t time.Time) { h.end = t }
