package frame

import (
	"math/rand/v2"
	"testing"
	"time"
)

// verdicts plays a host whose frames take alone without work. The slice uses what the baseline grants: used, or the
// least slice in a control. It returns the number of frames until the verdict is slow, or n.
func verdicts(b *baseline, n int, alone func() time.Duration, used time.Duration, display bool) int {
	const due = time.Second / 60
	for i := range n {
		if b.slow {
			return i
		}
		u := used
		if b.control > 0 {
			u = min(u, controlSlice)
		}
		d := alone() + u
		if display {
			d = (d + due - 1) / due * due
		}
		b.observe(d, u, due, true, false)
	}
	return n
}

// A host that is late without work is found out within a second, also if work has filled its frames from the first one
// on. A host that is in time without work is not slow, however late the work makes its frames.
func TestBaselineTellsTheHostFromTheWork(t *testing.T) {
	even := func(d time.Duration) func() time.Duration { return func() time.Duration { return d } }
	for _, c := range []struct {
		name    string
		alone   time.Duration
		used    time.Duration
		display bool
		slow    bool
	}{
		{"fast, no work", 8 * milli, 0, true, false},
		{"fast, work fits", 8 * milli, 7 * milli, true, false},
		{"fast, too much work", 8 * milli, 14 * milli, true, false},
		{"fast, far too much work", 8 * milli, 60 * milli, true, false},
		{"fast without a display, too much work", 8 * milli, 14 * milli, false, false},
		{"slow, no work", 20 * milli, 0, true, true},
		{"slow, some work", 20 * milli, 5 * milli, true, true},
		{"slow, much work", 20 * milli, 14 * milli, true, true},
		{"slow without a display", 25 * milli, 5 * milli, false, true},
		{"very slow", 200 * milli, 5 * milli, false, true},
	} {
		var b baseline
		n := verdicts(&b, 600, even(c.alone), c.used, c.display)
		if b.slow != c.slow {
			t.Errorf("%s: slow %v after %d frames, want %v", c.name, b.slow, n, c.slow)
		}
		if took := time.Duration(n) * (c.alone + c.used); c.slow && took > 1100*milli {
			t.Errorf("%s: slow after %v", c.name, took)
		}
	}
}

// A host that becomes fast is found out within a second of its frames, though its slices would make it late.
func TestBaselineFollowsAHostThatBecomesFast(t *testing.T) {
	for _, used := range []time.Duration{0, 4 * milli, 12 * milli} {
		var b baseline
		verdicts(&b, 100, func() time.Duration { return 40 * milli }, used, true)
		if !b.slow {
			t.Fatalf("%v of work: not slow", used)
		}
		const due = time.Second / 60
		passed := time.Duration(0)
		for b.slow && passed < 10*time.Second {
			u := used
			if b.control > 0 {
				u = min(u, controlSlice)
			}
			d := (8*milli + u + due - 1) / due * due
			b.observe(d, u, due, true, false)
			passed += d
		}
		if passed > 1700*milli {
			t.Errorf("%v of work: fast after %v", used, passed)
		}
	}
}

// Frames that are late now and then, as those of any busy machine are, do not make a host slow.
func TestBaselineOutlastsStrayLateFrames(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		var b baseline
		n := verdicts(&b, 3600, func() time.Duration {
			if r.IntN(100) == 0 {
				return 30 * milli
			}
			return 8 * milli
		}, 5*milli, true)
		if b.slow {
			t.Errorf("seed %d: slow after %d frames, of which one in a hundred was late", seed, n)
		}
	}
}

// The controls of a slow host take a tenth of its frames at most.
func TestControlsAreRare(t *testing.T) {
	var b baseline
	controls := 0
	for i := range 1000 {
		if b.control > 0 && i > 100 {
			controls++
		}
		b.observe(50*milli, 6*milli, time.Second/60, true, false)
	}
	if !b.slow || controls > 90 {
		t.Errorf("slow %v, %d of 900 frames were controls", b.slow, controls)
	}
}
