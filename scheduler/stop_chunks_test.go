package scheduler_test

import (
	"sync/atomic"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// A slice that is stopped while it reads a long inbox, or ends the members of a large group, does not go on to the
// end of that: there are portions.
func TestStopEndsReadingAndGroups(t *testing.T) {
	const n = 40_000
	var stop atomic.Bool
	s, _ := virtual(t, scheduler.Options{})
	s.StopOn(&stop)
	g := s.NewGroup("g")
	for range n {
		g.Post(deadline.Normal, nop)
	}
	stop.Store(true)
	if r := s.RunUntil(deadline.Deadline{}); r.Ran != 1 {
		t.Errorf("ran %d, want 1", r.Ran)
	}
	if got := scheduler.Members(g); got < 1 || got > n/4 {
		t.Errorf("a slice that is stopped read %d of %d", got, n)
	}
	stop.Store(false)
	s.Post(deadline.Immediate, func() {
		s.ShouldYield() // reads what is left
		g.Cancel()
		stop.Store(true)
	})
	s.RunUntil(deadline.Deadline{})
	before := scheduler.Members(g)
	s.RunUntil(deadline.Deadline{}) // one task, if there is one
	if left := scheduler.Members(g); left < n/2 || before < left {
		t.Errorf("a slice that is stopped ended all but %d of %d members", left, before)
	}
	stop.Store(false)
	s.RunUntil(deadline.Deadline{})
	if left := scheduler.Members(g); left != 0 {
		t.Errorf("%d members are left", left)
	}
}
