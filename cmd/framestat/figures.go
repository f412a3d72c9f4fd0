package main

import (
	"fmt"

	"github.com/frameslice/frameslice/frame/record"
)

// A figure is a row of the table.
type figure struct {
	name, unit, means string
	digits            int
	of                func(*record.Metrics) float64
	// better is +1 if more is better, -1 if less is, 0 if neither.
	better int
	// draw takes the figure from a resampled run. Nil: a bootstrap says nothing about it.
	draw func(*resampled) float64
	// ordered figures need the order of the frames.
	ordered bool
}

// figures are all rows.
var figures = []figure{
	{"frames", "", "N", 0, func(m *record.Metrics) float64 { return float64(m.N) }, 0, nil, false},
	{"time", "s", "T, their sum", 3, func(m *record.Metrics) float64 { return m.Time.Seconds() }, 0, nil, false},
	{"average", "FPS", "N / T", 2, func(m *record.Metrics) float64 { return m.AverageFPS }, +1,
		func(s *resampled) float64 { return s.fps }, false},
	{"interval, mean", "ms", "d, from a frame to the next", 3,
		func(m *record.Metrics) float64 { return ms(m.ByFrame.Mean) }, -1, nil, false},
	{"interval, p50", "ms", "half of the frames take no longer", 3,
		func(m *record.Metrics) float64 { return ms(m.ByFrame.P50) }, -1, func(s *resampled) float64 { return s.p50 }, false},
	{"interval, p90", "ms", "nine of ten", 3,
		func(m *record.Metrics) float64 { return ms(m.ByFrame.P90) }, -1, func(s *resampled) float64 { return s.p90 }, false},
	{"interval, p99", "ms", "99 of 100", 3,
		func(m *record.Metrics) float64 { return ms(m.ByFrame.P99) }, -1, func(s *resampled) float64 { return s.p99 }, false},
	{"interval, p99.9", "ms", "999 of 1,000", 3,
		func(m *record.Metrics) float64 { return ms(m.ByFrame.P999) }, -1, nil, false},
	{"interval, max", "ms", "the longest", 3,
		func(m *record.Metrics) float64 { return ms(m.ByFrame.Max) }, -1, nil, false},
	{"interval by time, p50", "ms", "half of the time is in frames no longer", 3,
		func(m *record.Metrics) float64 { return ms(m.ByTime.P50) }, -1, nil, false},
	{"interval by time, p99", "ms", "each frame weighs as long as it is", 3,
		func(m *record.Metrics) float64 { return ms(m.ByTime.P99) }, -1, nil, false},
	{"lateness, p99", "ms", "of max(0, d - r)", 3,
		func(m *record.Metrics) float64 { return ms(m.Lateness.P99) }, -1, nil, false},
	{"missed", "%", "refreshes without a new frame, m = max(0, round(d/r) - 1); 100 m / (N + m)", 3,
		func(m *record.Metrics) float64 { return m.MissedPercent }, -1, func(s *resampled) float64 { return s.missed }, false},
	{"hitch ratio", "ms/s", "lateness in a second of play; an estimate", 3,
		func(m *record.Metrics) float64 { return m.HitchRatio }, -1, func(s *resampled) float64 { return s.hitch }, false},
	{"hitch ratio, quantized", "ms/s", "in whole refreshes: good to 5, warning to 10, critical", 3,
		func(m *record.Metrics) float64 { return m.QuantizedHitchRatio }, -1,
		func(s *resampled) float64 { return s.quantized }, false},
	{"worst region", "ms", "how far the worst stretch is from the mean rate", 3,
		func(m *record.Metrics) float64 { return ms(m.WorstRegion) }, -1, nil, true},
	{"1 % low, integral", "FPS", "longest d that fill 1 % of T", 2,
		func(m *record.Metrics) float64 { return m.LowIntegral }, +1, func(s *resampled) float64 { return s.integral }, false},
	{"1 % low, average", "FPS", "mean of the ceil(N/100) longest d", 2,
		func(m *record.Metrics) float64 { return m.LowAverage }, +1, func(s *resampled) float64 { return s.average }, false},
	{"1 % low, percentile", "FPS", "d at rank floor(N/100) from the longest", 2,
		func(m *record.Metrics) float64 { return m.LowPercentile }, +1,
		func(s *resampled) float64 { return s.percentile }, false},
	{"stutter time", "%", "in frames above 2.5 x the moving mean", 3,
		func(m *record.Metrics) float64 { return m.StutterPercent }, -1, nil, true},
}

// label is the name with the unit.
func (f *figure) label() string {
	if f.unit == "" {
		return f.name
	}
	return f.name + ", " + f.unit
}

// text writes the figure of a run.
func (f *figure) text(r *measured) string {
	if f.ordered && r.Sorted {
		return unknown
	}
	return fmt.Sprintf("%.*f", f.digits, f.of(&r.Metrics))
}

const unknown = "-"
