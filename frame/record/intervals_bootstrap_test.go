package record

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestBootstrapIsRepeatableAndHoldsThePoint(t *testing.T) {
	d := noisy(3, 4000)
	p1, h1 := d.bootstrap(r, 9)
	p2, h2 := d.bootstrap(r, 9)
	if p1 != p2 || h1 != h2 {
		t.Errorf("got %v %v, then %v %v from one seed", p1, h1, p2, h2)
	}
	if _, h3 := d.bootstrap(r, 10); h3 == h1 {
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
	trueP99, trueRatio := long.Percentile(99).Seconds()*1e3, 1000*share(long.lateBy(r), long.total())
	p99, ratio := 0, 0
	for i := range uint64(runs) {
		p, h := noisy(i, 2000).bootstrap(r, 0)
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
