package flow_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/race"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
	"github.com/frameslice/frameslice/workers"
)

// Bad arguments panic in the caller, and the text has the value.
func TestMisuse(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	b := flow.NewBound(s, 0)
	nop := func() {}
	for want, f := range map[string]func(){
		"flow: Bound.Post of a nil function":             func() { _ = b.Post(deadline.Normal, nil) },
		"flow: Bound.PostWait of a nil function":         func() { _ = b.PostWait(t.Context(), deadline.Normal, nil) },
		"flow: invalid Priority(9)":                      func() { _ = b.Post(9, nop) },
		"flow: NewBound with a limit of -1, less than 0": func() { flow.NewBound(s, -1) },
		"flow: NewLatest with a nil function": func() {
			flow.NewLatest[int, int](s, deadline.Normal, nil)
		},
		"flow: NewDebounce with a wait that is not positive: 0s": func() {
			flow.NewDebounce(s, deadline.Normal, 0, nop)
		},
		"flow: NewDebounce with a nil function": func() {
			flow.NewDebounce(s, deadline.Normal, ms, nil)
		},
		"flow: RateLimit with a negative Burst: -1": func() { (&flow.RateLimit{Every: ms, Burst: -1}).Allow() },
		"flow: RateLimit.Post of a nil function":    func() { _, _ = new(flow.RateLimit).Post(0, nil) },
		"flow: NewBound with a nil Scheduler":       func() { flow.NewBound(nil, 0) },
		"flow: NewLatest with a nil Scheduler": func() {
			flow.NewLatest(nil, deadline.Normal, func(int, int) {})
		},
		"flow: NewDebounce with a nil Scheduler": func() {
			flow.NewDebounce(nil, deadline.Normal, time.Second, nop)
		},
		"flow: NewThrottle with a wait that is not positive: -1s": func() {
			flow.NewThrottle(s, deadline.Normal, -time.Second, nop)
		},
		"flow: AsCompleted of nil": func() {
			flow.AsCompleted[scheduler.Awaitable[int]](futures(t, 1)[0], nil)
		},
		"flow: AsCompleted of a nil *workers.Future[int]": func() { flow.AsCompleted[*workers.Future[int]](nil) },
		"flow: AwaitContext of nil":                       func() { flow.AwaitContext[int](t.Context(), nil, nil) },
		"flow: AsCompleted: Notify of a nil function":     func() { flow.AsCompleted(futures(t, 1)[0]).Notify(nil) },
		"flow: AsCompleted is awaited by two, or Result": func() {
			_, _ = flow.AsCompleted(futures(t, 1)[0]).Result()
		},
		"flow: Release of a Semaphore that nobody holds":  new(flow.Semaphore).Release,
		"flow: Acquire of a Semaphore with a Limit of -1": func() { (&flow.Semaphore{Limit: -1}).Acquire(nil) },
		"flow: RateLimit.Post with a nil Scheduler": func() {
			_, _ = new(flow.RateLimit).Post(deadline.Normal, nop)
		},
	} {
		if got := testkit.PanicOf(f); !strings.HasPrefix(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	s.RunUntil(deadline.Deadline{})
}

// Every number is taken, bounded, or refused by its name.
func TestNumbers(t *testing.T) {
	testkit.Argument(t, "wait", func(wait int) error {
		s := scheduler.New(scheduler.Options{})
		defer s.Close()
		n := 0
		d := flow.NewDebounce(s, deadline.Normal, time.Duration(max(1, wait)), func() { n++ }) // see TestMisuse
		d.Call()
		d.Flush()
		for range 100 {
			if s.RunUntil(deadline.In(ms)); n == 1 {
				return nil
			}
			time.Sleep(time.Microsecond)
		}
		return errors.New("nothing ran")
	})
}

// Each type submits with its priority.
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
			debounce := flow.NewDebounce(s, c.p, ms, l.add("helper"))
			throttle := flow.NewThrottle(s, c.p, ms, l.add("helper"))
			latest := flow.NewLatest(s, c.p, func(int, int) { l.add("helper")() })
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
	if race.Enabled {
		t.Skip("sync.Pool forgets at random there")
	}
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	b, f := flow.NewBound(s, 8), func() {}
	throttle := flow.NewThrottle(s, deadline.Normal, 1, f)
	debounce := flow.NewDebounce(s, deadline.Normal, 1, f)
	for what, call := range map[string]func(){
		"Bound.Post": func() { _ = b.Post(deadline.Normal, f) }, "Throttle.Call": throttle.Call,
		"Debounce.Call": debounce.Call, "Debounce.Cancel": debounce.Cancel,
	} {
		t.Run(what, func(t *testing.T) {
			testkit.NoAllocs(t, func() {
				for range 9 {
					call()
				}
				s.RunUntil(deadline.Deadline{})
			})
		})
	}
}
