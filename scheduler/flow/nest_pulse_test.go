package flow_test

import (
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

// A throttled function that is a modal loop runs once more after it, for all that was called meanwhile.
func TestNestInAThrottledFunction(t *testing.T) {
	for name, call := range map[string]func(s *scheduler.Scheduler, f func()) (call, cancel func()){
		"throttle": func(s *scheduler.Scheduler, f func()) (call, cancel func()) {
			p := flow.NewThrottle(s, flow.ThrottleOptions{Wait: ms}, f)
			return p.Call, p.Cancel
		},
		"debounce": func(s *scheduler.Scheduler, f func()) (call, cancel func()) {
			p := flow.NewDebounce(s, flow.DebounceOptions{Wait: ms}, f)
			return p.Call, p.Cancel
		},
	} {
		for _, cancels := range []bool{false, true} {
			s, now := virtual(t, scheduler.Options{OnPanic: func(e *scheduler.PanicError) { t.Error(name, e) }})
			pump := func() {
				for range 3 {
					s.RunUntil(deadline.Deadline{})
					*now += deadline.Instant(ms)
				}
			}
			var again, cancel func()
			ran := 0
			again, cancel = call(s, func() {
				if ran++; ran > 1 {
					return
				}
				s.Nest(func() {
					for range 5 {
						again()
						pump()
					}
					if cancels {
						cancel()
					}
				})
			})
			again()
			pump()
			want := 2
			if cancels {
				want = 1
			}
			if pump(); ran != want {
				t.Errorf("%s ran %d times, want %d", name, ran, want)
			}
			again()
			if pump(); ran != want+1 {
				t.Errorf("%s ran %d times, want %d", name, ran, want+1)
			}
		}
	}
}
