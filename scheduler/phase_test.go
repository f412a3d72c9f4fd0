package scheduler_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// frames runs n frames with their phases, and logs their beginnings.
func frames(s *scheduler.Scheduler, l *log, n int) {
	for range n {
		*l = append(*l, "|")
		s.BeginFrame(deadline.Now())
		for p := range scheduler.AfterDraw + 1 {
			s.RunPhase(p)
		}
		s.RunUntil(deadline.In(time.Hour))
	}
}

func TestCancelWithinAPhase(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	var l log
	var first, self, later, each scheduler.Handle
	first = s.Once(scheduler.BeforeDraw, l.add("first"))
	self = s.Each(scheduler.BeforeDraw, func() {
		l.add("self")()
		if first.Cancel() {
			t.Error("what has run was cancelled")
		}
		if !self.Cancel() || self.Cancel() {
			t.Error("a callback can cancel itself, once")
		}
		ok := make(chan bool)
		go func() { ok <- later.Cancel() }() // any goroutine
		if !<-ok || !each.Cancel() || later.Cancel() {
			t.Error("a later callback of the same phase can be cancelled, once")
		}
	})
	later = s.Once(scheduler.BeforeDraw, never(t))
	s.Once(scheduler.BeforeDraw, l.add("last"))
	each = s.Each(scheduler.BeforeDraw, never(t))
	for _, h := range []scheduler.Handle{first, self, later, each} {
		if h.State() != scheduler.Queued || h.SetPriority(deadline.Immediate) {
			t.Errorf("a callback: %v, or it has a priority", h.State())
		}
	}
	frames(s, &l, 2)
	l.want(t, "| first self last |")
	if s.DrawRequested() {
		t.Error("cancelled callbacks ask for a frame")
	}
	if size, free := scheduler.ArenaSize(s); size != free {
		t.Errorf("%d of %d items are free after the last callback", free, size)
	}
}

func TestRethrowInAPhase(t *testing.T) {
	var l log
	s := scheduler.New(scheduler.Options{Rethrow: true, OnPanic: func(*scheduler.PanicError) {}})
	defer s.Close()
	s.Once(scheduler.AfterDraw, func() { panic("first") })
	s.Once(scheduler.AfterDraw, l.add("second"))
	func() {
		defer func() {
			if pe, ok := recover().(*scheduler.PanicError); !ok || pe.Value != "first" {
				t.Error("RunPhase did not panic with the first")
			}
		}()
		s.RunPhase(scheduler.AfterDraw)
	}()
	l.want(t, "second")
	s.RunPhase(scheduler.AfterDraw)
}

// A host that knows no phases: its callbacks run in the first slice of the next frame.
func TestPhasesWithoutRunPhase(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		w.s.Once(scheduler.AfterDraw, w.work("after", ms))
		w.s.Once(scheduler.BeforeUpdate, w.work("before", ms))
		w.s.Each(scheduler.BeforeDraw, w.work("each", ms))
		w.s.Go(deadline.Normal, func(co *scheduler.Co) {
			for range 2 {
				w.spend(w.row("co"), ms)
				co.AfterDraw()
			}
		})
		for range 3 {
			w.frame(6 * ms)
			w.drain() // not the first slice of the frame
		}
		w.want(`
			slice |====    ==      =
			after |  #
			before|#
			each  | #      #       #
			co    |   #     #
		`)
	})
}

// Within a slice a callback can make the inbox be read, in the middle of the phase.
func TestRegistrationIsReadDuringThePhase(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	var l log
	first := true
	act := func() {
		if !first {
			return
		}
		first = false
		x := s.Once(scheduler.BeforeDraw, never(t))
		s.ShouldYield() // reads it
		x.Cancel()
		s.Once(scheduler.BeforeDraw, l.add("y"))
		s.Once(scheduler.AfterDraw, l.add("after"))
		s.ShouldYield()
		s.Each(scheduler.BeforeDraw, l.add("z"))
		s.ShouldYield()
	}
	s.Each(scheduler.BeforeDraw, func() { l.add("a")(); act() })
	frame := func() {
		l = append(l, "|")
		s.BeginFrame(deadline.Now())
		s.RunUntil(deadline.Deadline{})
	}
	frame()
	frame()
	s.Each(scheduler.BeforeDraw, l.add("b"))
	first = true
	frame()
	frame()
	l.want(t, "| a after | a y z | a z b after | a z b y z")
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
