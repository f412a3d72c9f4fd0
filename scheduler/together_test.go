package scheduler_test

import (
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// What one part of the scheduler has, the others must know of.

func TestCloseEndsGroupsOfTasksThatWaitForIdleTime(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	g := s.NewGroup("scene")
	idle := &scheduler.Task{Idle: func(scheduler.IdleTime) {}, Group: g}
	s.Submit(idle)
	s.Submit(&scheduler.Task{Func: func() {}}) // so that the slice has something better to do than the idle task
	done := g.Done()
	s.RunUntil(deadline.At(1))
	if isDone(done) || scheduler.Members(g) != 1 {
		t.Fatalf("the group has ended, or has %d members; want the one that waits", scheduler.Members(g))
	}
	s.Close()
	if !isDone(done) || idle.State() != scheduler.Canceled {
		t.Errorf("after Close: done %v, state %v", isDone(done), idle.State())
	}
}

// A phase is the frame's own time: it reads a bounded part of the inbox and leaves the rest for the slice.
func TestRunPhaseReadsABoundedPartOfTheInbox(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	const posts = 20_000
	ran := 0
	for range posts {
		s.Post(deadline.Normal, func() { ran++ })
	}
	s.Each(scheduler.BeforeUpdate, func() {})
	s.RunPhase(scheduler.BeforeUpdate)
	st := s.Stats()
	if n := st.Ready[deadline.Normal.Lane()]; n == 0 || n >= posts/2 {
		t.Errorf("a phase read %d of %d posts, want a few thousand", n, posts)
	}
	s.RunUntil(deadline.Deadline{})
	if ran != posts {
		t.Errorf("%d of %d ran", ran, posts)
	}
}
