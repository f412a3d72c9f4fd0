package frame_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
)

// A program that draws on demand, and sleeps after each frame, is told of the frames that kept it from its events.
func TestFramesBeforeASleepAreJudged(t *testing.T) {
	const target = 20 * ms
	for _, c := range []struct {
		name              string
		own, after, sleep time.Duration // within the frame, from End to Rest, and asleep
		interval          time.Duration
		jump              bool
	}{
		{"short", ms, 0, time.Hour, target, false},
		{"woken at once", ms, 0, 2 * ms, 3 * ms, false},
		{"as long as it should be", target, 0, time.Hour, target, false},
		{"long", 300 * ms, 0, time.Hour, 300 * ms, false},
		{"long, and woken at once", 300 * ms, 0, 0, 300 * ms, false},
		{"a long time until it sleeps", ms, 300 * ms, time.Hour, 301 * ms, false},
		{"a debugger's", time.Hour, 0, time.Minute, time.Hour, true},
		{"a suspended machine's", ms, time.Hour, time.Minute, time.Hour + ms, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := frame.Options{Interval: target, Recorder: record.Options{WarmUp: -1}, OnStuck: func(string) {}}
			bubble(t, o, func(t *testing.T, l *frame.Loop) {
				const times = 5
				for i := range times + 1 {
					l.Begin()
					if i < times {
						time.Sleep(c.own)
					}
					l.Slice()
					l.End()
					if i < times {
						time.Sleep(c.after)
						l.Rest()
						time.Sleep(c.sleep)
						l.Rest() // again, as a host that was woken for nothing
					}
				}
				s, want := l.Recorder().Snapshot(), uint64(times)
				x := s.Totals
				if c.jump {
					if x.Jumps != want || x.JumpTime != times*c.interval || x.N != 0 || x.First != 1 {
						t.Errorf("want %d jumps of %v: %+v", want, c.interval, x)
					}
					return
				}
				missed := times * uint64(max(1, (c.interval+target/2)/target)-1)
				if x.N != want || x.First != 1 || x.Jumps != 0 || x.Time != times*c.interval || x.Missed != missed {
					t.Errorf("want %d intervals of %v, %d missed: %+v", want, c.interval, missed, x)
				}
				if late := s.Lateness.Max(); late > c.interval || late < (c.interval-target)*9/10 {
					t.Errorf("late by %v at most, want %v", late, c.interval-target)
				}
			})
		})
	}
}

// A tool that rests after every frame lowers its quality when its frames are too long, too.
func TestPressureOfAHostThatRestsAfterEveryFrame(t *testing.T) {
	for own, want := range map[time.Duration]int{ms: 0, 100 * ms: 4} {
		bubble(t, frame.Options{Interval: 20 * ms}, func(t *testing.T, l *frame.Loop) {
			for range 100 {
				l.Begin()
				time.Sleep(own)
				l.End()
				l.Rest()
				time.Sleep(2 * ms)
			}
			if p := l.Pressure(); p != want {
				t.Errorf("level %d with frames of %v, want %d", p, own, want)
			}
		})
	}
}
