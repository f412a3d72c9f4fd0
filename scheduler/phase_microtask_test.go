package scheduler_test

import (
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

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
