package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

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
		var j log
		s := w.s
		bad := func(f func()) *scheduler.Task {
			return s.Go(deadline.Normal, func(co *scheduler.Co) {
				defer j.say("unwound")
				s.Nest(func() {
					s.Post(deadline.Normal, func() { j.say("within") })
					s.RunUntil(deadline.In(-1))
					f()
				})
			})
		}
		a := bad(func() { panic("boom") })
		b := bad(runtime.Goexit)
		var c *scheduler.Task
		c = s.Go(deadline.Normal, func(co *scheduler.Co) {
			defer j.say("unwound")
			s.Nest(func() {
				c.Cancel()
				if !co.ShouldYield() {
					t.Error("a modal loop can see that its task was cancelled")
				}
				co.Yield()
			})
		})
		s.Post(deadline.Low, func() { j.say("rest") })
		w.drain()
		j.want(t, "unwound unwound unwound within within rest") // each runs in the one before
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

// Close within a modal loop: slices in it run nothing any more, Context tells, and all ends with the outermost
// run.
func TestCloseWithinNest(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var j log
		s := w.s
		waits := s.Go(deadline.UserBlocking, func(co *scheduler.Co) {
			defer j.say("unwound")
			co.NextFrame()
		})
		never := &scheduler.Task{Priority: deadline.Low, Func: func() { j.say("never") }}
		s.Submit(never)
		s.Post(deadline.Normal, func() {
			s.Nest(func() {
				s.Post(deadline.Normal, func() {
					s.Nest(func() {
						s.Close()
						if context.Cause(s.Context()) != scheduler.ErrClosed {
							t.Error("Context does not tell of Close")
						}
						if r := s.RunUntil(deadline.Deadline{}); r.Ran != 0 {
							t.Errorf("a slice after Close ran %d", r.Ran)
						}
					})
					j.say("inner")
				})
				s.RunUntil(deadline.Deadline{})
				if waits.State() != scheduler.Suspended {
					t.Errorf("in the Nest the coroutine is %v", waits.State())
				}
			})
			j.say("outer")
		})
		s.BeginFrame(deadline.Now())
		s.RunUntil(deadline.Deadline{})
		j.want(t, "inner outer unwound")
		if waits.Err() != scheduler.ErrClosed || never.Err() != scheduler.ErrClosed {
			t.Errorf("outcomes: %v, %v", waits.Err(), never.Err())
		}
	})
}

// A crash report is a modal loop in OnPanic, and may fail itself.
func TestNestWithinOnPanic(t *testing.T) {
	var j log
	var s *scheduler.Scheduler
	o := scheduler.Options{Rethrow: true, OnPanic: func(e *scheduler.PanicError) {
		j.say("report(%v", e.Value)
		s.Nest(func() {
			j.say("%s", panics(func() { s.RunUntil(deadline.In(-1)) }))
		})
		j.say(")")
	}}
	inWorld(t, o, func(w *world) {
		s = w.s
		s.Post(deadline.Normal, func() { panic("A") })
		s.Post(deadline.Normal, func() { panic("B") })
		s.Post(deadline.Normal, func() { j.say("c") })
		text := panics(func() { s.RunUntil(deadline.Deadline{}) })
		got := strings.Join(j, " ")
		want := "report(A report(B c  ) "
		if !strings.HasPrefix(got, want) || strings.Count(got, "report(") != 2 || !strings.HasSuffix(got, ")") ||
			!strings.Contains(text, "A") {
			t.Errorf("got %q and %q, want %q ...", got, text, want)
		}
	})
}

// A task that locks its thread must not nest: the runtime would throw.
func TestNestUnderTasksOwnLock(t *testing.T) {
	if runtime.GOARCH == "wasm" {
		t.Skip("no threads")
	}
	inWorld(t, scheduler.Options{}, func(w *world) {
		var text string
		w.s.Post(deadline.Normal, func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			text = panics(func() { w.s.Nest(func() {}) })
		})
		w.drain()
		if !strings.HasPrefix(text, "scheduler: Nest under another thread lock") {
			t.Errorf("panic %q", text)
		}
	})
}

// A Bound or Latest whose function opens a modal loop goes on in it.
func TestNestWithinBound(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var j log
		s := w.s
		const limit = 2
		b := flow.NewBound(s, flow.BoundOptions{Limit: limit})
		var l *flow.Latest[int, int]
		depth := 0
		l = flow.NewLatest(s, flow.LatestOptions{}, func(k, v int) {
			j.say("l%d=%d", k, v)
			if depth++; depth > 3 {
				return
			}
			s.Nest(func() {
				for i := range 3 {
					_ = l.Post(k+1, i)
					_ = b.Post(deadline.Normal, func() { j.say("b%d", k) })
					s.RunUntil(deadline.Deadline{})
				}
			})
		})
		_ = l.Post(0, 0)
		w.drain()
		j.want(t, "l0=0 l1=0 b0 l2=0 b1 l3=0 b2 l3=1 b2 l3=2 b2 l2=1 b1 l2=2 b1 l1=1 b0 l1=2 b0")
		for range limit { // all places are free again
			if err := b.Post(deadline.Normal, func() {}); err != nil {
				t.Error(err)
			}
		}
	})
}
