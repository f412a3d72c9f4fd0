package frame

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/frame/record"
)

// The slices of the first frames are whole as soon as four have agreed, but for each fourth, and what they tell
// is the period.
func TestPeriodIsAssumedWhenFramesAgree(t *testing.T) {
	for _, hz := range []int{24, 30, 57, 60, 75, 144, 165} {
		p := newPeriod(record.DefaultInterval)
		own := hertz(hz) / 5
		d := &display{hz: hz, own: own, flush: own / 2, reserve: own, backlog: true, rng: seeded()}
		for i := range periodLearning {
			small := p.sliceCap() > 0
			if want := i < periodAgree || i%periodVerify == 3; small != want {
				t.Errorf("%d Hz: the slice of frame %d is small: %v, want %v", hz, i, small, want)
			}
			if i >= periodAgree && (!near(p.value, hertz(hz), 32) || p.shown != p.value) {
				t.Errorf("%d Hz is taken for %v, and shown as %v, in frame %d", hz, p.value, p.shown, i)
			}
			d.frame(&p)
		}
	}
}

// Where a program's start has made each of the first frames miss a refresh or two, the one that is small tells so, and
// what has been sampled until then misleads nobody.
func TestPeriodOfAStartThatMisses(t *testing.T) {
	for _, hz := range []int{60, 75, 120, 144, 240} {
		for _, refreshes := range []int{2, 3} {
			for _, frames := range []int{4, 5, 8, 11, 15} {
				d := &display{hz: hz / refreshes, own: milli, flush: milli, reserve: milli, rng: seeded()}
				d.backlog = true
				p := newPeriod(record.DefaultInterval)
				run(&p, d, frames)
				d.hz = hz
				run(&p, d, 2*periodVerify)
				if !near(p.value, hertz(hz), 16) { // the shortest of four
					t.Errorf("%d Hz after %d frames of %d refreshes: %v", hz, frames, refreshes, p.value)
				}
			}
		}
	}
}

// Frames that nothing holds up agree, too, and so do those that are all work: neither tells of a display.
func TestPeriodWithoutAnAgreement(t *testing.T) {
	for _, c := range [][2]time.Duration{{2 * milli, milli / 2}, {20 * milli, 18 * milli}} {
		p := newPeriod(record.DefaultInterval)
		for i := range periodLearning {
			if p.sliceCap() == 0 {
				t.Errorf("frames of %v with %v of work: the slice of frame %d is not small", c[0], c[1], i)
			}
			p.observe(c[0], c[1], 0)
		}
	}
}
