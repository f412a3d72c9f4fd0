package record

import (
	"math"
	"slices"
	"time"
)

// Intervals are the times between successive frames. Its methods are the metrics, each 0 for no frames. r is the
// interval that a frame should have. A percent out of range counts as the nearest in range; NaN panics.
type Intervals []time.Duration

// Total returns the sum, the T of the formulas.
func (d Intervals) Total() time.Duration {
	var sum time.Duration
	for _, x := range d {
		sum = addSaturating(sum, x)
	}
	return sum
}

// Max returns the longest interval.
func (d Intervals) Max() time.Duration {
	if len(d) == 0 {
		return 0
	}
	return slices.Max(d)
}

// Percentile returns the shortest interval that p percent do not exceed.
func (d Intervals) Percentile(p float64) time.Duration {
	mustBeNumber(p)
	return nearestRank(d.ascending(), p)
}

// HitchRatio returns milliseconds of hitch in a second: 1000 * sum of max(0, d-r) / T.
func (d Intervals) HitchRatio(r time.Duration) float64 {
	return 1000 * share(d.Lateness(r).Total(), d.Total())
}

// Missed returns the refreshes without a new frame: the sum of max(0, round(d/r)-1).
func (d Intervals) Missed(r time.Duration) int64 {
	var sum int64
	for _, x := range d {
		sum += missedFrames(x, r)
	}
	return sum
}

// MissedPercent returns 100 * Missed / (N + Missed).
func (d Intervals) MissedPercent(r time.Duration) float64 {
	return missedPercent(uint64(len(d)), uint64(d.Missed(r)))
}

// Lateness returns max(0, d-r) of each frame.
func (d Intervals) Lateness(r time.Duration) Intervals {
	late := make(Intervals, len(d))
	for i, x := range d {
		late[i] = max(0, x-r)
	}
	return late
}

// hitchBand names the band of a hitch ratio: "good" up to 5 ms/s, "warning" below 10, "critical" from there. The bands
// are defined for the frames that a display shows, so they go by the quantized ratio.
func hitchBand(ratio float64) string {
	switch {
	case ratio <= 5:
		return "good"
	case ratio < 10:
		return "warning"
	}
	return "critical"
}

// mustBeNumber panics if the p of Percentile is NaN.
func mustBeNumber(p float64) {
	if math.IsNaN(p) {
		panic("record: Percentile of NaN")
	}
}

func (d Intervals) ascending() Intervals {
	s := slices.Clone(d)
	slices.Sort(s)
	return s
}

// missedFrames is how many refreshes of r a frame of d left without a new picture: max(0, round(d/r)-1).
func missedFrames(d, r time.Duration) int64 {
	if r <= 0 || d <= r {
		return 0
	}
	return int64(math.Round(float64(d)/float64(r))) - 1
}

func missedPercent(frames, missed uint64) float64 {
	if frames+missed == 0 {
		return 0
	}
	return 100 * float64(missed) / float64(frames+missed)
}

// nearestRank is the p-th percentile of s, which ascends.
func nearestRank(s Intervals, p float64) time.Duration {
	if len(s) == 0 {
		return 0
	}
	return s[rankOf(len(s), p)]
}

// rankOf returns the index of the p-th percentile among n: ceil(n*p/100) - 1, kept in range. The factor keeps a
// rounding error from raising the rank: 99.9 % of 1000 is rank 999.
func rankOf[N int | int64](n N, p float64) N {
	rank := math.Ceil(float64(n) * p / 100 * (1 - 1e-12))
	if rank >= float64(n) {
		return n - 1
	}
	return N(max(rank, 1)) - 1
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
