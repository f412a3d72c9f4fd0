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
