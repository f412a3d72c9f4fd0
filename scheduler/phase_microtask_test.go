package scheduler_test

import (
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// After each run of any kind the microtasks come, those of microtasks too, before whatever else is ready.
func TestMicrotasksRunAfterEachRun(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	var l log
	micro := func(word string) {
		s.Microtask(func() {
			l.add(word)()
			s.Microtask(l.add(word + "'"))
		})
	}
	s.Post(deadline.Immediate, func() { l.add("post")(); micro("m"); micro("n") })
	steps := 0
	s.Submit(&scheduler.Task{Priority: deadline.UserBlocking, Step: func() bool {
		l.add("step")()
		micro("s")
		steps++
		return steps < 2
	}})
	s.Go(deadline.Normal, func(co *scheduler.Co) {
		l.add("co")()
		micro("c")
		co.Yield() // nothing that is ready is more urgent
		l.add("co2")()
		micro("d")
		co.Wait(s.Go(deadline.Immediate, func(*scheduler.Co) { l.add("awaited")() }))
		l.add("co3")()
	})
	s.Post(deadline.Low, l.add("low"))
	s.WhenIdle(0, func(scheduler.IdleTime) { l.add("idle")(); micro("i") })
	micro("before")
	r := s.RunUntil(deadline.Deadline{})
	l.want(t, "before before' post m n m' n' step s s' step s s' co c c' co2 d d' awaited co3 low idle i i'")
	if r.Microtasks != 16 || r.Ran != 9 || r.Held {
		t.Errorf("%+v", r)
	}
}

func TestMicrotasksOutliveTheSlice(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		w.s.Post(deadline.Normal, func() {
			w.work("task", 3*ms)()
			w.s.Microtask(w.work("micro", ms))
		})
		w.s.Post(deadline.Normal, w.work("next", ms))
		w.frame(2 * ms)
		w.frame(2 * ms)
		w.want(`
			slice |====    =
			next  |        #
			task  |###
			micro |   #
		`)
	})
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
