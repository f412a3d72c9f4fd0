package scheduler_test

import (
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// A periodic task that its own run submits again begins a new series, from that moment on. The grid of one series is
// that of the reference.
func TestPeriodicTaskBeginsAgain(t *testing.T) {
	s, now := virtual(t, scheduler.Options{})
	var at []deadline.Instant
	task := &scheduler.Task{Period: 2 * ms, Delay: 5 * ms}
	task.Func = func() {
		at = append(at, *now/deadline.Instant(ms))
		if task.Delay > 0 {
			task.Delay = 0
			s.Submit(task)
		}
	}
	s.Submit(task)
	for range 10 {
		s.RunUntil(deadline.Deadline{})
		*now = now.Add(ms)
	}
	want := []deadline.Instant{5, 5, 7, 9}
	for i := range max(len(at), len(want)) {
		if i >= len(at) || i >= len(want) || at[i] != want[i] {
			t.Fatalf("ran at %v, want %v", at, want)
		}
	}
}
