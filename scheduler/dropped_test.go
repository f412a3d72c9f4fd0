package scheduler_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// Dropped counts each function and task that Close kept from a run, however far it has come.
func TestCloseCountsWhatItDrops(t *testing.T) {
	s, _ := virtual(t, scheduler.Options{})
	queued := func() {
		s.Post(deadline.Normal, nop)
		s.After(deadline.Low, time.Hour, nop)
		s.Submit(&scheduler.Task{Func: nop})
		s.Submit(&scheduler.Task{Delay: time.Hour, Func: nop})
		s.Go(deadline.Normal, func(co *scheduler.Co) {})
	}
	s.Post(deadline.Normal, nop) // runs
	s.Go(deadline.Normal, func(co *scheduler.Co) {
		for {
			co.NextFrame() // is unwound, as it has begun
		}
	})
	s.RunUntil(deadline.Deadline{})
	s.Post(deadline.Normal, nop).Cancel() // is canceled, and not by Close
	queued()
	s.Post(deadline.Immediate, func() {
		s.Close()
		s.Post(deadline.Normal, nop)
	})
	s.RunUntil(deadline.Deadline{})
	if d := s.Stats().Dropped; d != 6 {
		t.Errorf("%d dropped by Close, want 6", d)
	}
	s.Close()
	s.Post(deadline.Normal, nop)
	s.Submit(&scheduler.Task{Func: nop})
	s.Go(deadline.Normal, func(co *scheduler.Co) {})
	if d := s.Stats().Dropped; d != 9 {
		t.Errorf("%d dropped, want 9 with what came after Close", d)
	}
	s, _ = virtual(t, scheduler.Options{})
	s.Post(deadline.Normal, nop)
	s.Submit(&scheduler.Task{Func: nop})
	s.Each(scheduler.BeforeDraw, nop)
	s.Close()
	if d := s.Stats().Dropped; d != 3 {
		t.Errorf("%d dropped of what Close found in the inbox, want 3", d)
	}
}

// What waits for a part of the frame counts too, if it ran only once.
func TestCloseCountsTheCallbacksThatItDrops(t *testing.T) {
	s, _ := virtual(t, scheduler.Options{})
	idle := func(scheduler.IdleTime) {}
	s.RunPhase(scheduler.BeforeDraw) // so it is the host's, not the slice's
	s.WhenIdle(0, idle)
	s.WhenIdle(time.Hour, idle)
	s.Once(scheduler.BeforeDraw, nop)
	s.Once(scheduler.AfterDraw, nop).Cancel()
	s.Each(scheduler.AfterDraw, nop)
	s.Post(deadline.Immediate, func() { s.RequestDraw() }) // so nothing is idle
	s.RunUntil(deadline.Deadline{})
	s.Microtask(nop)
	s.Close()
	if d := s.Stats().Dropped; d != 4 {
		t.Errorf("%d dropped by Close, want 4", d)
	}
	s.Microtask(nop)
	s.WhenIdle(0, idle)
	s.Once(scheduler.BeforeDraw, nop)
	s.Each(scheduler.AfterDraw, nop)
	if d := s.Stats().Dropped; d != 8 {
		t.Errorf("%d dropped, want 8 with what came after Close", d)
	}
}
