package record

import (
	"math"
	"time"
)

// The "1% low" of a benchmark is at least three different numbers. They differ by a factor of thirty on a run
// with four freezes, so each has its own name here, and no bare "1% low" exists. Each is a frame rate in FPS, of
// intervals s, which ascend.
const lowPart = 0.01

// lowIntegral is of the interval at which the longest intervals, summed from the longest on, first reach lowPart of T.
// It weighs by time: a single freeze decides it.
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

// lowAverage is of the mean of the ceil(lowPart*N) longest intervals. This is the form by index. The form by value
// (all intervals at or above a quantile) averages everything when many intervals tie.
func lowAverage(s Intervals) float64 {
	if len(s) == 0 {
		return 0
	}
	n := int(math.Ceil(lowPart * float64(len(s)) * (1 - 1e-12)))
	return rate(float64(n), s[len(s)-n:].Total())
}

// lowPercentile is of the interval at rank floor(lowPart*N), at least 1, counted from the longest. It is what several
// overlays show as "1% low". It counts frames, so it does not see a freeze.
func lowPercentile(s Intervals) float64 {
	if len(s) == 0 {
		return 0
	}
	rank := max(1, int(math.Floor(lowPart*float64(len(s))*(1+1e-12))))
	return rate(1, s[len(s)-rank])
}
