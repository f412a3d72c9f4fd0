package record

import (
	"math"
	"time"
)

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

// worstRegion returns the frame-time discrepancy: how far, over the worst stretch of the run, the frames that
// started in it deviate from the mean rate, in time. With N+1 starts over T, and e = T/N,
//
//	max over all stretches |starts inside * e - length|
//
// where a stretch may leave its ends out, so that a pause counts with its whole length. An even run has e;
// one pause has its own length; pauses close together add up, which no percentile sees; and good frames
// after the bad ones do not dilute it. It is Chromium's discrepancy of time stamps, in time instead of
// shares. One pass.
func (d Intervals) worstRegion() time.Duration {
	if len(d) == 0 {
		return 0
	}
	e := float64(d.Total()) / float64(len(d))
	// A stretch that begins and ends on starts and includes both holds k+1 starts over k intervals; one that
	// leaves both out holds k-1. Its excess is e plus the sum of e-d over those k; its lack is e less than the
	// sum of d-e, that is sum(d-e) + e. So both are e plus the largest sum of a run of successive terms, by
	// Kadane's pass; and the two ends of the whole, half an e outside the first and the last start, give less.
	var many, few, worst float64
	for _, x := range d {
		dev := float64(x) - e
		many = max(many, 0) - dev
		few = max(few, 0) + dev
		worst = max(worst, many, few)
	}
	return time.Duration(math.Round(e + worst))
}
