package refresh

import (
	"testing"
	"time"
)

// The slices of the first frames are whole as soon as four have agreed, but for each fourth, and what they tell
// is the period.
func TestIsAssumedWhenFramesAgree(t *testing.T) {
	for _, hz := range []int{24, 30, 57, 60, 75, 144, 165} {
		p := New(at60)
		own := hertz(hz) / 5
		d := &display{hz: hz, own: own, flush: own / 2, reserve: own, backlog: true, rng: seeded()}
		for i := range learning {
			small := p.SliceCap() > 0
			if want := i < agree || i%verify == 3; small != want {
				t.Errorf("%d Hz: the slice of frame %d is small: %v, want %v", hz, i, small, want)
			}
			if i >= agree && (!near(p.value, hertz(hz), 32) || p.shown != p.value) {
				t.Errorf("%d Hz is taken for %v, and shown as %v, in frame %d", hz, p.value, p.shown, i)
			}
			d.frame(&p)
		}
	}
}

// Where a program's start has made each of the first frames miss a refresh or two, the one that is small tells so, and
// what has been sampled until then misleads nobody.
func TestOfAStartThatMisses(t *testing.T) {
	for _, hz := range []int{60, 75, 120, 144, 240} {
		for _, refreshes := range []int{2, 3} {
			for _, frames := range []int{4, 5, 8, 11, 15} {
				d := &display{hz: hz / refreshes, own: milli, flush: milli, reserve: milli, rng: seeded()}
				d.backlog = true
				p := New(at60)
				run(&p, d, frames)
				d.hz = hz
				run(&p, d, 2*verify)
				if !near(p.value, hertz(hz), 16) { // the shortest of four
					t.Errorf("%d Hz after %d frames of %d refreshes: %v", hz, frames, refreshes, p.value)
				}
			}
		}
	}
}

// Frames that nothing holds up agree, too, and so do those that are all work: neither shows a display.
func TestWithoutAnAgreement(t *testing.T) {
	for _, c := range [][2]time.Duration{{2 * milli, milli / 2}, {20 * milli, 18 * milli}} {
		p := New(at60)
		for i := range learning {
			if p.SliceCap() == 0 {
				t.Errorf("frames of %v with %v of work: the slice of frame %d is not small", c[0], c[1], i)
			}
			p.Observe(c[0], c[1], 0)
		}
	}
}
