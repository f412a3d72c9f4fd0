package record

import (
	"math"
	"slices"
	"time"
)

// A Distribution is the order statistics of some durations. The percentiles are by nearest rank, or, of a
// Histogram, within one part in a thousand, or half a microsecond; Max and Mean are exact.
type Distribution struct {
	N    uint64        `json:"n"`
	Mean time.Duration `json:"mean_ns"`
	P50  time.Duration `json:"p50_ns"`
	P90  time.Duration `json:"p90_ns"`
	P99  time.Duration `json:"p99_ns"`
	P999 time.Duration `json:"p999_ns"`
	Max  time.Duration `json:"max_ns"`
}

// distribution returns the order statistics of h.
func (h *Histogram) distribution() Distribution {
	return Distribution{
		N: h.Count(), Mean: h.Mean(), P50: h.Percentile(50), P90: h.Percentile(90),
		P99: h.Percentile(99), P999: h.Percentile(99.9), Max: h.max,
	}
}

// distributionOf is of s, which ascends and may hold negative durations.
func distributionOf(s Intervals) Distribution {
	if len(s) == 0 {
		return Distribution{}
	}
	sum := 0.0
	for _, x := range s {
		sum += float64(x)
	}
	return Distribution{
		N: uint64(len(s)), Mean: time.Duration(math.Round(sum / float64(len(s)))),
		P50: nearestRank(s, 50), P90: nearestRank(s, 90), P99: nearestRank(s, 99),
		P999: nearestRank(s, 99.9), Max: s[len(s)-1],
	}
}

// Metrics are all metrics of one series of intervals. d is an interval, r the target, T the sum of all.
// Durations are in nanoseconds in JSON.
type Metrics struct {
	// N frames took Time; Target is r.
	N      int           `json:"n"`
	Time   time.Duration `json:"time_ns"`
	Target time.Duration `json:"target_ns"`

	AverageFPS float64 `json:"average_fps"`
	// ByFrame counts every frame once, ByTime weighs it by its length, as an observer at a random moment does: a frame
	// of 1 s counts sixty times one of 17 ms. The mean by time is sum d² / T.
	ByFrame Distribution `json:"interval_by_frame"`
	ByTime  Distribution `json:"interval_by_time"`
	// Lateness is of max(0, d-r).
	Lateness Distribution `json:"lateness"`
	// Relative is of d-r; Earliest and P1 are its lower end.
	Relative Distribution  `json:"relative"`
	P1       time.Duration `json:"relative_p1_ns"`
	Earliest time.Duration `json:"relative_min_ns"`

	Hitch               time.Duration `json:"hitch_ns"`
	HitchRatio          float64       `json:"hitch_ratio_ms_per_s"`
	HitchBand           string        `json:"hitch_band"`
	QuantizedHitch      time.Duration `json:"quantized_hitch_ns"`
	QuantizedHitchRatio float64       `json:"quantized_hitch_ratio_ms_per_s"`
	Missed              int64         `json:"missed"`
	MissedPercent       float64       `json:"missed_percent"`
	WorstRegion         time.Duration `json:"worst_region_ns"`

	LowIntegral   float64 `json:"low_1_percent_integral_fps"`
	LowAverage    float64 `json:"low_1_percent_average_fps"`
	LowPercentile float64 `json:"low_1_percent_percentile_fps"`

	StutterPercent float64 `json:"stutter_time_percent"`
	StutterFactor  float64 `json:"stutter_factor"`
	StutterWindow  int     `json:"stutter_window_frames"`
	Jank           int     `json:"jank"`

	// P99Confidence is in milliseconds, HitchRatioConfidence in ms/s, both by Resampling.
	P99Confidence        Confidence `json:"p99_confidence_ms"`
	HitchRatioConfidence Confidence `json:"hitch_ratio_confidence_ms_per_s"`
	Resampling           Bootstrap  `json:"bootstrap"`
}

// Measure returns all metrics of d for the target interval r. The bootstrap has seed 1 and makes this slow:
// some 20 ms for 4096 frames. d is not changed.
func (d Intervals) Measure(r time.Duration) Metrics {
	s, rel := d.ascending(), d.relative(r)
	slices.Sort(rel)
	m := Metrics{
		N: len(d), Time: d.Total(), Target: r,
		AverageFPS: d.averageFPS(), ByFrame: distributionOf(s), ByTime: byTime(s),
		Lateness: distributionOf(s.Lateness(r)), Relative: distributionOf(rel),
		P1: nearestRank(rel, 1), Earliest: nearestRank(rel, 0),
		Hitch: d.hitch(r), HitchRatio: d.HitchRatio(r), HitchBand: hitchBand(d.quantizedHitchRatio(r)),
		QuantizedHitch: d.quantizedHitch(r), QuantizedHitchRatio: d.quantizedHitchRatio(r),
		Missed: d.Missed(r), MissedPercent: d.MissedPercent(r), WorstRegion: d.worstRegion(),
		LowIntegral: lowIntegral(s), LowAverage: lowAverage(s), LowPercentile: lowPercentile(s),
		StutterFactor: stutterFactor, StutterWindow: d.stutterWindow(), StutterPercent: d.stutterPercent(),
		Jank:       d.jank(r),
		Resampling: Bootstrap{Seed: 1}.withDefaults(len(d)),
	}
	m.P99Confidence, m.HitchRatioConfidence = d.Bootstrap(r, m.Resampling)
	return m
}

// byTime is the distribution of s, which ascends, with every interval weighed by itself.
func byTime(s Intervals) Distribution {
	if len(s) == 0 {
		return Distribution{}
	}
	total, squares := s.Total(), 0.0
	for _, x := range s {
		squares += float64(x) * float64(x)
	}
	at := func(p float64) time.Duration { return rankByTime(s, total, p) }
	dist := Distribution{
		N: uint64(len(s)), P50: at(50), P90: at(90), P99: at(99), P999: at(99.9), Max: s[len(s)-1],
	}
	if total > 0 {
		dist.Mean = time.Duration(math.Round(squares / float64(total)))
	}
	return dist
}
