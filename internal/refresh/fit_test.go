package refresh

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// jitters are ways in which the start of a frame is off its refresh: by a part of the period.
var jitters = map[string]func(r *rand.Rand, at, period time.Duration) time.Duration{
	"none": func(*rand.Rand, time.Duration, time.Duration) time.Duration { return 0 },
	"late by 1 ms": func(r *rand.Rand, _, period time.Duration) time.Duration {
		return time.Duration(r.Float64() * float64(min(period/4, time.Millisecond)))
	},
	"normal, 0.3 ms": func(r *rand.Rand, _, _ time.Duration) time.Duration {
		return time.Duration(r.NormFloat64() * 3e5)
	},
	"a clock of 1 ms": func(_ *rand.Rand, at, _ time.Duration) time.Duration { return -(at % time.Millisecond) },
	"some late by 5 ms": func(r *rand.Rand, _, _ time.Duration) time.Duration {
		return time.Duration(r.Float64()*5e6) * time.Duration(r.IntN(20)/19)
	},
}

// ticks is a display, or a browser, of any rate. Its frames are short.
type ticks struct {
	period, at, start time.Duration
	jitter            func(r *rand.Rand, at, period time.Duration) time.Duration
	rng               *rand.Rand
	drift             float64 // of the period, in each second

	grid Grid
	due  deadline.Instant
	late int // frames that the pool would be held back for
}

func (d *ticks) run(p *Period, total time.Duration) {
	for end := d.at + total; d.at < end; {
		d.period += time.Duration(float64(d.period) * d.drift * d.period.Seconds())
		d.at += d.period
		start := max(d.at+d.jitter(d.rng, d.at, d.period), d.start+1)
		p.Observe(start-d.start, d.period/10, 0)
		d.start = start
		now := deadline.Instant(start)
		if d.due > 0 && now > d.due.Add(p.value/64) {
			d.late++
		}
		d.grid.Observe(now, p.value)
		d.due = d.grid.Next(now, p.value)
	}
}

func off(got, want time.Duration) float64 { return math.Abs(float64(got-want)) / float64(want) }

// Any steady rate is known to 0.05 % after two seconds, also an odd one, and one that drifts.
func TestOfAnyRate(t *testing.T) {
	step := 37.0
	if testing.Short() {
		step = 7
	}
	for hz := 20.0; hz <= 505; hz += 1 + hz/step {
		for name, jitter := range jitters {
			if hz > 240 && name == "a clock of 1 ms" {
				continue // three and four in turns are a free host's, too
			}
			for _, drift := range []float64{0, 0.0005, -0.0005} {
				d := &ticks{period: time.Duration(1e9 / hz), jitter: jitter, rng: seeded(), drift: drift}
				p := New(at60)
				d.run(&p, 2*time.Second)
				d.late = 0
				most := 0.0005
				if drift != 0 && name != "none" {
					most = 0.0015 // the line lags behind by half its length
				}
				for range 20 {
					if x := off(p.shown, d.period); x > most || p.value != p.shown {
						t.Errorf("%.2f Hz, jitter %s, drift %v: %v after %v, want %v: %.3f %% off",
							hz, name, drift, p.shown, d.at, d.period, 100*x)
						break
					}
					d.run(&p, 100*time.Millisecond)
				}
				if name == "none" && d.late > 0 {
					t.Errorf("%.2f Hz, drift %v: %d frames are taken for late ones", hz, drift, d.late)
				}
			}
		}
	}
}

// A change of the rate is followed within two seconds.
func TestFollowsAnyChange(t *testing.T) {
	for _, c := range [][2]float64{
		{60, 144}, {144, 59.94}, {60, 59.94}, {59.94, 60}, {60, 120}, {120, 60}, {75, 72}, {72, 75}, {30, 60}, {60, 30},
		{143.86, 144}, {50, 53}, {90, 101}, {240, 48}, {48, 240}, {20, 200},
	} {
		for name, jitter := range jitters {
			d := &ticks{period: time.Duration(1e9 / c[0]), jitter: jitter, rng: seeded()}
			p := New(at60)
			d.run(&p, 5*time.Second)
			d.period = time.Duration(1e9 / c[1])
			d.run(&p, 2*time.Second)
			if x := off(p.shown, d.period); x > 0.0005 || p.value != p.shown {
				t.Errorf("%s, jitter %s: %v, want %v: %.3f %% off", fmt.Sprint(c), name, p.shown, d.period, 100*x)
			}
		}
	}
}
