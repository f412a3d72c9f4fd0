package frame_test

import (
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
)

// A host that is slow in every frame does not jump in every frame: its timers go on, and its frames are late.
func TestAHostWithAGapInEveryFrame(t *testing.T) {
	for _, c := range []struct {
		gap      time.Duration
		jumps    uint64
		pressure int
	}{{100, 0, 4}, {260, 3, 4}, {700, 3, 4}, {1000, 50, 0}, {1900, 50, 0}} {
		for _, place := range placements() {
			o := frame.Options{Placement: place, Recorder: frame.RecorderOptions{WarmUp: -1}}
			bubble(t, o, func(t *testing.T, l *frame.Loop) {
				start, gap := time.Now(), c.gap*time.Millisecond
				var at atomic.Int64 // the slice in the shadow may still run
				l.After(deadline.Normal, 20*time.Second, func() { at.Store(int64(time.Since(start))) })
				for i := 0; i <= 50 || at.Load() == 0 && i < 500; i++ {
					if i == 50 { // nothing is settled yet about the frame of now
						s := l.Recorder().Snapshot().Totals
						if l.Stats().Jumps+1 < c.jumps || l.Stats().Jumps > c.jumps || s.N+l.Stats().Jumps < 48 ||
							l.Pressure() != c.pressure {
							t.Errorf("%v, gaps of %v: %d jumps, %d frames, pressure %d; want %d jumps, pressure %d",
								place, gap, l.Stats().Jumps, s.N, l.Pressure(), c.jumps, c.pressure)
						}
					}
					l.Begin()
					time.Sleep(time.Millisecond)
					l.Slice()
					l.End()
					time.Sleep(gap)
				}
				ran := time.Duration(at.Load())
				if most := 20*time.Second + 5*gap; ran < 20*time.Second || ran > most {
					t.Errorf("%v, gaps of %v: a timer of 20 s ran after %v, want at most %v", place, gap, ran, most)
				}
			})
		}
	}
}

// A debugger stops in frame after frame, each time for long; or the laptop is closed now and then.
func TestGapsThatAreNoRate(t *testing.T) {
	for name, gaps := range map[string][]time.Duration{
		"long":         {time.Minute},
		"now and then": {time.Second, time.Second, time.Second, 10 * time.Millisecond},
	} {
		bubble(t, frame.Options{Placement: frame.PlaceAfterDraw}, func(t *testing.T, l *frame.Loop) {
			ran := 0
			l.After(deadline.Normal, 10*time.Second, func() { ran++ })
			for i := range 40 {
				l.Begin()
				l.Slice()
				l.End()
				time.Sleep(gaps[i%len(gaps)])
			}
			if ran != 0 {
				t.Errorf("%s: the jumps did not put off the timer", name)
			}
		})
	}
}

// Who has said what a jump is is not overruled.
func TestGapsBeyondJumpAfter(t *testing.T) {
	bubble(t, frame.Options{JumpAfter: 300 * time.Millisecond}, func(t *testing.T, l *frame.Loop) {
		for range 20 {
			l.Begin()
			l.End()
			time.Sleep(400 * time.Millisecond)
		}
		if n := l.Stats().Jumps; n != 19 {
			t.Errorf("%d jumps, want 19", n)
		}
	})
}

// A gap that none is as long as: nothing jumps, whatever a frame takes.
func TestJumpAfterALifetime(t *testing.T) {
	for _, after := range []time.Duration{math.MaxInt64, math.MaxInt64 / 10, math.MaxInt64 / 20} {
		bubble(t, frame.Options{JumpAfter: after, Watchdog: -1}, func(t *testing.T, l *frame.Loop) {
			for range 5 {
				l.Begin()
				time.Sleep(time.Minute)
				l.End()
				time.Sleep(time.Minute)
			}
			if n := l.Stats().Jumps; n != 0 {
				t.Errorf("%d jumps after %v", n, after)
			}
		})
	}
}
