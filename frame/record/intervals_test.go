package record

import (
	"math"
	"slices"
	"testing"
	"time"
)

const (
	ms = time.Millisecond
	r  = time.Second / 60
)

// golden1 is an even run at 60 Hz with one interval of 40 ms, or of what a display made of it.
func golden1(long time.Duration) Intervals {
	d := slices.Repeat(Intervals{r}, 600)
	d[300] = long
	return d
}

// golden2 is 996 frames of 16.67 ms and four freezes of half a second.
func golden2() Intervals {
	d := slices.Repeat(Intervals{16_670 * time.Microsecond}, 1000)
	for _, i := range []int{100, 350, 600, 850} {
		d[i] = 500 * ms
	}
	return d
}

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.Abs(got-want) > within || math.IsNaN(got) {
		t.Errorf("%s: got %v, want %v within %v", what, got, want, within)
	}
}

// reportOf is the report of a run of these intervals.
func reportOf(d Intervals) *Report {
	rec := quiet(Options{Target: r, WarmUp: -1, Records: len(d)})
	for _, x := range d {
		rec.Add(Record{Interval: x})
	}
	return NewReport("golden", rec.Snapshot(), Environment{})
}

func TestGoldenOneLongFrameOfFortyMilliseconds(t *testing.T) {
	d := golden1(40 * ms)
	rep := reportOf(d)
	if rep.Run.Jank != 1 {
		t.Errorf("jank: got %d, want JankStats to say 1", rep.Run.Jank)
	}
	near(t, "quantized hitch", rep.Run.QuantizedHitch.Seconds()*1000, 16.667, 0.001)
	near(t, "hitch", rep.Run.Hitch.Seconds()*1000, 23.333, 0.001)
	shown := golden1(3 * r) // the display showed it at the third refresh
	near(t, "quantized hitch as shown", reportOf(shown).Run.QuantizedHitch.Seconds()*1000, 33.333, 0.001)
	if got := d.stutterPercent(); got != 0 {
		t.Errorf("stutter: got %v %%, want none at 2.5", got)
	}
	if got := shown.stutterPercent(); got <= 0 {
		t.Error("stutter: got none for 50 ms, want some: it flips when the display stretches the interval")
	}
	near(t, "worst region", d.worstRegion().Seconds()*1000, 40, 0.001)
}

func TestGoldenFourFreezes(t *testing.T) {
	d := golden2()
	m, rep := d.Measure(r), reportOf(d)
	near(t, "T", m.Time.Seconds(), 18.6, 0.01)
	near(t, "1% low, percentile", m.LowPercentile, 60, 0.02)
	near(t, "1% low, average", m.LowAverage, 4.8, 0.05)
	near(t, "1% low, integral", m.LowIntegral, 2, 1e-9)
	near(t, "hitch ratio", m.HitchRatio, 104, 0.3)
	near(t, "quantized hitch ratio", m.QuantizedHitchRatio, 1000*116/60.0/18.60332, 1e-3)
	near(t, "missed", m.MissedPercent, 10.4, 0.05)
	near(t, "average FPS", m.AverageFPS, 1000/18.60332, 0.001)
	if m.ByFrame.P99 != 16_670*time.Microsecond || m.ByTime.P90 != 500*ms {
		t.Errorf("p99 by frame %v, p90 by time %v: only the first is blind to the freezes", m.ByFrame.P99, m.ByTime.P90)
	}
	if m.HitchBand != "critical" || m.Missed != 116 || m.N != 1000 || m.Lateness.Max != 500*ms-r ||
		m.StutterPercent == 0 {
		t.Errorf("%+v", m)
	}
	if !rep.Whole || rep.Window != m {
		t.Errorf("window %+v, want %+v", rep.Window, m)
	}
	run := rep.Run
	near(t, "hitch ratio of the run", run.HitchRatio, m.HitchRatio, 1e-9)
	near(t, "quantized one of the run", run.QuantizedHitchRatio, m.QuantizedHitchRatio, 1e-9)
	near(t, "missed in the run", run.MissedPercent, m.MissedPercent, 1e-9)
	near(t, "average FPS of the run", run.AverageFPS, m.AverageFPS, 1e-9)
	near(t, "p99 of the run", float64(run.Interval.P99), float64(m.ByFrame.P99), float64(r)/1000)
}

// TestMetricsOfOddRunsAreFinite feeds what a clock may give: no time at all, zero targets, one frame.
func TestMetricsOfOddRunsAreFinite(t *testing.T) {
	none := Metrics{HitchBand: "good", StutterFactor: stutterFactor, StutterWindow: 1}
	if m := (Intervals{}).Measure(r); m != none {
		t.Errorf("of nothing %+v", m)
	}
	for _, d := range []Intervals{{0}, {0, 0, 0}, {1}, {math.MaxInt64, math.MaxInt64}, {ms, time.Hour}} {
		for _, target := range []time.Duration{0, 1, r, time.Hour} {
			m := d.Measure(target)
			for name, f := range map[string]float64{
				"ratio": m.HitchRatio, "missed": m.MissedPercent, "integral": m.LowIntegral,
				"average": m.LowAverage, "percentile": m.LowPercentile, "stutter": m.StutterPercent,
				"p99": m.P99Confidence.High, "hitch": m.HitchRatioConfidence.High,
			} {
				if math.IsNaN(f) || math.IsInf(f, 0) || f < 0 {
					t.Errorf("%v at %v: %s is %v", d, target, name, f)
				}
			}
		}
	}
}

// A sum that is out of range is the nearest Duration, and one of negative intervals is a sum like others.
func TestTotalOfAnyIntervals(t *testing.T) {
	for _, c := range []struct {
		d    Intervals
		want time.Duration
	}{
		{Intervals{10, -5}, 5}, {Intervals{-5, 10}, 5}, {Intervals{-5, -5}, -10},
		{Intervals{math.MaxInt64, 1}, math.MaxInt64}, {Intervals{math.MinInt64, -1}, math.MinInt64},
	} {
		if got := c.d.total(); got != c.want {
			t.Errorf("%d: %d, want %d", c.d, got, c.want)
		}
	}
}

func TestPercentileIsTheNearestRank(t *testing.T) {
	d := make(Intervals, 1000)
	for i := range d {
		d[i] = time.Duration(1000 - i)
	}
	for _, c := range []struct {
		p    float64
		want time.Duration
	}{{0, 1}, {0.1, 1}, {0.11, 2}, {50, 500}, {99, 990}, {99.9, 999}, {99.95, 1000}, {100, 1000}, {-1, 1},
		{math.Inf(1), 1000}} {
		if got := d.Percentile(c.p); got != c.want {
			t.Errorf("p%v of 1..1000: got %d, want %d", c.p, got, c.want)
		}
	}
	if d[0] != 1000 {
		t.Error("Percentile sorted its receiver")
	}
}

func TestPercentileByTimeWeighsByLength(t *testing.T) {
	d := Intervals{10, 10, 10, 10, 60} // 40 % of the time in frames of 10, 60 % in the one of 60
	for _, c := range []struct {
		p    float64
		want time.Duration
	}{{1, 10}, {40, 10}, {41, 60}, {100, 60}} {
		if got := rankByTime(d, d.total(), c.p); got != c.want {
			t.Errorf("p%v: got %d, want %d", c.p, got, c.want)
		}
	}
	if m := byTime(d); m.Mean != 40 {
		t.Errorf("mean by time: got %d, want 40", m.Mean)
	}
}

func TestHitchBands(t *testing.T) {
	for ratio, want := range map[float64]string{
		0: "good", 5: "good", 5.01: "warning", 9.99: "warning", 10: "critical",
	} {
		if got := hitchBand(ratio); got != want {
			t.Errorf("%v ms/s: got %q, want %q", ratio, got, want)
		}
	}
}
