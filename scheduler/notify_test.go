package scheduler_test

import (
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// What a function of Group.Notify asks of the scheduler does not have it read the inbox out of order.
func TestNotifyKeepsTheOrderOfPosts(t *testing.T) {
	s, _ := virtual(t, scheduler.Options{})
	g := s.NewGroup("g")
	var l log
	s.Post(deadline.Normal, func() {
		scheduler.OnEnd(g, func() {
			s.Post(deadline.Normal, l.add("second"))
			s.ShouldYield()
		})
		s.Post(deadline.Normal, l.add("first"))
		s.ShouldYield()
	})
	s.RunUntil(deadline.Deadline{})
	l.want(t, "first second")
}
