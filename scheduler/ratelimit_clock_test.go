package scheduler_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// A clock that goes back stands still for that moment, for a RateLimit as for all else that waits.
func TestRateLimitOfAClockThatGoesBack(t *testing.T) {
	now := deadline.Instant(time.Hour)
	s := scheduler.New(scheduler.Options{Clock: func() deadline.Instant { return now }})
	defer s.Close()
	s.RunUntil(deadline.Deadline{})
	r := &scheduler.RateLimit{Every: time.Second, Scheduler: s}
	if !r.Allow() || r.Allow() {
		t.Fatal("one token a second")
	}
	now -= deadline.Instant(time.Minute)
	s.RunUntil(deadline.Deadline{})
	if r.Allow() {
		t.Error("a token although no time has passed")
	}
	now += deadline.Instant(time.Second)
	if !r.Allow() {
		t.Error("no token after a second")
	}
	now += deadline.Instant(time.Second)
	if !r.Allow() {
		t.Error("no token after another second")
	}
	ran := false
	if _, err := r.Post(s, deadline.Normal, func() { ran = true }); err != nil {
		t.Error(err)
	}
	s.RunUntil(deadline.Deadline{})
	now += deadline.Instant(time.Second)
	if s.RunUntil(deadline.Deadline{}); !ran {
		t.Error("what was queued did not run a second later")
	}
}
