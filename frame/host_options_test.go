package frame_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/workers"
)

// backlog is a loop in virtual time whose tasks take it some frames to work off; it returns the levels of pressure
// that it came to, and how long each lasted, in frames.
func backlog(t *testing.T, o frame.PressureOptions) (levels string) {
	synctest.Test(t, func(*testing.T) {
		l := frame.New(frame.Options{
			Interval: 10 * time.Millisecond, Workers: workers.Options{Workers: -1}, Pressure: o,
		})
		defer l.Close()
		for range 40 {
			l.Post(deadline.Normal, func() { time.Sleep(2 * time.Millisecond) })
		}
		last, since, n := 0, 0, 0
		_ = l.Run(context.Background(), func() error {
			if p := l.Pressure(); p != last {
				levels += fmt.Sprintf("%d for %d, ", last, n-since)
				last, since = p, n
			}
			if n++; n == 100 {
				return frame.ErrStop
			}
			return nil
		})
		levels += fmt.Sprint(last)
	})
	return levels
}

// The options say how deep a backlog has to be, and for how long, until the level changes. The tasks are so large
// that each slice leaves some of its time: that makes the backlog no smaller.
func TestPressureGoesByItsOptions(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		o    frame.PressureOptions
		want string
	}{
		{frame.PressureOptions{}, "0"}, // 40 tasks are no backlog
		{frame.PressureOptions{Depth: 16, Rise: 20 * ms, Fall: 100 * ms}, "0 for 3, 1 for 2, 2 for 12, 1 for 10, 0"},
		{frame.PressureOptions{Depth: 16, Rise: 20 * ms, Fall: 300 * ms}, "0 for 3, 1 for 2, 2 for 32, 1 for 30, 0"},
		{frame.PressureOptions{Depth: 16, Rise: 20 * ms, Fall: 100 * ms, Levels: 1}, "0 for 3, 1 for 14, 0"},
		{frame.PressureOptions{Depth: 36, Rise: 20 * ms, Fall: 100 * ms}, "0"},
		{frame.PressureOptions{Depth: 36, Rise: 20 * ms, Fall: 100 * ms, High: 0.5, Low: 0.1},
			"0 for 3, 1 for 2, 2 for 14, 1 for 10, 0"},
	} {
		if got := backlog(t, c.o); got != c.want {
			t.Errorf("%+v: %s, want %s", c.o, got, c.want)
		}
	}
}

// A host that says how far it has moved its world has its updates counted, and the animation error measured.
func TestHostTellsItsSteps(t *testing.T) {
	synctest.Test(t, func(*testing.T) {
		l := frame.New(frame.Options{
			Workers: workers.Options{Workers: -1}, Recorder: record.Options{WarmUp: -1},
		})
		defer l.Close()
		const tick = 10 * time.Millisecond
		for _, updates := range []int{1, 1, 0, 2} {
			time.Sleep(tick)
			l.Begin()
			for range updates {
				l.Step(tick)
			}
			if updates == 0 {
				l.Step(0)
			}
			l.End()
		}
		s := l.Recorder().Snapshot()
		var errs []time.Duration
		for _, r := range s.Records[1:] {
			if !r.Flags.Has(record.Stepped) {
				t.Error("a frame has no step")
			}
			errs = append(errs, r.Step-r.Interval)
		}
		if want := []time.Duration{0, -tick, tick}; !slices.Equal(errs, want) {
			t.Errorf("animation errors %v, want %v", errs, want)
		}
		if s.Totals.Updates != [4]uint64{1, 2, 1, 0} {
			t.Errorf("updates %v", s.Totals.Updates)
		}
	})
}
