package record

import (
	"io"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// A histogram takes 139 KB.
const (
	histogramUnit   = time.Microsecond
	histogramMax    = 60 * time.Second
	histogramDigits = 3
)

// A Histogram is a distribution of durations up to one minute, made by NewHistogram. No value is off by more than 0.1
// %, or half a microsecond. Longer durations count in the last bucket, negative ones as 0. Max and Mean are exact. One
// goroutine at a time.
type Histogram struct {
	hdr  *hdrhistogram.Histogram
	over uint64
	max  time.Duration
	sum  time.Duration

	taken time.Time // when its Snapshot was taken; zero if it belongs to none
}

// NewHistogram returns an empty Histogram of 139 KB.
func NewHistogram() *Histogram {
	return &Histogram{hdr: hdrhistogram.New(1, int64(histogramMax/histogramUnit), histogramDigits)}
}

// Record counts d in about 5 ns. Nothing allocates.
func (h *Histogram) Record(d time.Duration) {
	d = max(0, d)
	h.max = max(h.max, d)
	h.sum = addSaturating(h.sum, d)
	if d > histogramMax {
		h.over++
		d = histogramMax
	}
	// d is in range, so the only error left is a count of 2^63.
	_ = h.hdr.RecordValue(inUnits(d))
}

// Count returns how many durations there are.
func (h *Histogram) Count() uint64 { return uint64(h.hdr.TotalCount()) }

// Max returns the longest duration.
func (h *Histogram) Max() time.Duration { return h.max }

// Sum returns the sum of the durations, at most the greatest Duration.
func (h *Histogram) Sum() time.Duration { return h.sum }

// Mean returns the mean, or 0.
func (h *Histogram) Mean() time.Duration {
	if n := h.hdr.TotalCount(); n > 0 {
		return h.sum / time.Duration(n)
	}
	return 0
}

// Percentile returns the shortest duration that p percent do not exceed. A p out of 0..100 counts as the nearest in
// range; NaN panics.
func (h *Histogram) Percentile(p float64) time.Duration {
	mustBeNumber(p)
	n := h.hdr.TotalCount()
	if n == 0 {
		return 0
	}
	if p >= 100 {
		return h.max
	}
	// HdrHistogram rounds the rank, half a rank down, so ask for the exact rank.
	rank := rankOf(n, p) + 1
	return min(h.max, time.Duration(h.hdr.ValueAtPercentile(100*float64(rank)/float64(n)))*histogramUnit)
}

// CountsTo returns, for each bound, how many durations are not longer, as the buckets of a metrics system want to know.
// The bounds ascend. A duration that is equal to a bound always counts to it. A duration that is longer by 0.1 % of the
// bound, or by half a microsecond, may count to it, too. No count is ever less than it was. CountsTo takes some 0.2 ms.
func (h *Histogram) CountsTo(bounds ...time.Duration) []uint64 {
	counts := make([]uint64, len(bounds))
	n, i := uint64(0), 0
	for _, b := range h.hdr.Distribution() {
		if b.Count == 0 {
			continue
		}
		for i < len(bounds) && (bounds[i] < 0 || inUnits(bounds[i]) < b.From) {
			counts[i] = n
			i++
		}
		n += uint64(b.Count)
	}
	for ; i < len(bounds); i++ {
		counts[i] = n
	}
	return counts
}

// inUnits returns a duration as the histogram knows it. Bounds are rounded as durations are, so that equal ones stay
// equal.
func inUnits(d time.Duration) int64 {
	return int64((min(d, histogramMax) + histogramUnit/2) / histogramUnit)
}

// merge adds all of g to h. It takes some 0.2 ms, more for a wide distribution, and nothing if g is empty.
func (h *Histogram) merge(g *Histogram) {
	if g.Count() == 0 {
		return
	}
	h.hdr.Merge(g.hdr) // the same geometry, so nothing is dropped
	h.over += g.over
	h.max = max(h.max, g.max)
	h.sum = addSaturating(h.sum, g.sum)
	if g.taken.After(h.taken) {
		h.taken = g.taken
	}
}

// reset empties h.
func (h *Histogram) reset() {
	if h.Count() == 0 {
		return // spares clearing 139 KB
	}
	h.hdr.Reset()
	h.over, h.max, h.sum = 0, 0, 0
}

// clone returns a copy of its own.
func (h *Histogram) clone() *Histogram {
	c := *h
	c.hdr = h.hdr.Clone()
	return &c
}

// WriteHGRM writes the percentiles in milliseconds, for HdrHistogram's plotters.
func (h *Histogram) WriteHGRM(w io.Writer) error {
	_, err := h.hdr.PercentilesPrint(w, 5, float64(time.Millisecond/histogramUnit))
	return err
}

// WriteHLog writes the histogram as an HdrHistogram log of one interval, tagged. Its values are in nanoseconds, as the
// readers of such logs assume. The interval is as long as all durations together, and ends when the Snapshot was taken,
// or now.
func (h *Histogram) WriteHLog(w io.Writer, tag string) error {
	// With one more digit the error stays that of h.
	c := hdrhistogram.New(int64(histogramUnit), int64(histogramMax), histogramDigits+1)
	for _, b := range h.hdr.Distribution() {
		middle := (b.From + b.To) * int64(histogramUnit) / 2
		if err := c.RecordValues(min(middle, int64(histogramMax)), b.Count); err != nil {
			return err
		}
	}
	end := h.taken
	if end.IsZero() {
		end = time.Now()
	}
	start := end.Add(-h.sum)
	c.SetStartTimeMs(start.UnixMilli())
	c.SetEndTimeMs(end.UnixMilli())
	c.SetTag(strings.Map(func(r rune) rune {
		if r <= ' ' || r == ',' { // the log's own separators
			return '-'
		}
		return r
	}, tag))
	log := hdrhistogram.NewHistogramLogWriter(w)
	if err := log.OutputLogFormatVersion(); err != nil {
		return err
	}
	if err := log.OutputStartTime(start.UnixMilli()); err != nil {
		return err
	}
	if err := log.OutputLegend(); err != nil {
		return err
	}
	return log.OutputIntervalHistogram(c)
}
