package scheduler_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// Whoever wants the frame back gets it when the running task ends, which the task can tell; an idle callback too.
func TestStopOnEndsTheSlice(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var stop atomic.Bool
		w.s.StopOn(&stop)
		long, idle := w.row("long"), w.row("idle")
		w.s.Post(deadline.Normal, func() {
			for !w.s.ShouldYield() {
				w.spend(long, ms)
			}
		})
		w.s.Post(deadline.Normal, w.work("next", ms))
		w.s.Post(deadline.Normal, w.work("third", ms))
		w.s.WhenIdle(0, func(it scheduler.IdleTime) {
			for it.Remaining() > 0 {
				w.spend(idle, ms)
			}
		})
		interrupt := func(after time.Duration) { time.AfterFunc(after, func() { stop.Store(true) }) }
		interrupt(2*ms + ms/2)
		w.frame(7 * ms)
		w.frame(7 * ms) // stopped from the first: one task, so that nothing starves
		w.frame(7 * ms) // the last task
		w.frame(7 * ms) // and no idle callback
		stop.Store(false)
		interrupt(3*ms + ms/2)
		w.frame(7 * ms)
		w.s.StopOn(nil)
		stop.Store(true)
		w.s.Post(deadline.Normal, w.work("a", ms))
		w.s.Post(deadline.Normal, w.work("b", ms))
		w.frame(7 * ms)
		w.want(`
			slice |===     =       =               ====    ==
			long  |###
			idle  |                                ####
			next  |        #
			third |                #
			a     |                                        #
			b     |                                         #
		`)
	})
}

// What a frame's idle callbacks queue waits for the next frame, also if this one has another slice.
func TestIdleCallbacksOncePerFrame(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		task := &scheduler.Task{}
		task.Idle = func(scheduler.IdleTime) {
			l.add("a")()
			w.s.Submit(task)
		}
		w.s.Submit(task)
		w.s.WhenIdle(0, func(it scheduler.IdleTime) { l.add("b")() })
		w.frame(ms)
		w.s.WhenIdle(0, func(scheduler.IdleTime) { l.add("c")() })
		w.drain()
		w.s.Post(deadline.Normal, l.add("task"))
		w.drain()
		l.want(t, "a b task")
		w.frame(ms)
		w.drain()
		l.want(t, "a c")
	})
}

// The same requests as with RunPhase are taken back, and the callbacks wait for the slice.
func TestNotePhase(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	var l log
	slice := func() int {
		s.Post(deadline.Normal, func() {})
		s.Post(deadline.Normal, func() {})
		return s.RunUntil(deadline.In(time.Hour)).Ran
	}
	frame := func(want int, phases ...func()) {
		t.Helper()
		s.BeginFrame(deadline.Now())
		for _, f := range phases {
			f()
		}
		if got := slice(); got != want {
			t.Errorf("%d tasks ran, want %d", got, want)
		}
		s.RunUntil(deadline.Deadline{})
		s.BeginFrame(deadline.Now())
		s.RunUntil(deadline.Deadline{})
	}
	note := func(p scheduler.Phase) func() { return func() { s.NotePhase(p) } }
	s.Each(scheduler.BeforeDraw, l.add("callback"))
	frame(1, note(scheduler.BeforeUpdate), s.RequestDraw) // asked, and the frame's drawing is not announced
	frame(2, s.RequestDraw, note(scheduler.BeforeDraw), note(scheduler.AfterDraw))
	frame(1, note(scheduler.BeforeDraw), s.RequestDraw, note(scheduler.AfterDraw)) // while the host draws
	frame(1, s.RequestDraw, note(scheduler.AfterDraw))                             // nothing is drawn in this frame
	l.want(t, "callback callback callback callback callback callback callback callback")
	mustPanic(t, "scheduler: invalid Phase(3)", func() { s.NotePhase(3) })
	s.Post(deadline.Normal, func() {
		const within = " within a task, or on two goroutines at once: a modal loop calls Nest first"
		mustPanic(t, "scheduler: NotePhase"+within, func() { s.NotePhase(0) })
		mustPanic(t, "scheduler: StopOn"+within, func() { s.StopOn(nil) })
	})
	s.RunUntil(deadline.Deadline{})
	s.Close()
	s.NotePhase(scheduler.BeforeDraw)
}

// A host that tells when it draws, and does not always: what was asked for waits until it does.
func TestARequestOutlivesAFrameThatIsNotDrawn(t *testing.T) {
	for _, first := range []scheduler.Phase{scheduler.BeforeDraw, scheduler.AfterDraw} {
		s := scheduler.New(scheduler.Options{})
		s.BeginFrame(deadline.Now())
		s.RunPhase(first)
		s.Post(deadline.Normal, s.RequestDraw)
		s.RunUntil(deadline.Deadline{})
		s.BeginFrame(deadline.Now())
		if !s.DrawRequested() {
			t.Errorf("%v: the beginning of a frame is not its drawing", first)
		}
		if first == scheduler.BeforeDraw {
			s.RunPhase(scheduler.AfterDraw) // of nothing
			if !s.DrawRequested() {
				t.Error("the end of a frame without a drawing is no drawing")
			}
		}
		s.BeginFrame(deadline.Now())
		s.RunPhase(first)
		if s.DrawRequested() {
			t.Errorf("%v: drawn, and requested still", first)
		}
		s.Close()
	}
}

// So does a coroutine that waits for a drawing, wherever the host says that it draws.
func TestAfterDrawOutlivesAFrameThatIsNotDrawn(t *testing.T) {
	for name, phase := range map[string]func(*scheduler.Scheduler, scheduler.Phase){
		"RunPhase":  func(s *scheduler.Scheduler, p scheduler.Phase) { s.RunPhase(p) },
		"NotePhase": (*scheduler.Scheduler).NotePhase,
	} {
		t.Run(name, func(t *testing.T) {
			s := scheduler.New(scheduler.Options{})
			defer s.Close()
			var l log
			frame := func(phases ...scheduler.Phase) {
				s.BeginFrame(deadline.Now())
				for _, p := range phases {
					phase(s, p)
				}
				s.RunUntil(deadline.Deadline{})
			}
			wait := func(co *scheduler.Co) { co.AfterDraw(); l.add("drawn")() }
			frame(scheduler.BeforeDraw, scheduler.AfterDraw)
			s.Go(deadline.Normal, wait)
			frame()
			frame(scheduler.AfterDraw) // of nothing
			frame(scheduler.AfterDraw)
			l.want(t, "")
			if !s.DrawRequested() {
				t.Error("who waits asks for a frame until it is drawn")
			}
			s.Go(deadline.Normal, wait) // comes when the drawing has begun
			frame(scheduler.BeforeDraw)
			phase(s, scheduler.AfterDraw)
			s.RunUntil(deadline.Deadline{})
			frame()
			l.want(t, "drawn")
			frame(scheduler.BeforeDraw, scheduler.AfterDraw)
			frame()
			l.want(t, "drawn")
		})
	}
}

// The slice runs beside a host that presents the frame and then wants to go on.
func ExampleScheduler_StopOn() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	var stop atomic.Bool
	s.StopOn(&stop)
	for n := range 3 {
		s.Post(deadline.Normal, func() {
			fmt.Println("task", n)
			if n == 1 {
				stop.Store(true) // another goroutine would
			}
		})
	}
	left := s.RunUntil(deadline.Deadline{}).Ready
	fmt.Println(left, "left")
	// Output:
	// task 0
	// task 1
	// 1 left
}

// The update asks for a drawing, and the frame is drawn: the slice has nothing to end for.
func ExampleScheduler_NotePhase() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	s.BeginFrame(deadline.Now())
	s.RequestDraw()
	s.NotePhase(scheduler.BeforeDraw)
	fmt.Println(s.DrawRequested())
	// Output: false
}
