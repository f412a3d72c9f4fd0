package scheduler_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// virtual returns a scheduler with a clock that only the tasks move.
func virtual(t interface{ Cleanup(func()) }, o scheduler.Options) (*scheduler.Scheduler, *deadline.Instant) {
	s := scheduler.New(o)
	now := new(deadline.Instant(1))
	scheduler.SetClock(s, func() deadline.Instant { return *now })
	t.Cleanup(s.Close)
	return s, now
}

// What Idle work takes in its own turn is not what others have used: after seconds in which it had all the time, it
// waits for its second like any other.
func TestOwnRunsAreNotOthers(t *testing.T) {
	s, now := virtual(t, scheduler.Options{})
	idle := 0
	for range 8 {
		busy(s, now, deadline.Idle, func() { idle++ })
	}
	for range 1000 {
		s.RunUntil(deadline.At(now.Add(4 * ms)))
	}
	if idle != 4000 {
		t.Fatalf("%d runs alone, want 4000", idle)
	}
	for range 8 {
		busy(s, now, deadline.Normal, nop)
	}
	begin, first := *now, deadline.Never
	idle = 0
	for range 300 {
		s.RunUntil(deadline.At(now.Add(4 * ms)))
		if idle > 0 {
			first = min(first, *now)
		}
	}
	if waited := first.Sub(begin); waited < time.Second || idle < 5 || idle > 15 {
		t.Errorf("beside others: %d of 1200 runs, the first after %v; want some 10, after a second", idle, waited)
	}
}

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
