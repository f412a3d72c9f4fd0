package record

import (
	"math"
	"time"
)

// Mean and Max of a Distribution are exact. Percentiles from a Histogram are off by up to 0.1 %, or half a microsecond.
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

// Window is over the latest records. T is the sum of the intervals.
type Window struct {
	N    int           `json:"n"`
	Time time.Duration `json:"time_ns"`
	// ByTime weighs each interval by its length.
	ByTime Distribution `json:"interval_by_time"`
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

	// By Intervals.Bootstrap with seed 1.
	P99Confidence        Confidence `json:"p99_confidence_ms"`
	HitchRatioConfidence Confidence `json:"hitch_ratio_confidence_ms_per_s"`
}

// window returns the metrics of d for the target interval r.
func (d Intervals) window(r time.Duration) Window {
	s := d.ascending()
	w := Window{
		N: len(d), Time: d.Total(), ByTime: byTime(s), WorstRegion: d.worstRegion(),
		LowIntegral: lowIntegral(s), LowAverage: lowAverage(s), LowPercentile: lowPercentile(s),
		StutterFactor: stutterFactor, StutterWindow: d.stutterWindow(), StutterPercent: d.stutterPercent(),
	}
	w.P99Confidence, w.HitchRatioConfidence = d.Bootstrap(r, 1, 0)
	return w
}

// byTime is the distribution of s, which ascends, with every interval weighed by itself. The mean is sum d² / T.
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

// rankByTime is the shortest interval such that frames no longer than it fill p percent of the time. s ascends.
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

// lowPart is the part of the "1 % low". The functions take intervals s, which ascend, and return FPS.
const lowPart = 0.01

func lowIntegral(s Intervals) float64 {
	limit := lowPart * float64(s.Total()) * (1 - 1e-12)
	sum, low := 0.0, time.Duration(0)
	for i := len(s) - 1; i >= 0 && low == 0; i-- {
		if sum += float64(s[i]); sum >= limit {
			low = s[i]
		}
	}
	return rate(1, low)
}

// lowAverage goes by index. The form by value (all intervals at or above a quantile) averages everything when many
// intervals tie.
func lowAverage(s Intervals) float64 {
	if len(s) == 0 {
		return 0
	}
	n := int(math.Ceil(lowPart * float64(len(s)) * (1 - 1e-12)))
	return rate(float64(n), s[len(s)-n:].Total())
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

// stutterWindow is the moving average's length in frames: round(10 * sqrt(mean of d in
// ms)), which is 41 frames at 60 Hz, two thirds of a second, and at least 1.
func (d Intervals) stutterWindow() int {
	if len(d) == 0 {
		return 1
	}
	mean := d.Total().Seconds() * 1000 / float64(len(d))
	return max(1, int(math.Round(10*math.Sqrt(mean))))
}

// stutterPercent returns 100 * sum{d : d > stutterFactor * m} / T, where m is the mean of the frame and those before it
// in the window, as many as there are. It compares a run with itself: one that is always bad has no stutter.
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
	return 100 * share(time.Duration(stutter), d.Total())
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
	e := float64(d.Total()) / float64(len(d))
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
