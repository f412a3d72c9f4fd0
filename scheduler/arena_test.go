package scheduler_test

import (
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// The table of memberships of posted functions grows with what waits, not one by one.
func TestMembershipsOfPostsGrowAtOnce(t *testing.T) {
	s, _ := virtual(t, scheduler.Options{})
	g := s.NewGroup("g")
	const n = 50_000
	for range n {
		s.Post(deadline.Normal, nop)
	}
	g.Post(deadline.Normal, nop) // the last place of all
	allocs := testing.AllocsPerRun(1, func() { s.RunUntil(deadline.Deadline{}) })
	if allocs > 50 {
		t.Errorf("%v allocations", allocs)
	}
}
