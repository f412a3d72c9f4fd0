package scheduler_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// What goes on first itself need not yield to work of a higher priority that comes after it.
func TestShouldYieldToWhatGoesFirst(t *testing.T) {
	low, normal := deadline.Timeouts{}.Of(deadline.Low), deadline.Timeouts{}.Of(deadline.Normal)
	for _, c := range []struct {
		name   string
		policy deadline.Policy
		age    time.Duration // of the Low task when the Normal one comes
		used   time.Duration // of a slice of 1 s, in which continuations may use half
		want   string
	}{
		{"older", deadline.ByExpiration, low - normal + time.Second, 0, "LLN false"},
		{"younger", deadline.ByExpiration, low - normal - time.Second, 0, "LNL true"},
		{"older, but behind its peers", deadline.ByExpiration, low - normal + time.Second, 500 * ms, "LNL true"},
		{"overdue", deadline.ByExpiration, low + time.Second, 0, "LLN false"},
		{"overdue, with its share used", deadline.ByExpiration, low + time.Second, 500 * ms, "LNL true"},
		{"by priority", deadline.ByPriority, low - normal + time.Second, 0, "LNL true"},
	} {
		for _, shape := range []string{"step", "co"} {
			s, now := virtual(t, scheduler.Options{Policy: c.policy})
			order, urgent := "", false
			first := func() {
				order += "L"
				s.Post(deadline.Normal, func() { order += "N" })
				*now = now.Add(c.used)
				urgent = s.ShouldYield()
			}
			task := &scheduler.Task{Priority: deadline.Low}
			if shape == "co" {
				task.Co = func(co *scheduler.Co) {
					first()
					co.Yield()
					order += "L"
				}
			} else {
				n := 0
				task.Step = func() bool {
					if n++; n == 1 {
						first()
						return true
					}
					order += "L"
					return false
				}
			}
			s.Submit(task)
			s.Post(deadline.Immediate, func() {})
			s.RunUntil(deadline.At(0)) // reads both, and runs one
			*now = now.Add(c.age)
			for s.RunUntil(deadline.At(now.Add(time.Second))).Ran > 0 {
			}
			if got := fmt.Sprint(order, " ", urgent); got != c.want {
				t.Errorf("%s, %s: %s, want %s", c.name, shape, got, c.want)
			}
		}
	}
}
