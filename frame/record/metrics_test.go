package record

import (
	"math"
	"math/rand/v2"
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

func TestGoldenOneLongFrameOfFortyMilliseconds(t *testing.T) {
	d := golden1(40 * ms)
	if got := d.jank(r); got != 1 {
		t.Errorf("jank: got %d, want JankStats to say 1", got)
	}
	near(t, "quantized hitch", d.quantizedHitch(r).Seconds()*1000, 16.667, 0.001)
	near(t, "hitch", d.hitch(r).Seconds()*1000, 23.333, 0.001)
	shown := golden1(3 * r) // the display showed it at the third refresh
	near(t, "quantized hitch as shown", shown.quantizedHitch(r).Seconds()*1000, 33.333, 0.001)
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
	s := d.ascending()
	near(t, "T", d.Total().Seconds(), 18.6, 0.01)
	near(t, "1% low, percentile", lowPercentile(s), 60, 0.02)
	near(t, "1% low, average", lowAverage(s), 4.8, 0.05)
	near(t, "1% low, integral", lowIntegral(s), 2, 1e-9)
	near(t, "hitch ratio", d.HitchRatio(r), 104, 0.3)
	near(t, "missed", d.MissedPercent(r), 10.4, 0.05)
	near(t, "average FPS", d.averageFPS(), 1000/18.60332, 0.001)
	if got := d.Percentile(99); got != 16_670*time.Microsecond {
		t.Errorf("p99 by frame: got %v, want it blind to the freezes", got)
	}
	if got := rankByTime(s, s.Total(), 90); got != 500*ms {
		t.Errorf("p90 by time: got %v, want a freeze, which 10.75 %% of the time is", got)
	}
	if got := hitchBand(d.HitchRatio(r)); got != "critical" {
		t.Errorf("band: got %q, want critical", got)
	}
}

func TestMetricsOfNothingAreZero(t *testing.T) {
	var d Intervals
	m := d.Measure(r)
	m.Target, m.StutterFactor, m.StutterWindow, m.Resampling = 0, 0, 0, Bootstrap{}
	if m.HitchBand != "good" {
		t.Errorf("band: got %q", m.HitchBand)
	}
	if m.HitchBand = ""; m != (Metrics{}) {
		t.Errorf("got %+v, want zeros", m)
	}
}

// TestMetricsOfOddRunsAreFinite feeds what a clock may give: no time at all, zero targets, one frame.
func TestMetricsOfOddRunsAreFinite(t *testing.T) {
	for _, d := range []Intervals{{0}, {0, 0, 0}, {1}, {math.MaxInt64, math.MaxInt64}, {ms, time.Hour}} {
		for _, target := range []time.Duration{0, 1, r, time.Hour} {
			m := d.Measure(target)
			for name, f := range map[string]float64{
				"fps": m.AverageFPS, "ratio": m.HitchRatio, "missed": m.MissedPercent, "integral": m.LowIntegral,
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
		if got := c.d.Total(); got != c.want {
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
	}{{0, 1}, {0.1, 1}, {0.11, 2}, {50, 500}, {99, 990}, {99.9, 999}, {99.95, 1000}, {100, 1000}} {
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
		if got := rankByTime(d, d.Total(), c.p); got != c.want {
			t.Errorf("p%v: got %d, want %d", c.p, got, c.want)
		}
	}
	if m := d.Measure(10); m.ByTime.Mean != 40 || m.ByFrame.Mean != 20 {
		t.Errorf("means: got %d by time, %d by frame; want 40, 20", m.ByTime.Mean, m.ByFrame.Mean)
	}
}

func TestMissedRoundsToRefreshes(t *testing.T) {
	for _, c := range []struct {
		d    time.Duration
		want int64
	}{{0, 0}, {5, 0}, {10, 0}, {14, 0}, {15, 1}, {24, 1}, {25, 2}, {100, 9}} {
		if got := (Intervals{c.d}).Missed(10); got != c.want {
			t.Errorf("%d at a target of 10: got %d missed, want %d", c.d, got, c.want)
		}
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

func TestLowsAtTheirEdges(t *testing.T) {
	d := Intervals{10 * ms, 20 * ms, 40 * ms}
	near(t, "average of at least one", lowAverage(d), 25, 1e-9)
	near(t, "percentile of at least the first rank", lowPercentile(d), 25, 1e-9)
	near(t, "integral, within the longest", lowIntegral(d), 25, 1e-9)
	long := slices.Repeat(Intervals{10 * ms}, 200)
	long[199] = 20 * ms // less than 1 % of the time
	near(t, "integral, beyond the longest", lowIntegral(long), 100, 1e-9)
	even := slices.Repeat(Intervals{r}, 1000)
	even[999] = 30 * r // the index form must not pull in the ties
	near(t, "average with ties", lowAverage(even), 60*10/39.0, 1e-6)
}

func TestStutterComparesWithTheMovingAverage(t *testing.T) {
	d := slices.Repeat(Intervals{10 * ms}, 100)
	d[50] = 100 * ms
	near(t, "one of 100 among tens", d.stutterPercent(), 100*100.0/1090, 1e-9)
	for i := 50; i < 100; i++ {
		d[i] = 100 * ms
	}
	// The 24th of the long ones makes the mean 40 ms at last.
	near(t, "a run that turns bad and stays so", d.stutterPercent(), 100*2400.0/5500, 1e-9)
	if got := slices.Repeat(Intervals{100 * ms}, 50).stutterPercent(); got != 0 {
		t.Errorf("a run that is always bad: got %v %%, want 0", got)
	}
	if got := slices.Repeat(Intervals{r}, 50).stutterWindow(); got != 41 {
		t.Errorf("window at 60 Hz: got %d, want 41", got)
	}
}

// worstRegion is the definition: every stretch between two starts, or the ends of the whole, with and
// without its ends.
func worstRegion(d Intervals) float64 {
	e := float64(d.Total()) / float64(len(d))
	starts := []float64{0}
	for _, x := range d {
		starts = append(starts, starts[len(starts)-1]+float64(x))
	}
	ends := append([]float64{-e / 2, starts[len(starts)-1] + e/2}, starts...)
	worst := 0.0
	for _, from := range ends {
		for _, to := range ends {
			if to < from {
				continue
			}
			closed, open := 0, 0
			for _, s := range starts {
				if from <= s && s <= to {
					closed++
				}
				if from < s && s < to {
					open++
				}
			}
			worst = max(worst, float64(closed)*e-(to-from), (to-from)-float64(open)*e)
		}
	}
	return worst
}

func TestWorstRegionMatchesItsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		d := make(Intervals, 1+rng.IntN(20))
		for i := range d {
			d[i] = time.Duration(1+rng.IntN(30)) * ms
		}
		near(t, "worst region", d.worstRegion().Seconds()*1e3, worstRegion(d)/1e6, 1e-3)
	}
}

func TestWorstRegionAddsUpPausesThatAreClose(t *testing.T) {
	pauses := func(at ...int) Intervals {
		d := slices.Repeat(Intervals{10 * ms}, 10_000)
		for _, i := range at {
			d[i] = 100 * ms
		}
		return d
	}
	near(t, "even", pauses().worstRegion().Seconds()*1e3, 10, 1e-6)
	near(t, "one pause", pauses(500).worstRegion().Seconds()*1e3, 100, 0.1)
	near(t, "two in a row", pauses(500, 501).worstRegion().Seconds()*1e3, 190, 0.1)
	// The more good frames lie between, the less of the first pause counts with the second.
	near(t, "two far apart", pauses(500, 5000).worstRegion().Seconds()*1e3, 190-4499*0.018, 0.1)
}

func TestLatenessAndRelative(t *testing.T) {
	d := Intervals{8, 10, 13}
	if got, want := d.Lateness(10), (Intervals{0, 0, 3}); !slices.Equal(got, want) {
		t.Errorf("lateness: got %v, want %v", got, want)
	}
	if got, want := d.relative(10), (Intervals{-2, 0, 3}); !slices.Equal(got, want) {
		t.Errorf("relative: got %v, want %v", got, want)
	}
	m := d.Measure(10)
	if m.Earliest != -2 || m.P1 != -2 || m.Relative.Max != 3 || m.Relative.Mean != 0 ||
		m.Lateness.P50 != 0 || m.Lateness.P999 != 3 {
		t.Errorf("got %+v", m)
	}
}

// TestMeasureHasEveryFigure guards against a figure that Measure forgets, or takes for another one.
func TestMeasureHasEveryFigure(t *testing.T) {
	d := append(golden2(), golden1(40*ms)...)
	m, s := d.Measure(r), d.ascending()
	for name, pair := range map[string][2]float64{
		"integral": {m.LowIntegral, lowIntegral(s)}, "average": {m.LowAverage, lowAverage(s)},
		"percentile": {m.LowPercentile, lowPercentile(s)},
		"stutter":    {m.StutterPercent, d.stutterPercent()},
		"ratio":      {m.HitchRatio, d.HitchRatio(r)},
		"quantized":  {m.QuantizedHitchRatio, d.quantizedHitchRatio(r)},
		"missed":     {m.MissedPercent, d.MissedPercent(r)},
		"p99.9":      {float64(m.ByFrame.P999), float64(d.Percentile(99.9))},
		"by time":    {float64(m.ByTime.P90), float64(rankByTime(s, s.Total(), 90))},
		"region":     {float64(m.WorstRegion), float64(d.worstRegion())},
		"jank":       {float64(m.Jank), float64(d.jank(r))},
		"late":       {float64(m.Lateness.P99), float64(d.Lateness(r).Percentile(99))},
	} {
		if pair[0] != pair[1] || pair[0] == 0 {
			t.Errorf("%s: got %v, want %v and not 0", name, pair[0], pair[1])
		}
	}
}

// TestRunFiguresAgreeWithTheWindow: the recorder's sums and the pure functions are two programs for one
// formula.
func TestRunFiguresAgreeWithTheWindow(t *testing.T) {
	rec := quiet(Options{Target: r, WarmUp: -1})
	d := golden2()
	for _, x := range d {
		rec.Add(Record{Interval: x})
	}
	rep := NewReport("golden", rec.Snapshot(), Environment{})
	run, win := rep.Run, rep.Window
	if !rep.Whole || win.N != len(d) || run.N != uint64(len(d)) {
		t.Fatalf("got N %d and %d, want %d", run.N, win.N, len(d))
	}
	if run.Hitch != win.Hitch || run.QuantizedHitch != win.QuantizedHitch || run.Missed != uint64(win.Missed) ||
		run.MissedPercent != win.MissedPercent || run.HitchRatio != win.HitchRatio ||
		run.AverageFPS != win.AverageFPS ||
		run.Jank != uint64(win.Jank) || run.Time != win.Time || run.Interval.Max != win.ByFrame.Max {
		t.Errorf("got run %+v\nwindow %+v", run, win)
	}
	near(t, "p99", float64(run.Interval.P99), float64(win.ByFrame.P99), float64(win.ByFrame.P99)/1000)
}

func TestBootstrapIsRepeatableAndHoldsThePoint(t *testing.T) {
	d := noisy(3, 4000)
	p1, h1 := d.Bootstrap(r, Bootstrap{Seed: 9})
	p2, h2 := d.Bootstrap(r, Bootstrap{Seed: 9})
	if p1 != p2 || h1 != h2 {
		t.Errorf("got %v %v, then %v %v from one seed", p1, h1, p2, h2)
	}
	if _, h3 := d.Bootstrap(r, Bootstrap{Seed: 10}); h3 == h1 {
		t.Error("another seed gave the very same interval")
	}
	for _, c := range []Confidence{p1, h1} {
		if !(c.Low < c.Point && c.Point < c.High) {
			t.Errorf("got %+v, want low < point < high", c)
		}
	}
}

// TestBootstrapCoversTheTruth draws 100 runs from a known distribution: the 95 % interval must hold its
// true value in most of them. The seeds are fixed, so the counts are too.
func TestBootstrapCoversTheTruth(t *testing.T) {
	const runs = 100
	long := noisy(1000, 1_000_000)
	trueP99, trueRatio := long.Percentile(99).Seconds()*1e3, long.HitchRatio(r)
	p99, ratio := 0, 0
	for i := range uint64(runs) {
		p, h := noisy(i, 2000).Bootstrap(r, Bootstrap{Rounds: 200})
		if p.Low <= trueP99 && trueP99 <= p.High {
			p99++
		}
		if h.Low <= trueRatio && trueRatio <= h.High {
			ratio++
		}
	}
	t.Logf("covered: p99 in %d, hitch ratio in %d of %d runs", p99, ratio, runs)
	if p99 < runs*88/100 || ratio < runs*88/100 {
		t.Errorf("covered: p99 in %d, hitch ratio in %d of %d runs, want about 95 %%", p99, ratio, runs)
	}
}

// noisy is a run in which a slow frame is often followed by another one.
func noisy(seed uint64, n int) Intervals {
	rng := rand.New(rand.NewPCG(seed, 77))
	d, slow := make(Intervals, n), false
	for i := range d {
		slow = rng.Float64() < 0.03 || slow && rng.Float64() < 0.5
		x := float64(r) * (1 + 0.02*rng.NormFloat64())
		if slow {
			x += float64(8*ms) * rng.ExpFloat64()
		}
		d[i] = time.Duration(x)
	}
	return d
}

func BenchmarkMeasure(b *testing.B) {
	d := noisy(1, 4096)
	for b.Loop() {
		d.Measure(r)
	}
}
