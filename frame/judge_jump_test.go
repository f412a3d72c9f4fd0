package frame_test

import (
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/scheduler"
)

// A host that is slow in every frame does not jump in every frame: its timers continue, and its frames are late.
func TestAHostWithAGapInEveryFrame(t *testing.T) {
	for _, c := range []struct {
		gap      time.Duration
		jumps    uint64
		pressure int
	}{{100, 0, 4}, {260, 0, 4}, {700, 0, 4}, {1000, 47, 1}, {1900, 47, 1}} {
		o := frame.Options{Recorder: record.Options{WarmUp: -1}}
		everywhere(t, o, func(t *testing.T, l *frame.Loop) {
			start, gap := time.Now(), c.gap*time.Millisecond
			var at atomic.Int64 // the slice in the shadow may still run
			l.After(deadline.Normal, 20*time.Second, func() { at.Store(int64(time.Since(start))) })
			for i := 0; i <= 50 || at.Load() == 0 && i < 500; i++ {
				if i == 50 { // nothing is settled yet about the frame of now
					s := l.Recorder().Snapshot().Totals
					if l.Stats().Jumps+1 < c.jumps || l.Stats().Jumps > c.jumps || s.N+l.Stats().Jumps < 48 ||
						l.Pressure() != c.pressure {
						t.Errorf("gaps of %v: %d jumps, %d frames, pressure %d; want %d jumps, pressure %d",
							gap, l.Stats().Jumps, s.N, l.Pressure(), c.jumps, c.pressure)
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
				t.Errorf("gaps of %v: a timer of 20 s ran after %v, want at most %v", gap, ran, most)
			}
		})
	}
}

// What the host does after End may be the game's own doing, a flush that uploads a level's pictures: it counts, and
// puts the timers off all the same. Beyond five seconds it is nobody's frame, and said to be left out.
func TestAGapIsALateFrameAndALongOneAJump(t *testing.T) {
	for _, c := range []struct {
		gap   time.Duration
		after time.Duration
		jumps uint64
	}{
		{200, 0, 0}, {300, 0, 0}, {1600, 0, 0}, {5000, 0, 0}, {5001, 0, 1}, {1600, 300, 1}, {300, 300, 0},
		{300 * 1000, -1, 0},
	} {
		o := frame.Options{
			JumpAfter: c.after * time.Millisecond,
			Recorder:  record.Options{WarmUp: -1, Target: 10 * time.Millisecond},
		}
		everywhere(t, o, func(t *testing.T, l *frame.Loop) {
			var late atomic.Int32 // of one timer on each goroutine that runs tasks
			for _, s := range []*scheduler.Scheduler{l.Scheduler(), l.Host()} {
				s.Submit(&scheduler.Task{Delay: 100 * time.Millisecond, Func: func() { late.Add(1) }})
			}
			for _, gap := range []time.Duration{10, c.gap, 10, 10} {
				frameOf(l)
				time.Sleep(gap * time.Millisecond)
			}
			l.Begin()
			l.End()
			end(l)
			s := l.Recorder().Snapshot()
			missed := uint64(c.gap/10-1) * (1 - c.jumps)
			if s.Totals.Jumps != c.jumps || s.Totals.Missed != missed || s.Totals.N != 4-c.jumps {
				t.Errorf("a gap of %d ms, JumpAfter %d ms: %d jumps, %d of %d missed; want %d, %d",
					c.gap, c.after, s.Totals.Jumps, s.Totals.Missed, s.Totals.N, c.jumps, missed)
			}
			want := int32(2)
			if c.gap > 250 && c.gap > c.after && c.after >= 0 {
				want = 0 // they are put off
			}
			if n := late.Load(); n != want {
				t.Errorf("a gap of %d ms, JumpAfter %d ms: %d timers have run, want %d", c.gap, c.after, n, want)
			}
		})
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
				frameOf(l)
				time.Sleep(gaps[i%len(gaps)])
			}
			if ran != 0 {
				t.Errorf("%s: the jumps did not put off the timer", name)
			}
		})
	}
}

// A gap that none is as long as: nothing jumps, whatever a frame takes.
func TestJumpAfterALifetime(t *testing.T) {
	for _, after := range []time.Duration{math.MaxInt64, math.MaxInt64 / 10, math.MaxInt64 / 20} {
		bubble(t, frame.Options{JumpAfter: after, OnStuck: func(string) {}}, func(t *testing.T, l *frame.Loop) {
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
