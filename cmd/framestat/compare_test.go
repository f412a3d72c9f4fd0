package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
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

// kinds are the kinds of noise that a run of n frames of 16.7 ms may have.
var kinds = map[string]func(rng *rand.Rand, n int) record.Intervals{
	"white": func(rng *rand.Rand, n int) record.Intervals {
		return noise(n, func(int) float64 {
			ms := 16 + 0.3*rng.NormFloat64()
			if rng.Float64() < 0.002 {
				ms += 20 * rng.ExpFloat64()
			}
			return ms
		})
	},
	"drift": func(rng *rand.Rand, n int) record.Intervals { // what a frame took more is left by 95 % in the next
		off := rng.NormFloat64()
		return noise(n, func(int) float64 {
			off = 0.95*off + math.Sqrt(1-0.95*0.95)*rng.NormFloat64()
			ms := 16 + 0.3*rng.NormFloat64() + 0.5*off
			if rng.Float64() < 0.002 {
				ms += 20 * rng.ExpFloat64()
			}
			return ms
		})
	},
	"bursts": func(rng *rand.Rand, n int) record.Intervals { // one of 100 frames begins a burst of five
		bad := false
		return noise(n, func(int) float64 {
			bad = rng.Float64() < 0.01 || bad && rng.Float64() < 0.8
			ms := 16.667 + 0.2*rng.NormFloat64()
			if bad {
				ms += 5 + 20*rng.ExpFloat64()
			}
			return ms
		})
	},
	"periodic": func(rng *rand.Rand, n int) record.Intervals { // every second, beside a beat of 7 frames
		at := rng.IntN(60)
		return noise(n, func(i int) float64 {
			ms := 16 + math.Sin(float64(i+at)*2*math.Pi/7) + 0.1*rng.NormFloat64()
			if (i+at)%60 == 0 {
				ms += 18 + rng.NormFloat64()
			}
			return ms
		})
	},
}

func noise(n int, ms func(i int) float64) record.Intervals {
	d := make(record.Intervals, n)
	for i := range d {
		d[i] = time.Duration(max(ms(i), 1) * 1e6)
	}
	return d
}

// differs reports whether a figure of two runs differs: the verdict, without what makes it more careful.
func differs(a, b record.Intervals) bool {
	var of []*figure
	for i := range figures {
		if figures[i].ofBlocks {
			of = append(of, &figures[i])
		}
	}
	const target = time.Second / 60
	as, bs, _ := blocks(&measured{Run: runOf(a), target: target}, &measured{Run: runOf(b), target: target})
	limit, shifts := deal(as, bs, of)
	return slices.ContainsFunc(shifts, func(s shift) bool { return math.Abs(s.score()) > limit })
}

// Of 100 pairs of runs of one kind at most five differ, whatever their noise is.
func TestLikeRunsSeldomDiffer(t *testing.T) {
	pairs := 400
	if testing.Short() {
		pairs = 100
	}
	for kind, of := range kinds {
		rng := rand.New(rand.NewPCG(1, uint64(len(kind))))
		differ := 0
		for range pairs {
			if differs(of(rng, 1500), of(rng, 1500)) {
				differ++
			}
		}
		t.Logf("%s: %d of %d", kind, differ, pairs)
		if differ > pairs/20 {
			t.Errorf("%s: %d of %d pairs of like runs differ, want at most 5 %%", kind, differ, pairs)
		}
	}
}

// Beside each kind of noise runs differ that are 5 % slower, or lose a Yield, so that one of ten frames takes 20 ms
// more.
func TestChangesAreFoundBesideNoise(t *testing.T) {
	changes := map[string]func(i int, d time.Duration) time.Duration{
		"5 % slower": func(_ int, d time.Duration) time.Duration { return d * 105 / 100 },
		"a lost yield": func(i int, d time.Duration) time.Duration {
			return d + time.Duration(i%10/9)*20*time.Millisecond
		},
	}
	const pairs = 20
	for kind, of := range kinds {
		for what, change := range changes {
			rng := rand.New(rand.NewPCG(2, uint64(len(kind))))
			found := 0
			for range pairs {
				a, b := of(rng, 3000), of(rng, 3000)
				for i := range b {
					b[i] = change(i, b[i])
				}
				if differs(a, b) {
					found++
				}
			}
			t.Logf("%s, %s: found in %d of %d pairs", kind, what, found, pairs)
			if found < pairs*9/10 {
				t.Errorf("%s, %s: found in %d of %d pairs", kind, what, found, pairs)
			}
		}
	}
}

// The verdict names the figures and the side, and what cannot be compared has none.
func TestOneVerdictForAllFigures(t *testing.T) {
	good, bad := measuredOf(made(1, 1500, 0.01)), measuredOf(made(2, 1500, 0.1))
	short, none := measuredOf(made(3, leastBlocks*leastInBlock-1, 0)), measuredOf(nil)
	for _, c := range []struct {
		a, b *measured
		want string
	}{
		{good, bad, "worse, by "}, {bad, good, "better, by "}, {good, good, "no difference seen"},
		{good, short, "not judged, as a run has fewer than 150 frames"},
		{none, good, "not judged, as a file has no frames"},
	} {
		all := compare(c.a, c.b)
		if got := heading(c.a, c.b, all); !strings.HasPrefix(got, " against : "+c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
		for _, d := range all {
			if seen := d.verdict == better || d.verdict == worse; seen && d.low <= 0 && d.high >= 0 {
				t.Errorf("%s is %s from %v to %v", d.name, d.verdict, d.low, d.high)
			}
		}
	}
}

// Two runs of five seconds have the same law, so the difference is 0. At least 90 % of the 95 % intervals know it.
func TestIntervalsCoverTheTruth(t *testing.T) {
	const pairs = 60
	cover := map[string]int{}
	for i := range uint64(pairs) {
		rng := rand.New(rand.NewPCG(i, 77))
		for _, d := range compare(measuredOf(kinds["bursts"](rng, 300)), measuredOf(kinds["bursts"](rng, 300))) {
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
