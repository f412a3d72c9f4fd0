package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/frameslice/frameslice/cmd/framestat/internal/runfile"
	"github.com/frameslice/frameslice/frame/record"
)

func runOf(d record.Intervals) *runfile.Run { return &runfile.Run{Intervals: d} }

func measuredOf(d record.Intervals) *measured {
	r := &measured{Run: runOf(d), target: time.Second / 60}
	r.Metrics = d.Measure(r.target)
	return r
}

// A run that is resampled as itself has the figures of package record.
func TestMeasuresAsPackageRecord(t *testing.T) {
	for seed, n := range []int{1, 2, 3, 99, 100, 101, 1000} {
		d := made(uint64(seed), n, 0.05)
		d = append(d, d[0], d[0]) // ties
		m := d.Measure(time.Second / 60)
		values := slices.Clone(d)
		slices.Sort(values)
		values = slices.Compact(values)
		counts := make([]int32, len(values))
		for _, x := range d {
			k, _ := slices.BinarySearch(values, x)
			counts[k]++
		}
		s := measure(values, counts, len(d), time.Second/60)
		for i := range figures {
			f := &figures[i]
			if f.draw == nil {
				continue
			}
			if got, want := f.draw(&s), f.of(&m); math.Abs(got-want) > 1e-6*math.Max(1, want) {
				t.Errorf("%s of %d frames: %v, want %v", f.name, len(d), got, want)
			}
		}
	}
}

// Two runs of one program differ by chance: a 95 % interval leaves 0 out in about one of twenty comparisons. A run with
// four times as many late frames is seen.
func TestVerdictsAreRight(t *testing.T) {
	const pairs = 40
	alarms, seen := 0, 0
	for i := range uint64(pairs) {
		a := measuredOf(made(3*i+1, 600, 0.05))
		for _, d := range compare(a, measuredOf(made(3*i+2, 600, 0.05))) {
			if d.name == "hitch ratio" && d.verdict != notSeen {
				alarms++
			}
		}
		for _, d := range compare(a, measuredOf(made(3*i+3, 600, 0.2))) {
			if d.name == "hitch ratio" && d.verdict == worse {
				seen++
			}
		}
	}
	t.Logf("%d alarms, %d seen of %d", alarms, seen, pairs)
	if alarms > 7 || seen < 37 {
		t.Errorf("of %d pairs %d without a difference were said to differ; of %d with one, %d",
			pairs, alarms, pairs, seen)
	}
}

// bunched is a run whose late frames come in bunches, as they do while something else runs.
func bunched(seed uint64, n int) record.Intervals {
	rng := rand.New(rand.NewPCG(seed, 77))
	d := make(record.Intervals, n)
	bad := false
	for i := range d {
		bad = rng.Float64() < 0.01 || bad && rng.Float64() < 0.8
		ms := 16.667 + 0.2*rng.NormFloat64()
		if bad {
			ms += 5 + 20*rng.ExpFloat64()
		}
		d[i] = time.Duration(ms * 1e6)
	}
	return d
}

// Two runs of five seconds have the same law, so the difference is 0. At least 90 % of the 95 % intervals know it.
func TestIntervalsCoverTheTruth(t *testing.T) {
	const pairs = 60
	cover := map[string]int{}
	for i := range uint64(pairs) {
		for _, d := range compare(measuredOf(bunched(2*i+1, 300)), measuredOf(bunched(2*i+2, 300))) {
			if d.known && d.low <= 0 && d.high >= 0 {
				cover[d.name]++
			}
		}
	}
	t.Log(cover)
	for _, name := range []string{
		"average", "interval, p50", "interval, p90", "interval, p99", "missed", "hitch ratio", "hitch ratio, quantized",
	} {
		if cover[name] < pairs*9/10 {
			t.Errorf("%s: %d of %d intervals have the true difference", name, cover[name], pairs)
		}
	}
}

// A difference that nobody feels is none, however certain.
func TestTinyDifferencesAreNone(t *testing.T) {
	a, b := made(1, 2000, 0), made(1, 2000, 0)
	for i := range b {
		b[i] += 20 * time.Microsecond
	}
	for _, d := range compare(measuredOf(a), measuredOf(b)) {
		if d.name == "interval, p50" && d.verdict != notSeen {
			t.Errorf("%+v", d)
		}
	}
}

func TestGuessesADisplay(t *testing.T) {
	for _, c := range []struct{ median, want time.Duration }{
		{16600 * time.Microsecond, time.Second / 60}, {6950 * time.Microsecond, time.Second / 144},
		{7300 * time.Microsecond, 7300 * time.Microsecond}, {0, time.Microsecond},
	} {
		if got, _ := estimate(record.Intervals{c.median}); (got - c.want).Abs() > 1 {
			t.Errorf("median %v: %v, want %v", c.median, got, c.want)
		}
	}
}
