package flow_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/extreme"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

// Bad arguments panic in the caller, and the text has the value.
func TestMisuse(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	b := flow.NewBound(s, flow.BoundOptions{})
	nop := func() {}
	for want, f := range map[string]func(){
		"flow: Bound.Post of a nil function":     func() { _ = b.Post(deadline.Normal, nil) },
		"flow: Bound.PostWait of a nil function": func() { _ = b.PostWait(t.Context(), deadline.Normal, nil) },
		"flow: invalid Priority(9)":              func() { _ = b.Post(9, nop) },
		"flow: NewBound with BoundOptions.Limit of -1, less than 0": func() {
			flow.NewBound(s, flow.BoundOptions{Limit: -1})
		},
		"flow: NewLatest with a nil function": func() {
			flow.NewLatest[int, int](s, flow.LatestOptions{}, nil)
		},
		"flow: NewDebounce without a positive Wait: 0s": func() {
			flow.NewDebounce(s, flow.DebounceOptions{}, nop)
		},
		"flow: NewDebounce with a nil function": func() {
			flow.NewDebounce(s, flow.DebounceOptions{Wait: ms}, nil)
		},
		"flow: RateLimit with a negative Burst: -1": func() { (&flow.RateLimit{Every: ms, Burst: -1}).Allow() },
		"flow: RateLimit.Post of a nil function":    func() { _, _ = new(flow.RateLimit).Post(0, nil) },
		"flow: NewBound with a nil Scheduler":       func() { flow.NewBound(nil, flow.BoundOptions{}) },
		"flow: NewLatest with LatestOptions.Keys of -3": func() {
			flow.NewLatest(s, flow.LatestOptions{Keys: -3}, func(int, int) {})
		},
		"flow: NewLatest with a nil Scheduler": func() {
			flow.NewLatest(nil, flow.LatestOptions{}, func(int, int) {})
		},
		"flow: NewDebounce with a nil Scheduler": func() {
			flow.NewDebounce(nil, flow.DebounceOptions{Wait: time.Second}, nop)
		},
		"flow: NewThrottle without a positive Wait: -1s": func() {
			flow.NewThrottle(s, flow.ThrottleOptions{Wait: -time.Second}, nop)
		},
		"flow: RateLimit.Post with a nil Scheduler": func() {
			_, _ = new(flow.RateLimit).Post(deadline.Normal, nop)
		},
	} {
		if got := panics(f); !strings.HasPrefix(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	s.RunUntil(deadline.Deadline{})
}

// Every number of every option is taken, bounded, or refused by its name.
func TestNumbersOfOptions(t *testing.T) {
	errNotRun := errors.New("nothing ran")
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
	extreme.Try(t, func(o flow.BoundOptions) error {
		return inSlices(func(s *scheduler.Scheduler) func() bool {
			n := 0
			err := flow.NewBound(s, o).Post(deadline.Normal, func() { n++ })
			return func() bool { return n == 1 && err == nil }
		})
	})
	extreme.Try(t, func(o flow.LatestOptions) error {
		return inSlices(func(s *scheduler.Scheduler) func() bool {
			n := 0
			l := flow.NewLatest(s, o, func(int, int) { n++ })
			l.Post(1, 2)
			return func() bool { return n == 1 }
		})
	})
	extreme.Try(t, func(o flow.DebounceOptions) error {
		if o.Wait == 0 { // refused: see TestMisuse
			o.Wait = time.Millisecond
		}
		return inSlices(func(s *scheduler.Scheduler) func() bool {
			n := 0
			d := flow.NewDebounce(s, o, func() { n++ })
			d.Call()
			d.Flush()
			return func() bool { return n == 1 }
		})
	})
	extreme.Try(t, func(o flow.ThrottleOptions) error {
		if o.Wait == 0 { // refused: see TestMisuse
			o.Wait = time.Millisecond
		}
		return inSlices(func(s *scheduler.Scheduler) func() bool {
			n := 0
			d := flow.NewThrottle(s, o, func() { n++ })
			d.Call()
			return func() bool { return n == 1 }
		})
	})
}

// Each type submits with the priority of its options.
func TestHelpersKeepTheirPriority(t *testing.T) {
	for _, c := range []struct {
		p    deadline.Priority
		want string
	}{
		{deadline.UserBlocking, "helper helper helper normal low"},
		{deadline.Normal, "normal helper helper helper low"},
		{deadline.Idle, "normal low helper helper helper"},
	} {
		inBubble(t, scheduler.Options{}, func(s *scheduler.Scheduler) {
			var l log
			debounce := flow.NewDebounce(s, flow.DebounceOptions{Wait: ms, Priority: c.p}, l.add("helper"))
			throttle := flow.NewThrottle(s, flow.ThrottleOptions{Wait: ms, Priority: c.p}, l.add("helper"))
			latest := flow.NewLatest(s, flow.LatestOptions{Priority: c.p},
				func(int, int) { l.add("helper")() })
			s.Post(deadline.Low, l.add("low"))
			s.Post(deadline.Normal, l.add("normal"))
			debounce.Call()
			debounce.Flush()
			throttle.Call()
			if err := latest.Post(1, 1); err != nil {
				t.Fatal(err)
			}
			s.RunUntil(deadline.Deadline{})
			if got := strings.Join(l, " "); got != c.want {
				t.Errorf("%v: got %q, want %q", c.p, got, c.want)
			}
		})
	}
}

func TestAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("sync.Pool forgets at random there")
	}
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	b, f := flow.NewBound(s, flow.BoundOptions{Limit: 8}), func() {}
	throttle := flow.NewThrottle(s, flow.ThrottleOptions{Wait: 1}, f)
	debounce := flow.NewDebounce(s, flow.DebounceOptions{Wait: 1}, f)
	for what, call := range map[string]func(){
		"Bound.Post": func() { _ = b.Post(deadline.Normal, f) }, "Throttle.Call": throttle.Call,
		"Debounce.Call": debounce.Call, "Debounce.Cancel": debounce.Cancel,
	} {
		if n := testing.AllocsPerRun(200, func() {
			for range 9 {
				call()
			}
			s.RunUntil(deadline.Deadline{})
		}); n >= 1 {
			t.Errorf("%s: %v allocations", what, n)
		}
	}
}
