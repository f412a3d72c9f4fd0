package record

import (
	"math"
	"slices"
	"time"
)

// Intervals are the intervals between the starts of successive frames, in the order of the frames. Its
// methods are the metrics: pure functions, every one of them 0 for no frames. r is the interval
// which a frame should have. The methods do not correct for coordinated omission: an interval contains its stall
// already. Metrics.ByTime answers the other question, what an input that arrives at a random time meets. A percent out
// of range counts as the nearest one in it; NaN panics.
type Intervals []time.Duration

// Total returns the sum of all intervals, the T of the formulas.
func (d Intervals) Total() time.Duration {
	var sum time.Duration
	for _, x := range d {
		sum = addSaturating(sum, x)
	}
	return sum
}

// averageFPS returns N / T: frames per second of time, never the mean of the frames' own rates, which
// fast frames dominate. It hides freezes.
func (d Intervals) averageFPS() float64 { return rate(float64(len(d)), d.Total()) }

// Max returns the longest interval.
func (d Intervals) Max() time.Duration {
	if len(d) == 0 {
		return 0
	}
	return slices.Max(d)
}

// Percentile returns the shortest interval which p percent of the frames do not exceed (nearest rank).
func (d Intervals) Percentile(p float64) time.Duration {
	mustBeNumber(p)
	return nearestRank(d.ascending(), p)
}

// hitch returns the sum of max(0, d-r).
func (d Intervals) hitch(r time.Duration) time.Duration {
	var sum time.Duration
	for _, x := range d {
		sum = addSaturating(sum, max(0, x-r))
	}
	return sum
}

// quantizedHitch returns the sum of r * max(0, round(d/r)-1): the hitch as a display with a fixed refresh
// would show it.
func (d Intervals) quantizedHitch(r time.Duration) time.Duration {
	return time.Duration(d.Missed(r)) * r
}

// HitchRatio returns 1000 * hitch / T, with hitch the sum of max(0, d-r): milliseconds of hitch in a second. It is an
// estimate from the loop's own clock; the definition is about the times at which frames were shown.
func (d Intervals) HitchRatio(r time.Duration) float64 { return 1000 * share(d.hitch(r), d.Total()) }

// quantizedHitchRatio is HitchRatio of quantizedHitch.
func (d Intervals) quantizedHitchRatio(r time.Duration) float64 {
	return 1000 * share(d.quantizedHitch(r), d.Total())
}

// hitchBand names the band of a hitch ratio: "good" up to 5 ms/s, "warning" below 10, "critical" from there. The bands
// are defined for what a display shows, so they go by quantizedHitchRatio: a frame that starts late, and is shown in
// time, is no hitch.
func hitchBand(ratio float64) string {
	switch {
	case ratio <= 5:
		return "good"
	case ratio < 10:
		return "warning"
	}
	return "critical"
}

// Missed returns the sum of m = max(0, round(d/r)-1): how many refreshes passed without a new frame.
func (d Intervals) Missed(r time.Duration) int64 {
	var sum int64
	for _, x := range d {
		sum += missedFrames(x, r)
	}
	return sum
}

// MissedPercent returns 100 * Missed / (N + Missed): the share of refreshes without a new frame.
func (d Intervals) MissedPercent(r time.Duration) float64 {
	return missedPercent(uint64(len(d)), uint64(d.Missed(r)))
}

// jank returns how many intervals are above 2r, the rule of Android's JankStats.
func (d Intervals) jank(r time.Duration) int {
	n := 0
	for _, x := range d {
		if x > 2*r {
			n++
		}
	}
	return n
}

// Lateness returns max(0, d-r) of every frame, in order.
func (d Intervals) Lateness(r time.Duration) Intervals {
	late := make(Intervals, len(d))
	for i, x := range d {
		late[i] = max(0, x-r)
	}
	return late
}

// relative returns d-r of every frame, in order: comparable across refresh rates, negative when early.
func (d Intervals) relative(r time.Duration) Intervals {
	rel := make(Intervals, len(d))
	for i, x := range d {
		rel[i] = x - r
	}
	return rel
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

// rankOf returns the index of the p-th percentile among n: ceil(n*p/100) - 1, kept in range. The factor keeps
// a product which is a whole number but for rounding from being rounded up: 99.9 % of 1000 is rank 999.
func rankOf[N int | int64](n N, p float64) N {
	rank := math.Ceil(float64(n) * p / 100 * (1 - 1e-12))
	if rank >= float64(n) {
		return n - 1
	}
	return N(max(rank, 1)) - 1
}

// rankByTime is the shortest interval such that frames no longer than it fill p percent of the time. s ascends. It is
// what an observer at a random moment meets: a frame of 1 s counts sixty times one of 17 ms.
func rankByTime(s Intervals, total time.Duration, p float64) time.Duration {
	limit := float64(total) * p / 100 * (1 - 1e-12)
	sum := 0.0
	for _, x := range s {
		if sum += float64(x); sum >= limit {
			return x
		}
	}
	return s.Max() // only by rounding, or for none
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
