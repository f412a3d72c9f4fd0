package scheduler_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// The drawing for which AfterDraw waits begins after the call: one in the middle of which it is called does not count.
func TestAfterDrawWithinADrawing(t *testing.T) {
	s, _ := virtual(t, scheduler.Options{})
	var l log
	wait := func(name string) *scheduler.Task {
		return s.Go(deadline.Normal, func(co *scheduler.Co) { co.AfterDraw(); l.add(name)() })
	}
	frame := func(within func()) {
		s.BeginFrame(deadline.Instant(1))
		s.RunPhase(scheduler.BeforeDraw)
		within()
		s.RunUntil(deadline.Deadline{})
		s.RunPhase(scheduler.AfterDraw)
		s.RunUntil(deadline.Deadline{})
	}
	frame(func() {}) // from here on it is known when this host has drawn
	wait("a")
	gone := wait("gone")
	s.RunUntil(deadline.Deadline{})
	var first *scheduler.Task
	frame(func() { first = wait("first"); wait("b"); gone.Cancel() })
	l.want(t, "a")
	if !s.DrawRequested() {
		t.Error("those that wait do not ask for a frame")
	}
	frame(func() { first.Cancel(); wait("c") })
	l.want(t, "b")
	frame(func() { wait("d").Cancel() })
	if l.want(t, "c"); s.DrawRequested() {
		t.Error("a cancelled task asks for a frame")
	}
	// While the first of them leaves, the next one takes its place.
	frame(func() {
		first = wait("e")
		wait("f")
		s.RunUntil(deadline.Deadline{})
		first.Cancel()
	})
	l.want(t, "")
	frame(func() {})
	l.want(t, "f")
}

// Which drawing satisfies which request.
func TestRequestDrawAndTheFrame(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	slice := func() string {
		s.Post(deadline.Normal, func() {})
		s.Post(deadline.Normal, func() {})
		r := s.RunUntil(deadline.In(time.Hour))
		if r.Draw != s.DrawRequested() {
			t.Errorf("%+v, DrawRequested %v", r, !r.Draw)
		}
		if at, ok := s.Next(); r.Draw && (!ok || at > deadline.Now()) {
			t.Error("Next lets the host sleep")
		}
		return fmt.Sprint(r.Ran)
	}
	check := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	s.RequestDraw()
	check("asked before the slice", slice(), "1")
	check("and still", slice(), "1")
	s.BeginFrame(deadline.Now())
	check("a frame begins", slice(), "4")
	s.RequestDraw()
	s.RunPhase(scheduler.AfterDraw)
	check("drawn, by a host that says only that", slice(), "2")
	s.BeginFrame(deadline.Now())
	s.RequestDraw()
	s.RunPhase(scheduler.BeforeDraw)
	check("a drawing begins", slice(), "2")
	s.RequestDraw()
	s.RunPhase(scheduler.AfterDraw)
	check("asked while the host draws", slice(), "1")
	s.BeginFrame(deadline.Now())
	s.RunPhase(scheduler.BeforeDraw)
	s.RunPhase(scheduler.AfterDraw)
	check("and drawn", slice(), "3")
}

func TestShouldYield(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		s := w.s
		slice := func(what string, want bool, during func(co *scheduler.Co, task *scheduler.Task)) {
			var task *scheduler.Task
			task = s.Go(deadline.Normal, func(co *scheduler.Co) {
				during(co, task)
				eq(t, what, s.ShouldYield(), want)
				eq(t, what+", of Co", co.ShouldYield(), want)
			})
			w.frame(2 * ms)
			s.RunPhase(scheduler.BeforeDraw)
			w.drain()
		}
		slice("nothing", false, func(*scheduler.Co, *scheduler.Task) {})
		slice("a peer", false, func(*scheduler.Co, *scheduler.Task) { s.Post(deadline.Normal, nop) })
		slice("urgent", true, func(*scheduler.Co, *scheduler.Task) { s.Post(deadline.UserBlocking, nop) })
		slice("draw", true, func(*scheduler.Co, *scheduler.Task) { s.RequestDraw() })
		slice("late", true, func(*scheduler.Co, *scheduler.Task) { time.Sleep(3 * ms) })
		slice("canceled", true, func(_ *scheduler.Co, task *scheduler.Task) { task.Cancel() })
		eq(t, "outside of a slice", s.ShouldYield(), true)
		var within []bool
		look := func() { within = append(within, s.ShouldYield()) }
		s.Once(scheduler.BeforeUpdate, look)
		s.Post(deadline.Normal, func() {
			look()
			s.Microtask(look)
		})
		w.draw()
		s.RunUntil(deadline.In(time.Hour))
		eq(t, "in a callback, a task and a microtask", fmt.Sprint(within), "[true false true]")
	})
}

// A host that sleeps is woken by what asks for a frame, from any goroutine, and Next says now.
func TestVerbsWakeTheHost(t *testing.T) {
	for name, ask := range map[string]func(*scheduler.Scheduler){
		"RequestDraw": func(s *scheduler.Scheduler) { s.RequestDraw() },
		"Once":        func(s *scheduler.Scheduler) { s.Once(scheduler.BeforeUpdate, func() {}) },
		"WhenIdle":    func(s *scheduler.Scheduler) { s.WhenIdle(0, func(scheduler.IdleTime) {}) },
	} {
		wakes := 0
		s := scheduler.New(scheduler.Options{Wake: func() { wakes++ }})
		s.RunUntil(deadline.Deadline{})
		if _, ok := s.Next(); ok || s.DrawRequested() {
			t.Errorf("%s: something to do before", name)
		}
		done := make(chan struct{})
		go func() { defer close(done); ask(s) }()
		<-done
		if _, ok := s.Next(); wakes != 1 || !ok {
			t.Errorf("%s: %d calls of Wake, Next %v", name, wakes, ok)
		}
		frames(s, new(log), 1)
		if _, ok := s.Next(); ok || s.DrawRequested() {
			t.Errorf("%s: something to do afterwards", name)
		}
		s.Close()
	}
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	s.Each(scheduler.BeforeUpdate, func() {})
	frames(s, new(log), 1)
	if _, ok := s.Next(); ok || s.DrawRequested() {
		t.Error("Each asks for a frame")
	}
}
