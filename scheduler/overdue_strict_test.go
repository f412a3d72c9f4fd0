package scheduler_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// Under ByPriority an overdue task of steps gets one step in each slice that more urgent work fills, and none if its
// timeout is never.
func TestOverdueStepsUnderByPriority(t *testing.T) {
	for timeout, want := range map[time.Duration]int{time.Second: 10, 1 << 61: 0} {
		s, now := virtual(t, scheduler.Options{Policy: deadline.ByPriority, MinShare: -1})
		steps := 0
		s.Submit(&scheduler.Task{Priority: deadline.Normal, Timeout: timeout, Step: func() bool {
			*now = now.Add(ms)
			steps++
			return true
		}})
		s.Submit(&scheduler.Task{Priority: deadline.UserBlocking, Timeout: 1 << 61, Step: func() bool {
			*now = now.Add(ms)
			return true
		}})
		s.RunUntil(deadline.At(0)) // reads both
		*now = now.Add(time.Minute)
		steps = 0
		for range 10 {
			s.RunUntil(deadline.At(now.Add(10 * ms)))
		}
		if steps != want {
			t.Errorf("timeout %v: %d steps in 10 slices, want %d", timeout, steps, want)
		}
	}
}
