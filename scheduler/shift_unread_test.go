package scheduler_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// A task that was cancelled and submitted again before anybody read of it is in the inbox more than once. Shift
// moves its delay once.
func TestShiftMovesARelayedDelayOnce(t *testing.T) {
	for lives := range 4 {
		s, now := virtual(t, scheduler.Options{})
		var l log
		task := &scheduler.Task{Delay: 100 * ms, Func: l.add("ran")}
		s.Submit(task)
		for range lives {
			task.Cancel()
			s.Submit(task)
		}
		*now += deadline.Instant(time.Hour)
		s.Shift(time.Hour)
		s.RunUntil(deadline.Deadline{})
		*now += deadline.Instant(100*ms) - 1
		s.RunUntil(deadline.Deadline{})
		l.want(t, "")
		*now++
		s.RunUntil(deadline.Deadline{})
		l.want(t, "ran")
	}
}
