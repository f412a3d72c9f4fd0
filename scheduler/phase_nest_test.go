package scheduler_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// past is the deadline of a slice that runs one task.
func past() deadline.Deadline { return deadline.In(-1) }

// journal collects what happens, one word each.
type journal []string

func (j *journal) note(format string, args ...any) { *j = append(*j, fmt.Sprintf(format, args...)) }

func (j *journal) expect(t *testing.T, want string) {
	t.Helper()
	if got := strings.Join(*j, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestNestRunsWhatWaits(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var j journal
		s := w.s
		s.Go(deadline.Normal, func(co *scheduler.Co) {
			j.note("co1")
			co.NextFrame()
			j.note("co2")
		})
		s.Post(deadline.Normal, func() {
			j.note("dialog(")
			s.Microtask(func() { j.note("micro") })
			s.Nest(func() {
				for i := range 3 {
					s.BeginFrame(deadline.Now())
					j.note("frame%d", i)
					s.RunUntil(past())
				}
			})
			j.note(")")
		})
		for i := range 4 {
			s.Post(deadline.Normal, func() { j.note("t%d", i) })
		}
		s.BeginFrame(deadline.Now())
		r := s.RunUntil(deadline.Deadline{})
		j.expect(t, "co1 dialog( frame0 micro t0 frame1 t1 frame2 t2 ) t3 co2")
		if r.Ran != 4 {
			t.Errorf("the slice outside says that it ran %d, want co1, dialog, t3 and co2: 4", r.Ran)
		}
	})
}

// What a task takes is what it takes outside of f.
func TestNestedTimeIsNotTheTasks(t *testing.T) {
	inWorld(t, scheduler.Options{Times: true}, func(w *world) {
		s := w.s
		s.Post(deadline.Normal, func() {
			time.Sleep(2 * ms)
			s.Nest(func() {
				s.Post(deadline.Normal, func() { time.Sleep(20 * ms) })
				r := s.RunUntil(deadline.In(50 * ms))
				if r.Ran != 1 || r.Used != 20*ms {
					t.Errorf("nested: ran %d in %v, want 1 in 20ms", r.Ran, r.Used)
				}
				time.Sleep(10 * ms)
			})
			time.Sleep(3 * ms)
		})
		r := s.RunUntil(deadline.In(100 * ms))
		if r.Ran != 1 || r.Used != 5*ms || r.Worst.Cost != 5*ms {
			t.Errorf("ran %d in %v, worst %v; want 1, 5ms, 5ms", r.Ran, r.Used, r.Worst.Cost)
		}
		var times scheduler.Times
		s.ReadTimes(&times)
		if h := times.Run[deadline.Normal.Lane()]; h.Count() != 2 || h.Mean() != 25*ms/2 {
			t.Errorf("%d runs of %v on average, want 2 of 12.5ms", h.Count(), h.Mean())
		}
	})
}

// By mistake it still panics, at every depth.
func TestRunUntilWithinNestedTaskPanics(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		s := w.s
		var inner, outer string
		s.Post(deadline.Normal, func() {
			s.Nest(func() {
				s.Post(deadline.Normal, func() {
					inner = panics(func() { s.RunUntil(past()) })
				})
				s.RunUntil(deadline.Deadline{})
			})
			outer = panics(func() { s.RunUntil(past()) })
		})
		w.drain()
		for _, text := range []string{inner, outer} {
			if !strings.HasPrefix(text, "scheduler: RunUntil within a task") {
				t.Errorf("panic %q", text)
			}
		}
	})
}

func TestNestMisuse(t *testing.T) {
	inWorld(t, scheduler.Options{OnPanic: func(*scheduler.PanicError) {}}, func(w *world) {
		s := w.s
		outside := "scheduler: Nest outside of a task"
		check := func(what, want, got string) {
			t.Helper()
			if !strings.HasPrefix(got, want) {
				t.Errorf("%s: panic %q, want %q", what, got, want)
			}
		}
		nothing := func() {}
		check("nil", "scheduler: Nest with a nil", panics(func() { s.Nest(nil) }))
		check("between slices", outside, panics(func() { s.Nest(nothing) }))
		s.Post(deadline.Normal, func() {
			text := make(chan string)
			go func() { text <- panics(func() { s.Nest(nothing) }) }()
			check("a goroutine of a task's", outside, <-text)
			s.Nest(func() { check("the host in a Nest", outside, panics(func() { s.Nest(nothing) })) })
		})
		s.Go(deadline.Normal, func(co *scheduler.Co) {
			s.Nest(func() {
				for name, f := range map[string]func(){
					"Yield": co.Yield, "NextFrame": co.NextFrame, "AfterDraw": co.AfterDraw,
					"Sleep": func() { co.Sleep(ms) }, "Wait": func() { _ = co.Wait(&scheduler.Task{}) },
				} {
					check(name, "scheduler: a coroutine that suspends itself within", panics(f))
				}
				if co.Priority() != deadline.Normal || co.ShouldYield() {
					t.Error("what does not suspend works as usual")
				}
			})
			co.NextFrame() // and here it may
		})
		var nest func(n int)
		deep := 0
		nest = func(n int) {
			deep = n
			s.Nest(func() {
				s.Post(deadline.Normal, func() { nest(n + 1) })
				s.RunUntil(deadline.Deadline{})
			})
		}
		s.Post(deadline.Low, func() {
			defer func() {
				if v := recover(); v != nil {
					t.Errorf("the outermost one panics: %v", v)
				}
			}()
			nest(1)
		})
		w.drain()
		if deep != 33 {
			t.Errorf("it went %d deep, want 33: 32 are allowed", deep)
		}
	})
}

// A panic, a Goexit and a cancellation within f are the task's, and the rest of the frame's work goes on.
func TestNestEndsWithItsTask(t *testing.T) {
	var failed []string
	o := scheduler.Options{OnPanic: func(e *scheduler.PanicError) { failed = append(failed, fmt.Sprint(e.Value)) }}
	inWorld(t, o, func(w *world) {
		var j journal
		s := w.s
		bad := func(f func()) *scheduler.Task {
			return s.Go(deadline.Normal, func(co *scheduler.Co) {
				defer j.note("unwound")
				s.Nest(func() {
					s.Post(deadline.Normal, func() { j.note("within") })
					s.RunUntil(past())
					f()
				})
			})
		}
		a := bad(func() { panic("boom") })
		b := bad(runtime.Goexit)
		var c *scheduler.Task
		c = s.Go(deadline.Normal, func(co *scheduler.Co) {
			defer j.note("unwound")
			s.Nest(func() {
				c.Cancel()
				if !co.ShouldYield() {
					t.Error("a modal loop can see that its task was cancelled")
				}
				co.Yield()
			})
		})
		s.Post(deadline.Low, func() { j.note("rest") })
		w.drain()
		j.expect(t, "unwound unwound unwound within within rest") // each runs in the one before
		var pe *scheduler.PanicError
		if !errors.As(a.Err(), &pe) || pe.Value != "boom" || b.Err() != scheduler.ErrGoexit ||
			c.Err() != scheduler.ErrCanceled {
			t.Errorf("outcomes: %v, %v, %v", a.Err(), b.Err(), c.Err())
		}
		if len(failed) != 2 {
			t.Errorf("reported: %q", failed)
		}
	})
}

// The callbacks of a frame whose host calls no RunPhase run once in it, though a modal loop in one of its tasks begins
// a frame that has no slice.
func TestNestLeavesTheFrameItsPhases(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var j journal
		s := w.s
		s.Each(scheduler.BeforeDraw, func() { j.note("each") })
		for range 2 {
			s.Post(deadline.Normal, func() {
				s.Nest(func() {
					s.BeginFrame(deadline.Now())
					j.note("(")
					s.RunUntil(past())
					j.note(")")
					s.BeginFrame(deadline.Now())
				})
			})
			s.BeginFrame(deadline.Now())
			s.RunUntil(deadline.Deadline{})
			s.RunUntil(deadline.Deadline{})
			j.note(";")
		}
		j.expect(t, "each ( each ) ; each ( each ) ;")
	})
}

// A host that calls no BeginFrame has a frame for each slice, also after a modal loop that calls it.
func TestNestLeavesTheHostItsFrames(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var j journal
		s := w.s
		s.Post(deadline.Normal, func() {
			s.Nest(func() {
				s.BeginFrame(deadline.Now())
				s.RunUntil(past())
			})
		})
		s.RunUntil(deadline.Deadline{})
		s.Each(scheduler.BeforeDraw, func() { j.note("each") })
		s.Go(deadline.Normal, func(co *scheduler.Co) {
			co.NextFrame()
			j.note("next")
		})
		for range 2 {
			s.RunUntil(deadline.Deadline{})
			j.note(";")
		}
		j.expect(t, "each ; each next ;")
	})
}
