package record

import (
	"math"
	"time"
)

// The "1% low" of a benchmark is at least three different numbers. They differ by a factor of thirty on a run
// with four freezes, so each has its own name here, and no bare "1% low" exists. part is 0.01 for the
// 1% low and 0.001 for the 0.1% low.

// LowIntegral returns the frame rate, in FPS, of the interval at which the longest intervals, summed from the
// longest on, first reach part of T. It weighs by time: a single freeze decides it.
func (d Intervals) LowIntegral(part float64) float64 {
	mustBeNumber("LowIntegral", part)
	return rate(1, lowIntegral(d.ascending(), d.Total(), part))
}

// LowAverage returns the frame rate, in FPS, of the mean of the ceil(part*N) longest intervals. This is the
// form by index; the form by value (all intervals at or above a quantile) averages everything when many
// intervals tie.
func (d Intervals) LowAverage(part float64) float64 {
	mustBeNumber("LowAverage", part)
	return lowAverage(d.ascending(), part)
}

// LowPercentile returns the frame rate, in FPS, of the interval at rank floor(part*N), at least 1, counted
// from the longest. It is what several overlays show as "1% low". It counts frames, so it does not see a
// freeze.
func (d Intervals) LowPercentile(part float64) float64 {
	mustBeNumber("LowPercentile", part)
	return lowPercentile(d.ascending(), part)
}

func lowIntegral(s Intervals, total time.Duration, part float64) time.Duration {
	limit := min(part, 1) * float64(total) * (1 - 1e-12)
	sum := 0.0
	for i := len(s) - 1; i >= 0; i-- {
		if sum += float64(s[i]); sum >= limit {
			return s[i]
		}
	}
	return 0
}

func lowAverage(s Intervals, part float64) float64 {
	if len(s) == 0 {
		return 0
	}
	n := int(min(max(math.Ceil(part*float64(len(s))*(1-1e-12)), 1), float64(len(s))))
	return rate(float64(n), s[len(s)-n:].Total())
}

func lowPercentile(s Intervals, part float64) float64 {
	if len(s) == 0 {
		return 0
	}
	rank := int(min(max(math.Floor(part*float64(len(s))*(1+1e-12)), 1), float64(len(s))))
	return rate(1, s[len(s)-rank])
}
