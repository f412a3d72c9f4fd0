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
		s, now := virtual(t, scheduler.Options{Policy: deadline.ByPriority})
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

// What has a timeout of its own is overdue by that, wherever it is among its equals; and one that is never does not
// keep from its turn what is behind it.
func TestS11_OwnTimeoutsUnderByPriority(t *testing.T) {
	for _, policy := range []deadline.Policy{deadline.ByExpiration, deadline.ByPriority} {
		s, now := virtual(t, scheduler.Options{Policy: policy})
		work := func() { *now = now.Add(ms) }
		var ran [3]int
		frame := 0
		note := func(i int) func() { return func() { ran[i] = frame; work() } }
		s.Submit(&scheduler.Task{Timeout: 1 << 61, Func: work})
		behind := &scheduler.Task{Func: note(0)}
		s.Submit(behind)
		for range 100 {
			s.Post(deadline.Low, work)
		}
		s.Submit(&scheduler.Task{Priority: deadline.Low, Timeout: 10 * ms, Func: note(1)})
		s.WhenIdle(10*ms, func(scheduler.IdleTime) { note(2)() })
		for frame = 1; frame < 1000 && behind.State() != scheduler.Done; frame++ {
			for range 5 {
				s.Post(deadline.UserBlocking, work)
			}
			s.BeginFrame(*now)
			s.RunUntil(deadline.At(now.Add(4 * ms)))
			*now = now.Add(12 * ms)
		}
		if ran[0] < 300 || ran[0] > 400 || ran[1] > 3 || ran[2] > 3 {
			t.Errorf("%v: after 5 s, 10 ms and 10 ms, in the frames %d", policy, ran)
		}
	}
}
