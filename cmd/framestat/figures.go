package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/words"
)

// A figure is a row of the table.
type figure struct {
	name, unit, means string
	digits            int
	of                func(*record.Metrics) float64
	// better is +1 if more is better, -1 if less is, 0 if neither.
	better int
	// ofBlocks tells that the figures of blocks of frames are compared: see compare. Of others they say nothing.
	ofBlocks bool
	needs    needs
}

// needs is what a figure is taken from.
type needs uint8

const (
	whole    needs = iota // the intervals
	displays              // the intervals between two changes of the display
)

type (
	metrics = record.Metrics
	dist    = record.Distribution
)

// interval is a row about the distribution of the intervals.
func interval(p, means string, of func(*dist) time.Duration, ofBlocks bool) figure {
	return figure{
		"interval, " + p, "ms", means, 3,
		func(m *metrics) float64 { return words.Millis(of(&m.ByFrame)) }, -1, ofBlocks, whole,
	}
}

// figures are all rows.
var figures = []figure{
	{"frames", "", "N", 0, func(m *metrics) float64 { return float64(m.N) }, 0, false, whole},
	{"time", "s", "T, their sum", 3, func(m *metrics) float64 { return m.Time.Seconds() }, 0, false, whole},
	{"average", "FPS", "N / T", 2,
		func(m *metrics) float64 { return m.AverageFPS }, +1, true, whole},
	interval("mean", "d, from a frame to the next", func(d *dist) time.Duration { return d.Mean }, false),
	interval("p50", "half of the frames take no longer", func(d *dist) time.Duration { return d.P50 }, true),
	interval("p90", "nine of ten", func(d *dist) time.Duration { return d.P90 }, true),
	interval("p99", "99 of 100", func(d *dist) time.Duration { return d.P99 }, true),
	interval("p99.9", "999 of 1,000", func(d *dist) time.Duration { return d.P999 }, false),
	interval("max", "the longest", func(d *dist) time.Duration { return d.Max }, false),
	{"interval by time, p50", "ms", "half of the time is in frames no longer", 3,
		func(m *metrics) float64 { return words.Millis(m.ByTime.P50) }, -1, false, whole},
	{"interval by time, p99", "ms", "each frame weighs as long as it is", 3,
		func(m *metrics) float64 { return words.Millis(m.ByTime.P99) }, -1, false, whole},
	{"lateness, p99", "ms", "of max(0, d - r)", 3,
		func(m *metrics) float64 { return words.Millis(m.Lateness.P99) }, -1, false, whole},
	{"missed", "%", "refreshes without a new frame, m = max(0, round(d/r) - 1); 100 m / (N + m)", 3,
		func(m *metrics) float64 { return m.MissedPercent }, -1, true, whole},
	{"hitch ratio", "ms/s", "lateness in a second of play; an estimate", 3,
		func(m *metrics) float64 { return m.HitchRatio }, -1, true, whole},
	{"hitch ratio, quantized", "ms/s", "in whole refreshes: good to 5, warning to 10, critical", 3,
		func(m *metrics) float64 { return m.QuantizedHitchRatio }, -1, true, whole},
	{"worst region", "ms", "how far the worst stretch is from the mean rate", 3,
		func(m *metrics) float64 { return words.Millis(m.WorstRegion) }, -1, false, whole},
	{"1 % low, integral", "FPS", "longest d that fill 1 % of T", 2,
		func(m *metrics) float64 { return m.LowIntegral }, +1, true, whole},
	{"1 % low, average", "FPS", "mean of the ceil(N/100) longest d", 2,
		func(m *metrics) float64 { return m.LowAverage }, +1, true, whole},
	{"1 % low, percentile", "FPS", "d at rank floor(N/100) from the longest", 2,
		func(m *metrics) float64 { return m.LowPercentile }, +1, true, whole},
	{"stutter time", "%", "in frames above 2.5 x the moving mean", 3,
		func(m *metrics) float64 { return m.StutterPercent }, -1, false, whole},
}

// displayed are the rows for files with display times.
var displayed = []figure{
	{"displayed, p99", "ms", "of the intervals between two changes of the display", 3,
		func(m *metrics) float64 { return words.Millis(m.ByFrame.P99) }, -1, true, displays},
	{"displayed, missed", "%", "the display's own refreshes without a new frame", 3,
		func(m *metrics) float64 { return m.MissedPercent }, -1, true, displays},
	{"displayed, hitch ratio", "ms/s", "as above by display times: no estimate", 3,
		func(m *metrics) float64 { return m.HitchRatio }, -1, true, displays},
	{"displayed, quantized", "ms/s", "in whole refreshes", 3,
		func(m *metrics) float64 { return m.QuantizedHitchRatio }, -1, true, displays},
}

// rows are the figures that one run at least has.
func rows(runs ...*measured) []figure {
	if slices.ContainsFunc(runs, func(r *measured) bool { return r.shown.N > 0 }) {
		return slices.Concat(figures, displayed)
	}
	return figures
}

// band is the hitch band, by display times if the file has them.
func (r *measured) band() string {
	if r.shown.N > 0 {
		return r.shown.HitchBand
	}
	return r.HitchBand
}

// metrics are those that the figure is of, and ok is false if r has none.
func (f *figure) metrics(r *measured) (m *metrics, ok bool) {
	if f.needs == displays {
		return &r.shown, r.shown.N > 0
	}
	return &r.Metrics, true
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
	m, ok := f.metrics(r)
	if !ok {
		return unknown
	}
	return fmt.Sprintf("%.*f", f.digits, f.of(m))
}

const unknown = "-"
