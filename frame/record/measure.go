package record

import "time"

// Metrics are the figures of some intervals that no Recorder has kept, for a target interval.
type Metrics struct {
	AverageFPS float64
	ByFrame    Distribution // of the intervals
	Lateness   Distribution // of the time by which an interval exceeds the target, 0 if it does not

	Missed        int64   // refreshes that passed without a new frame
	MissedPercent float64 // of all refreshes

	HitchRatio          float64 // ms of lateness in a second
	QuantizedHitchRatio float64 // the same in whole refreshes, as a display with a fixed rate shows it
	HitchBand           string  // of the quantized ratio: "good", "warning" or "critical"

	Window
}

// Measure returns all metrics of d for the target interval r. A Recorder computes them while the game runs; Measure is
// for intervals from elsewhere. It takes some 20 ms for 4,096 frames, most of that for the confidence intervals.
func (d Intervals) Measure(r time.Duration) Metrics {
	missed := d.Missed(r)
	quantized := 1000 * share(time.Duration(missed)*r, d.Total())
	return Metrics{
		AverageFPS: rate(float64(len(d)), d.Total()), ByFrame: distributionOf(d.ascending()),
		Lateness: distributionOf(d.Lateness(r).ascending()), Missed: missed, MissedPercent: d.MissedPercent(r),
		HitchRatio: d.HitchRatio(r), QuantizedHitchRatio: quantized, HitchBand: hitchBand(quantized),
		Window: d.window(r),
	}
}
