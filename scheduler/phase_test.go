package scheduler_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/scheduler"
)

// frames runs n frames with their phases, and logs their beginnings.
func frames(s *scheduler.Scheduler, l *log, n int) {
	for range n {
		*l = append(*l, "|")
		s.BeginFrame(deadline.Now())
		for _, p := range scheduler.Phases() {
			s.RunPhase(p)
		}
		s.RunUntil(deadline.In(time.Hour))
	}
}

// What one part of the scheduler has, the others must know of.

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
		"WhenIdle":    func(s *scheduler.Scheduler) { s.WhenIdle(0, func(deadline.Deadline, bool) {}) },
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

func TestMicrotasksAreCapped(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	scheduler.SetMicrotaskLimit(s, 3)
	defer s.Close()
	var l log
	n := 0
	var again func()
	again = func() {
		l.add("m")()
		if n++; n < 8 {
			s.Microtask(again)
		}
	}
	s.Each(scheduler.BeforeUpdate, l.add("a"))
	s.Post(deadline.Normal, func() { s.Microtask(again) })
	s.Post(deadline.Normal, l.add("task"))
	for i, want := range []string{"a m m m task", "m m m a", "m m a"} {
		s.BeginFrame(deadline.Now())
		s.RunPhase(scheduler.BeforeUpdate)
		if i == 0 {
			s.RunPhase(scheduler.BeforeDraw)
		}
		r := s.RunUntil(deadline.Deadline{})
		if r.Held != (i < 2) {
			t.Errorf("frame %d: held back: %v", i, r.Held)
		}
		if _, ok := s.Next(); ok != r.Held {
			t.Error("Next says", ok)
		}
		l.want(t, want)
	}
}

func TestMicrotasksCancelAndFail(t *testing.T) {
	var l log
	report := func(pe *scheduler.PanicError) { l.add("<" + pe.Value.(string) + ">")() }
	s := scheduler.New(scheduler.Options{OnPanic: report})
	defer s.Close()
	s.Post(deadline.Normal, func() {
		s.Microtask(func() { panic("boom") })
		h := s.Microtask(never(t))
		if h.SetPriority(deadline.Immediate) || !h.Cancel() || h.Cancel() {
			t.Error("a microtask can be cancelled, once, and has no priority")
		}
		s.Microtask(l.add("m"))
	})
	s.Post(deadline.Normal, l.add("task"))
	s.RunUntil(deadline.Deadline{})
	l.want(t, "<boom> m task")
	s.RunUntil(deadline.Deadline{})
	if size, free := scheduler.ArenaSize(s); size != free {
		t.Errorf("%d of %d items are free in the end", free, size)
	}
}

// The update asks for a drawing, and the frame is drawn: the slice has nothing to end for.
func TestNotePhaseMeetsARequestToDraw(t *testing.T) {
	s, now := virtual(t, scheduler.Options{})
	s.BeginFrame(*now)
	s.RequestDraw()
	bridge.Of(s).NotePhase(scheduler.BeforeDraw)
	if s.DrawRequested() {
		t.Error("the request is still there")
	}
}
