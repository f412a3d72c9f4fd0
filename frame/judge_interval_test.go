package frame_test

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// measured returns the intervals of the frames after the first, and their targets.
func measured(l *frame.Loop) (intervals, targets []time.Duration) {
	for _, r := range l.Recorder().Recent(make([]record.Record, 64))[1:] {
		intervals, targets = append(intervals, r.Interval), append(targets, r.Target)
	}
	return intervals, targets
}

// A player chooses another rate: the next frame comes by it, its slice has that time, and it is judged by it.
func TestSetIntervalInRun(t *testing.T) {
	o := frame.Options{Interval: 20 * ms, Recorder: record.Options{WarmUp: -1}}
	bubble(t, o, func(t *testing.T, l *frame.Loop) {
		run := func(frames int, at map[int]time.Duration) {
			play(t, l, frames, func(i int) {
				if d, ok := at[i]; ok {
					l.SetInterval(d)
				}
			})
		}
		run(6, map[int]time.Duration{2: 50 * ms, 4: 5 * ms, 6: 0})
		wants := []time.Duration{20 * ms, 50 * ms, 50 * ms, 5 * ms, 5 * ms, time.Second / 60}
		intervals, targets := measured(l)
		if !slices.Equal(intervals, wants) || !slices.Equal(targets[1:], wants[1:]) {
			t.Errorf("intervals %v with targets %v, want %v", intervals, targets, wants)
		}
		if s := l.Recorder().Snapshot(); s.Totals.Missed != 0 || s.Target != time.Second/60 {
			t.Errorf("%d missed, target %v", s.Totals.Missed, s.Target)
		}
		l.Recorder().Reset()
		l.SetInterval(40 * ms) // between two Runs
		run(2, nil)
		intervals, targets = measured(l)
		if wants := []time.Duration{40 * ms, 40 * ms}; !slices.Equal(intervals, wants) || targets[1] != 40*ms {
			t.Errorf("intervals %v with targets %v, want 40 ms", intervals, targets)
		}
		for _, r := range l.Recorder().Recent(make([]record.Record, 2)) {
			if has := r.SliceDeadline.Sub(r.Start); r.Flags&record.Sliced != 0 && (has <= 20*ms || has > 40*ms) {
				t.Errorf("a slice until %v after the beginning", has)
			}
		}
	})
}

// The slice of the frame in which the rate rises ends in time for the next one.
func TestSetIntervalBeforeABusySlice(t *testing.T) {
	o := frame.Options{Interval: 50 * ms, Recorder: record.Options{WarmUp: -1}}
	bubble(t, o, func(t *testing.T, l *frame.Loop) {
		endless(l, ms)
		play(t, l, 20, func(i int) {
			if i == 10 {
				l.SetInterval(10 * ms)
			}
		})
		if intervals, _ := measured(l); intervals[9] > 11*ms {
			t.Errorf("intervals %v", intervals)
		}
	})
}

// A hosted loop that paces itself, and one that a display paces.
func TestSetIntervalOfHost(t *testing.T) {
	o := frame.Options{Interval: 20 * ms, Pace: true, Recorder: record.Options{WarmUp: -1}}
	bubble(t, o, func(t *testing.T, l *frame.Loop) {
		w := &window{l: l, own: 1 * ms}
		w.run(300)
		l.SetInterval(10 * ms)
		w.run(30)
		if got := l.Stats().Interval; got != 10*ms {
			t.Errorf("the interval is %v", got)
		}
		intervals, targets := measured(l)
		k := slices.Index(targets, 10*ms)
		if k < 1 || len(targets)-k != 29 || slices.ContainsFunc(intervals[k:], func(d time.Duration) bool {
			return d != 10*ms
		}) || intervals[k-1] != 20*ms {
			t.Errorf("intervals %v with targets %v", intervals, targets)
		}
	})
	bubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
		w := &window{l: l, own: 1 * ms, flush: ms / 2, period: time.Second / 144}
		w.run(300)
		l.SetInterval(time.Second / 48) // which is wrong: the display continues, and is measured
		w.frame()
		if got := l.Stats().Interval; got != time.Second/48 {
			t.Errorf("the interval is %v, want the one that was set", got)
		}
		w.run(600)
		if got := l.Stats().Interval; got != time.Second/144 {
			t.Errorf("the interval is %v, want the display's", got)
		}
		if got := l.Recorder().Snapshot().Target; got != time.Second/48 {
			t.Errorf("frames are judged by %v, want what was set", got)
		}
		l.SetInterval(0)
		w.run(300)
		if got := l.Recorder().Snapshot().Target; got != time.Second/144 {
			t.Errorf("frames are judged by %v, want the display's", got)
		}
	})
}

// A target of one's own stays, and any goroutine may call it, a task and a callback too.
func TestSetIntervalFromAnywhere(t *testing.T) {
	l := frame.New(frame.Options{
		Interval: 20 * ms, Workers: workers.Options{Workers: -1}, Recorder: record.Options{Target: 30 * ms},
	})
	l.Begin()
	l.Post(deadline.Immediate, func() { l.SetInterval(10 * ms) })
	l.Slice()
	l.End()
	if got, target := l.Stats().Interval, l.Recorder().Snapshot().Target; got != 10*ms || target != 30*ms {
		t.Errorf("the interval is %v, the target %v", got, target)
	}
	var other sync.WaitGroup
	other.Go(func() { l.SetInterval(5 * ms) }) // the race detector looks at it
	err := l.Run(bg, func() error {
		if got := l.Stats().Interval; got == 7*ms {
			return frame.ErrStop
		}
		l.Host().Once(scheduler.BeforeDraw, func() { other.Wait(); l.SetInterval(7 * ms) })
		return nil
	})
	if err := errors.Join(err, l.Close()); err != nil {
		t.Error(err)
	}
	l.SetInterval(5 * ms)
	if got := l.Stats().Interval; got != 7*ms {
		t.Errorf("the interval of a closed loop is %v", got)
	}
}
