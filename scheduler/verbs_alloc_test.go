package scheduler_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

func TestVerbsAllocateNothing(t *testing.T) {
	if scheduler.RaceEnabled {
		t.Skip("the race detector allocates")
	}
	// The clock is the test's, so that the task with a period is due once in each frame however slow the machine is.
	now := deadline.Now()
	s := scheduler.New(scheduler.Options{Clock: func() deadline.Instant { return now }})
	defer s.Close()
	n := 0
	f := func() { n++ }
	phases := func() {
		now = now.Add(time.Millisecond)
		s.BeginFrame(now)
		s.RunPhase(scheduler.BeforeUpdate)
		s.RunPhase(scheduler.BeforeDraw)
		s.RunPhase(scheduler.AfterDraw)
		s.RunUntil(deadline.At(now.Add(time.Hour)))
	}
	micro := func() {
		for range 100 {
			s.Microtask(f)
		}
	}
	idle := &scheduler.Task{Idle: func(it scheduler.IdleTime) { it.Remaining(); n++ }}
	timed := &scheduler.Task{Idle: idle.Idle, Timeout: time.Hour}
	ticks := 0
	s.Submit(&scheduler.Task{Func: func() { ticks++ }, Period: time.Millisecond})
	for _, c := range []struct {
		name string
		ran  int // callbacks that run each time
		call func()
	}{
		{"no callbacks", 0, func() {}},
		{"Once", 300, func() {
			for i := range 300 {
				s.Once(scheduler.Phase(i%3), f)
			}
		}},
		{"Once and Cancel", 0, func() {
			for i := range 100 {
				s.Once(scheduler.Phase(i%3), f).Cancel()
			}
		}},
		{"Each and Cancel", 1, func() {
			h := s.Each(scheduler.BeforeDraw, f)
			phases()
			h.Cancel()
		}},
		{"Microtask", 100, func() { s.Post(deadline.Normal, micro) }},
		{"RequestDraw", 0, s.RequestDraw},
		{"idle of one's own", 2, func() { s.Submit(idle); s.Submit(timed) }},
	} {
		for range 100 {
			c.call()
			phases()
		}
		n, ticks = 0, 0
		if got := testing.AllocsPerRun(100, func() { c.call(); phases() }); got != 0 {
			t.Errorf("%s: %v allocations", c.name, got)
		}
		if want := c.ran * (100 + 1); n != want || ticks == 0 {
			t.Errorf("%s: %d callbacks ran, want %d; %d ticks", c.name, n, want, ticks)
		}
	}
}

// What the verbs cost, per callback, with the frame around them spread over 100.
func BenchmarkVerbs(b *testing.B) {
	f := func() {}
	for _, c := range []struct {
		name string
		add  func(s *scheduler.Scheduler)
	}{
		{"Once", func(s *scheduler.Scheduler) { s.Once(scheduler.BeforeDraw, f) }},
		{"Microtask", func(s *scheduler.Scheduler) { s.Microtask(f) }},
		{"Post", func(s *scheduler.Scheduler) { s.Post(deadline.Normal, f) }},
		{"After", func(s *scheduler.Scheduler) { s.After(deadline.Normal, 1, f) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := scheduler.New(scheduler.Options{})
			defer s.Close()
			for i := 0; i < b.N; i++ {
				if c.add(s); i%100 == 99 {
					s.BeginFrame(deadline.Now())
					s.RunPhase(scheduler.BeforeDraw)
					s.RunUntil(deadline.Deadline{})
				}
			}
		})
	}
	b.Run("an empty RunPhase", func(b *testing.B) {
		s := scheduler.New(scheduler.Options{})
		defer s.Close()
		for b.Loop() {
			s.RunPhase(scheduler.BeforeDraw)
		}
	})
	b.Run("Each", func(b *testing.B) {
		s := scheduler.New(scheduler.Options{})
		defer s.Close()
		for range 100 {
			s.Each(scheduler.BeforeDraw, f)
		}
		for i := 0; i < b.N; i += 100 {
			s.RunPhase(scheduler.BeforeDraw)
		}
	})
}
