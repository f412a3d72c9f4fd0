package flow_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

// A debounced or throttled function waits for its turn once, as if it were posted at its edge, behind more work than
// there is time for.
func TestAPulseWaitsForItsTurnOnce(t *testing.T) {
	// wait returns in which slice a function runs that call makes due at once.
	wait := func(call func(s *scheduler.Scheduler, f func())) (slice int) {
		s, now := virtual(t, scheduler.Options{})
		work := func() { *now += deadline.Instant(10 * time.Microsecond) }
		for range 1000 {
			s.Post(deadline.Normal, work)
		}
		s.RunUntil(deadline.At(now.Add(ms)))
		ran := false
		call(s, func() { ran = true })
		for ; !ran && slice < 100; slice++ {
			s.RunUntil(deadline.At(now.Add(ms)))
			for range 100 {
				s.Post(deadline.Normal, work)
			}
		}
		return slice
	}
	want := wait(func(s *scheduler.Scheduler, f func()) { s.Post(deadline.Normal, f) })
	throttled := wait(func(s *scheduler.Scheduler, f func()) {
		flow.NewThrottle(s, flow.ThrottleOptions{Wait: time.Microsecond}, f).Call()
	})
	debounced := wait(func(s *scheduler.Scheduler, f func()) {
		flow.NewDebounce(s, flow.DebounceOptions{Wait: time.Microsecond}, f).Call()
	})
	if throttled > want+1 || debounced > want+1 {
		t.Errorf("posted it runs in slice %d, throttled in %d, debounced in %d", want, throttled, debounced)
	}
}
