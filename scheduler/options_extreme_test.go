package scheduler_test

import (
	"errors"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/extreme"
	"github.com/frameslice/frameslice/scheduler"
)

var errNotRun = errors.New("nothing ran")

// Every number of every option is taken, bounded, or refused by its name.
func TestNumbersOfOptions(t *testing.T) {
	extreme.Try(t, func(o scheduler.Options) error {
		o.OnPanic = func(*scheduler.PanicError) {}
		s := scheduler.New(o)
		ran, later, micro := 0, 0, 0
		for _, p := range deadline.Priorities() {
			s.Post(p, func() { ran++; s.Microtask(func() { micro++ }) })
		}
		s.After(deadline.Normal, time.Microsecond, func() { later++ })
		s.Go(deadline.Low, func(co *scheduler.Co) { co.Yield(); ran++ })
		for i := 0; i < 100 && (ran < 6 || later == 0 || micro < 5); i++ {
			time.Sleep(2 * time.Microsecond)
			s.BeginFrame(deadline.Now())
			s.RunUntil(deadline.In(time.Millisecond))
		}
		s.Close()
		if ran != 6 || later != 1 || micro != 5 {
			return errNotRun
		}
		return nil
	})
	inSlices := func(f func(s *scheduler.Scheduler) func() bool) error {
		s := scheduler.New(scheduler.Options{})
		defer s.Close()
		done := f(s)
		for range 100 {
			if s.RunUntil(deadline.In(time.Millisecond)); done() {
				return nil
			}
			time.Sleep(time.Microsecond)
		}
		return errNotRun
	}
	extreme.Try(t, func(o scheduler.BoundOptions) error {
		return inSlices(func(s *scheduler.Scheduler) func() bool {
			n := 0
			scheduler.NewBound(s, scheduler.BoundOptions{Limit: o.Limit, Limits: o.Limits, Full: scheduler.DropOldest})
			b := scheduler.NewBound(s, o)
			err := b.Post(deadline.Normal, func() { n++ })
			return func() bool { return n == 1 || err != nil && o.Full != 0 }
		})
	})
	extreme.Try(t, func(o scheduler.LatestOptions) error {
		return inSlices(func(s *scheduler.Scheduler) func() bool {
			n := 0
			l := scheduler.NewLatest(s, o, func(int, int) { n++ })
			l.Post(1, 2)
			return func() bool { return n == 1 }
		})
	})
	extreme.Try(t, func(o scheduler.DebounceOptions) error {
		if o.Wait == 0 { // refused: see TestMisuse
			o.Wait = time.Millisecond
		}
		return inSlices(func(s *scheduler.Scheduler) func() bool {
			n := 0
			d := scheduler.NewDebounce(s, o, func() { n++ })
			d.Call()
			d.Flush()
			return func() bool { return n == 1 }
		})
	})
	extreme.Try(t, func(o scheduler.ThrottleOptions) error {
		if o.Wait == 0 { // refused: see TestMisuse
			o.Wait = time.Millisecond
		}
		return inSlices(func(s *scheduler.Scheduler) func() bool {
			n := 0
			d := scheduler.NewThrottle(s, o, func() { n++ })
			d.Call()
			return func() bool { return n == 1 }
		})
	})
}
