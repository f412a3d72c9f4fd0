package deadline

import (
	"fmt"
	"testing"
	"time"
)

// What High says of a bucket exactly it may say only of runs that it has seen there: not of those that were in it while
// High was in another.
func TestEstimateHighIsNoStalePeak(t *testing.T) {
	var e Estimate
	const us = time.Microsecond
	for range 300 {
		e.Observe(8400 * us)
	}
	for _, d := range []time.Duration{20_000, 30_000, 40_000} {
		e.Observe(d * us)
	}
	if h := e.High(); h < 20_000*us {
		t.Fatalf("%v after three in a row above", h)
	}
	for range fadeAt - 115 { // 115: what the histogram holds by now

		e.Observe(8900 * us)
	}
	e.Observe(1000 * us)
	if h := e.High(); h < 8900*us || h > 10_000*us {
		t.Errorf("%v, although the last 13 of those that cost about as much took 8.9 ms", h)
	}
}

// checkPeak is the part of Check that is about what High says exactly.
func (e *Estimate) checkPeak() error {
	if e.peakRuns > e.at(e.high) || e.peakRuns > 0 && bucketOf(e.peak) != int(e.high) {
		return fmt.Errorf("the peak %v is of %d runs, of %d in High's bucket", e.peak, e.peakRuns, e.at(e.high))
	}
	return nil
}
