package main

import (
	"fmt"
	"time"

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

type (
	metrics = record.Metrics
	dist    = record.Distribution
)

// interval is a row about the distribution of the intervals.
func interval(p, means string, of func(*dist) time.Duration, draw func(*resampled) float64) figure {
	return figure{
		"interval, " + p, "ms", means, 3, func(m *metrics) float64 { return ms(of(&m.ByFrame)) }, -1, draw, false,
	}
}

// figures are all rows.
var figures = []figure{
	{"frames", "", "N", 0, func(m *metrics) float64 { return float64(m.N) }, 0, nil, false},
	{"time", "s", "T, their sum", 3, func(m *metrics) float64 { return m.Time.Seconds() }, 0, nil, false},
	{"average", "FPS", "N / T", 2,
		func(m *metrics) float64 { return m.AverageFPS }, +1, func(s *resampled) float64 { return s.fps }, false},
	interval("mean", "d, from a frame to the next", func(d *dist) time.Duration { return d.Mean }, nil),
	interval("p50", "half of the frames take no longer", func(d *dist) time.Duration { return d.P50 },
		func(s *resampled) float64 { return s.p50 }),
	interval("p90", "nine of ten", func(d *dist) time.Duration { return d.P90 },
		func(s *resampled) float64 { return s.p90 }),
	interval("p99", "99 of 100", func(d *dist) time.Duration { return d.P99 },
		func(s *resampled) float64 { return s.p99 }),
	interval("p99.9", "999 of 1,000", func(d *dist) time.Duration { return d.P999 }, nil),
	interval("max", "the longest", func(d *dist) time.Duration { return d.Max }, nil),
	{"interval by time, p50", "ms", "half of the time is in frames no longer", 3,
		func(m *metrics) float64 { return ms(m.ByTime.P50) }, -1, nil, false},
	{"interval by time, p99", "ms", "each frame weighs as long as it is", 3,
		func(m *metrics) float64 { return ms(m.ByTime.P99) }, -1, nil, false},
	{"lateness, p99", "ms", "of max(0, d - r)", 3,
		func(m *metrics) float64 { return ms(m.Lateness.P99) }, -1, nil, false},
	{"missed", "%", "refreshes without a new frame, m = max(0, round(d/r) - 1); 100 m / (N + m)", 3,
		func(m *metrics) float64 { return m.MissedPercent }, -1, func(s *resampled) float64 { return s.missed }, false},
	{"hitch ratio", "ms/s", "lateness in a second of play; an estimate", 3,
		func(m *metrics) float64 { return m.HitchRatio }, -1, func(s *resampled) float64 { return s.hitch }, false},
	{"hitch ratio, quantized", "ms/s", "in whole refreshes: good to 5, warning to 10, critical", 3,
		func(m *metrics) float64 { return m.QuantizedHitchRatio }, -1,
		func(s *resampled) float64 { return s.quantized }, false},
	{"worst region", "ms", "how far the worst stretch is from the mean rate", 3,
		func(m *metrics) float64 { return ms(m.WorstRegion) }, -1, nil, true},
	{"1 % low, integral", "FPS", "longest d that fill 1 % of T", 2,
		func(m *metrics) float64 { return m.LowIntegral }, +1, func(s *resampled) float64 { return s.integral }, false},
	{"1 % low, average", "FPS", "mean of the ceil(N/100) longest d", 2,
		func(m *metrics) float64 { return m.LowAverage }, +1, func(s *resampled) float64 { return s.average }, false},
	{"1 % low, percentile", "FPS", "d at rank floor(N/100) from the longest", 2,
		func(m *metrics) float64 { return m.LowPercentile }, +1,
		func(s *resampled) float64 { return s.percentile }, false},
	{"stutter time", "%", "in frames above 2.5 x the moving mean", 3,
		func(m *metrics) float64 { return m.StutterPercent }, -1, nil, true},
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
