package scheduler_test

import (
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// What is cancelled before it is read has the priority that it was submitted with, or was given since.
func TestEventOfWhatWasNeverRead(t *testing.T) {
	var l log
	o := scheduler.Options{OnEvent: on(scheduler.Canceled, func(e scheduler.Event) { l.say("%v", e.Priority) })}
	s, _ := virtual(t, o)
	for range 3 {
		s.Post(deadline.Immediate, func() {}) // used again for what follows
	}
	s.RunUntil(deadline.Deadline{})
	s.Post(deadline.Low, func() {}).Cancel()
	s.Go(deadline.UserBlocking, func(*scheduler.Co) {}).Cancel()
	s.WhenIdle(ms, func(scheduler.IdleTime) {}).Cancel()
	h := s.Post(deadline.Low, func() {})
	h.SetPriority(deadline.Idle)
	h.Cancel()
	g := s.NewGroup("scene")
	g.Post(deadline.UserBlocking, func() {}).Cancel()
	s.RunUntil(deadline.Deadline{})
	l.want(t, "low user-blocking normal idle user-blocking")
}
