package record

import (
	"math"
	"slices"
	"time"

	"github.com/frameslice/frameslice/internal/hdr"
	"github.com/frameslice/frameslice/internal/hist"
	"github.com/frameslice/frameslice/internal/refresh"
	"github.com/frameslice/frameslice/internal/words"
)

// Mean and Max of a Distribution are exact. Percentiles from a Snapshot are off by up to 0.1 %, or half a microsecond.
type Distribution struct {
	N    uint64        `json:"n"`
	Mean time.Duration `json:"mean_ns"`
	P50  time.Duration `json:"p50_ns"`
	P90  time.Duration `json:"p90_ns"`
	P99  time.Duration `json:"p99_ns"`
	P999 time.Duration `json:"p999_ns"`
	Max  time.Duration `json:"max_ns"`
}

// distributionBy asks at for the percentiles.
func distributionBy(n uint64, mean, most time.Duration, at func(percent float64) time.Duration) Distribution {
	return Distribution{N: n, Mean: mean, P50: at(50), P90: at(90), P99: at(99), P999: at(99.9), Max: most}
}

// distributionIn returns the order statistics of h.
func distributionIn(h *hdr.Histogram) Distribution {
	return distributionBy(h.Count(), h.Mean(), h.Max(), h.Percentile)
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
	mean := time.Duration(math.Round(sum / float64(len(s))))
	return distributionBy(uint64(len(s)), mean, s[len(s)-1], func(p float64) time.Duration { return hist.At(s, p/100) })
}

// Metrics are the figures of N intervals d for a target interval r. T is the sum of the intervals. The JSON lacks those
// that Report.Run has for all frames.
type Metrics struct {
	N          int           `json:"n"`
	Time       time.Duration `json:"time_ns"` // T
	AverageFPS float64       `json:"-"`
	// ByTime weighs each interval by its length. Lateness is of max(0, d-r).
	ByFrame  Distribution `json:"-"`
	ByTime   Distribution `json:"interval_by_time"`
	Lateness Distribution `json:"-"`

	// Missed are the refreshes without a new frame, m = max(0, round(d/r)-1). MissedPercent is 100 m / (N+m).
	Missed        int64   `json:"-"`
	MissedPercent float64 `json:"-"`
	// HitchRatio is the ms of lateness in a second. QuantizedHitchRatio is in whole refreshes, as a display with a
	// fixed rate shows it. HitchBand is "good", "warning" or "critical", by the quantized ratio.
	HitchRatio          float64 `json:"-"`
	QuantizedHitchRatio float64 `json:"-"`
	HitchBand           string  `json:"-"`

	// WorstRegion is the frame-time discrepancy: how far the worst stretch deviates from the mean rate, in time. Pauses
	// close together add up.
	WorstRegion time.Duration `json:"worst_region_ns"`

	// Three definitions of the "1 % low". The longest intervals, down to that of LowIntegral, sum up to 1 % of T.
	// LowAverage is of the mean of the ceil(N/100) longest, LowPercentile of rank floor(N/100) from the longest.
	LowIntegral   float64 `json:"low_1_percent_integral_fps"`
	LowAverage    float64 `json:"low_1_percent_average_fps"`
	LowPercentile float64 `json:"low_1_percent_percentile_fps"`

	// Share of time in frames longer than StutterFactor times the moving mean of StutterWindow frames.
	StutterPercent float64 `json:"stutter_time_percent"`
	StutterFactor  float64 `json:"stutter_factor"`
	StutterWindow  int     `json:"stutter_window_frames"`

	// By bootstrap, always with the same seed.
	P99Confidence        Confidence `json:"p99_confidence_ms"`
	HitchRatioConfidence Confidence `json:"hitch_ratio_confidence_ms_per_s"`
}

// Measure returns all metrics of d for the target interval r. It takes about 20 ms for 4,096 frames, most of that for
// the confidence intervals.
func (d Intervals) Measure(r time.Duration) Metrics {
	m := d.Figures(r)
	m.P99Confidence, m.HitchRatioConfidence = d.bootstrap(r, 1)
	return m
}

// Figures returns what Measure does, without the confidence intervals. It takes about 0.5 ms for 4,096 frames.
func (d Intervals) Figures(r time.Duration) Metrics {
	s, late, missed, total := d.ascending(), make(Intervals, len(d)), int64(0), d.total()
	for i, x := range d {
		late[i] = max(0, x-r)
		missed += refresh.Missed(x, r)
	}
	m := Metrics{
		N: len(d), Time: total, AverageFPS: rate(float64(len(d)), total), ByFrame: distributionOf(s), ByTime: byTime(s),
		Missed: missed, MissedPercent: hist.MissedPercent(uint64(len(d)), uint64(missed)),
		HitchRatio:          1000 * share(d.lateBy(r), total),
		QuantizedHitchRatio: 1000 * share(time.Duration(missed)*r, total),
		WorstRegion:         d.worstRegion(),
		LowIntegral:         lowIntegral(s), LowAverage: lowAverage(s), LowPercentile: lowPercentile(s),
		StutterFactor: stutterFactor, StutterWindow: d.stutterWindow(), StutterPercent: d.stutterPercent(),
	}
	m.HitchBand = hitchBand(m.QuantizedHitchRatio)
	slices.Sort(late)
	m.Lateness = distributionOf(late)
	return m
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

// byTime is the distribution of s, which ascends, with every interval weighed by itself. The mean is sum d² / T.
func byTime(s Intervals) Distribution {
	if len(s) == 0 {
		return Distribution{}
	}
	total, squares := s.total(), 0.0
	for _, x := range s {
		squares += float64(x) * float64(x)
	}
	mean := time.Duration(0)
	if total > 0 {
		mean = time.Duration(math.Round(squares / float64(total)))
	}
	return distributionBy(uint64(len(s)), mean, s[len(s)-1],
		func(p float64) time.Duration { return rankByTime(s, total, p) })
}

// rankByTime is the shortest interval such that frames no longer than it fill p percent of the time. s ascends.
func rankByTime(s Intervals, total time.Duration, p float64) time.Duration {
	limit := float64(total) * p / 100 * (1 - 1e-12)
	sum := 0.0
	for _, x := range s {
		if sum += float64(x); sum >= limit {
			return x
		}
	}
	return s[len(s)-1] // only by rounding
}

// lowPart is the part of the "1 % low". The functions take intervals s, which ascend, and return FPS.
const lowPart = 0.01

func lowIntegral(s Intervals) float64 {
	limit := lowPart * float64(s.total()) * (1 - 1e-12)
	sum, low := 0.0, time.Duration(0)
	for i := len(s) - 1; i >= 0 && low == 0; i-- {
		if sum += float64(s[i]); sum >= limit {
			low = s[i]
		}
	}
	return rate(1, low)
}

// lowAverage chooses by index. A choice by value (all intervals at or above a quantile) averages everything when many
// intervals tie.
func lowAverage(s Intervals) float64 {
	if len(s) == 0 {
		return 0
	}
	n := int(math.Ceil(lowPart * float64(len(s)) * (1 - 1e-12)))
	return rate(float64(n), s[len(s)-n:].total())
}

func lowPercentile(s Intervals) float64 {
	if len(s) == 0 {
		return 0
	}
	rank := max(1, int(math.Floor(lowPart*float64(len(s))*(1+1e-12))))
	return rate(1, s[len(s)-rank])
}

// stutterFactor is how much longer than the moving average a stutter is.
const stutterFactor = 2.5

// stutterWindow is the moving average's length in frames: round(10 * sqrt(mean of d in ms)), at least 1. At 60 Hz it is
// 41 frames, two thirds of a second.
func (d Intervals) stutterWindow() int {
	if len(d) == 0 {
		return 1
	}
	mean := words.Millis(d.total()) / float64(len(d))
	return max(1, int(math.Round(10*math.Sqrt(mean))))
}

// stutterPercent returns 100 * sum{d : d > stutterFactor * m} / T. Here m is the mean of the frame and the frames
// before it in the window, as many as there are. It compares a run with itself: a run that is always bad has no
// stutter.
func (d Intervals) stutterPercent() float64 {
	window := d.stutterWindow()
	var sum, stutter float64
	for i, x := range d {
		sum += float64(x)
		n := i + 1
		if n > window {
			sum -= float64(d[i-window])
			n = window
		}
		if float64(x)*float64(n) > stutterFactor*sum {
			stutter += float64(x)
		}
	}
	return 100 * share(time.Duration(stutter), d.total())
}

// worstRegion returns the frame-time discrepancy. With N+1 starts over T, and e = T/N, it is
//
//	max over all stretches |starts inside * e - length|
//
// A stretch may leave its ends out, so that a pause counts with its whole length. It is Chromium's discrepancy of time
// stamps, in time instead of shares. One pass.
func (d Intervals) worstRegion() time.Duration {
	if len(d) == 0 {
		return 0
	}
	e := float64(d.total()) / float64(len(d))
	// A stretch that includes the starts at its ends holds k+1 starts over k intervals. A stretch that leaves them out
	// holds k-1. The excess of the one is e plus the sum of e-d over k intervals, the lack of the other e plus the sum
	// of d-e. So both are e plus the largest sum of a run of successive terms, by Kadane's pass.
	var many, few, worst float64
	for _, x := range d {
		dev := float64(x) - e
		many = max(many, 0) - dev
		few = max(few, 0) + dev
		worst = max(worst, many, few)
	}
	return time.Duration(math.Round(e + worst))
}
