package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
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

// A callback that opens a modal loop: the frames in it have their phases, in which everybody else's callbacks
// run, each once, and afterwards the order is as it was.
func TestNestWithinPhase(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var j journal
		s := w.s
		open := true
		s.Each(scheduler.BeforeDraw, func() { j.note("a") })
		s.Each(scheduler.BeforeDraw, func() {
			j.note("b")
			if !open {
				return
			}
			open = false
			j.note("(")
			s.Nest(func() {
				s.Once(scheduler.BeforeDraw, func() { j.note("once") })
				for range 2 {
					s.BeginFrame(deadline.Now())
					n := s.RunPhase(scheduler.BeforeDraw)
					j.note("%d", n)
				}
				s.Once(scheduler.BeforeDraw, func() { j.note("later") })
			})
			j.note(")")
		})
		s.Each(scheduler.BeforeDraw, func() { j.note("c") })
		s.Once(scheduler.BeforeDraw, func() { j.note("o") })
		for range 2 {
			s.BeginFrame(deadline.Now())
			n := s.RunPhase(scheduler.BeforeDraw)
			j.note("%d;", n)
		}
		j.expect(t, "a b ( a c o once 4 a c 2 ) 2; a b c later 4;")
	})
}

// What a coroutine began in a modal loop goes on outside of it, and the other way round.
func TestCoroutinesCrossNest(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var j journal
		s := w.s
		var dialog *scheduler.Task
		s.Go(deadline.UserBlocking, func(co *scheduler.Co) {
			for i := range 4 {
				j.note("o%d", i)
				co.NextFrame()
			}
		})
		dialog = s.Go(deadline.Normal, func(co *scheduler.Co) {
			s.Go(deadline.Normal, func(co *scheduler.Co) {
				j.note("i0")
				if err := co.Wait(dialog); err != nil {
					t.Error(err)
				}
				j.note("i1")
			})
			s.Nest(func() {
				for range 2 {
					s.BeginFrame(deadline.Now())
					s.RunUntil(deadline.Deadline{})
					j.note("|")
				}
			})
			co.Yield()
			j.note("closed")
		})
		for range 2 {
			s.BeginFrame(deadline.Now())
			s.RunUntil(deadline.Deadline{})
			j.note(";")
		}
		j.expect(t, "o0 o1 i0 | o2 | closed i1 ; o3 ;")
	})
}

// Close within a modal loop: slices in it run nothing any more, Context tells, and all ends with the outermost
// run.
func TestCloseWithinNest(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var j journal
		s := w.s
		waits := s.Go(deadline.UserBlocking, func(co *scheduler.Co) {
			defer j.note("unwound")
			co.NextFrame()
		})
		never := &scheduler.Task{Priority: deadline.Low, Func: func() { j.note("never") }}
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
					j.note("inner")
				})
				s.RunUntil(deadline.Deadline{})
				if waits.State() != scheduler.Suspended {
					t.Errorf("in the Nest the coroutine is %v", waits.State())
				}
			})
			j.note("outer")
		})
		s.BeginFrame(deadline.Now())
		s.RunUntil(deadline.Deadline{})
		j.expect(t, "inner outer unwound")
		if waits.Err() != scheduler.ErrClosed || never.Err() != scheduler.ErrClosed {
			t.Errorf("outcomes: %v, %v", waits.Err(), never.Err())
		}
	})
}

// A crash report is a modal loop in OnPanic, and may fail itself.
func TestNestWithinOnPanic(t *testing.T) {
	var j journal
	var s *scheduler.Scheduler
	o := scheduler.Options{Rethrow: true, OnPanic: func(e *scheduler.PanicError) {
		j.note("report(%v", e.Value)
		s.Nest(func() {
			j.note("%s", panics(func() { s.RunUntil(deadline.In(-1)) }))
		})
		j.note(")")
	}}
	inWorld(t, o, func(w *world) {
		s = w.s
		s.Post(deadline.Normal, func() { panic("A") })
		s.Post(deadline.Normal, func() { panic("B") })
		s.Post(deadline.Normal, func() { j.note("c") })
		text := panics(func() { s.RunUntil(deadline.Deadline{}) })
		got := strings.Join(j, " ")
		want := "report(A report(B c  ) "
		if !strings.HasPrefix(got, want) || strings.Count(got, "report(") != 2 || !strings.HasSuffix(got, ")") ||
			!strings.Contains(text, "A") {
			t.Errorf("got %q and %q, want %q ...", got, text, want)
		}
	})
}

// A frame goroutine that is locked to its thread: nothing of this may make the runtime throw.
func TestNestUnderThreadLock(t *testing.T) {
	done := make(chan struct{})
	go func() { // it ends locked, and its thread with it
		defer close(done)
		if runtime.GOARCH != "wasm" {
			runtime.LockOSThread()
		}
		s := scheduler.New(scheduler.Options{OnPanic: func(*scheduler.PanicError) {}})
		defer s.Close()
		ran := 0
		for range 3 {
			s.Go(deadline.Normal, func(co *scheduler.Co) {
				for range 3 {
					co.NextFrame()
					ran++
				}
			})
		}
		s.Post(deadline.Normal, func() {
			s.Nest(func() {
				s.Post(deadline.Normal, runtime.Goexit)
				for range 2 {
					s.BeginFrame(deadline.Now())
					s.RunUntil(deadline.Deadline{})
				}
			})
		})
		if runtime.GOARCH != "wasm" {
			s.Post(deadline.Normal, func() {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				s.Nest(func() {}) // the lock is one deeper, which Go does not tell, and harmless without a slice
			})
		}
		for range 3 {
			s.BeginFrame(deadline.Now())
			s.RunUntil(deadline.Deadline{})
		}
		if ran != 9 {
			t.Errorf("%d stretches ran, want 9", ran)
		}
	}()
	<-done
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

// Runs in a Nest lie in the run outside like brackets, and the slice outside counts what is its own.
func TestNestInTrace(t *testing.T) {
	var j journal
	o := scheduler.Options{Times: true, OnEvent: func(e scheduler.Event) {
		if e.State != scheduler.Queued {
			j.note("%s:%d", e.State, e.ID&0xff)
		}
	}}
	inWorld(t, o, func(w *world) {
		s := w.s
		task := func(f func()) { s.Submit(&scheduler.Task{Func: f}) }
		task(func() {
			task(func() {})
			task(func() {})
			s.Nest(func() { s.RunUntil(deadline.Deadline{}) })
		})
		w.drain()
		j.expect(t, "running:1 running:2 done:2 running:3 done:3 done:1")
	})
}

// What a callback or microtask takes is what it takes outside of f, and nobody else's.
func TestNestedTimeIsNotTheCallbacks(t *testing.T) {
	var j journal
	tell := func(e scheduler.Event) { j.note("%s:%v", e.Work(), e.Ran) }
	inWorld(t, scheduler.Options{OnEvent: on(scheduler.Done, tell)}, func(w *world) {
		s := w.s
		f := func() {
			time.Sleep(2 * ms)
			s.Nest(func() { time.Sleep(10 * ms) })
			time.Sleep(3 * ms)
		}
		s.Once(scheduler.BeforeUpdate, f)
		s.Once(scheduler.BeforeUpdate, func() { s.Microtask(f) })
		s.Once(scheduler.BeforeUpdate, func() { time.Sleep(ms) })
		s.RunPhase(scheduler.BeforeUpdate)
		j.expect(t, "once before update:5ms once before update:0s microtask:5ms once before update:1ms")
	})
}

// A Bound or Latest whose function opens a modal loop goes on in it.
func TestNestWithinBound(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var j journal
		s := w.s
		b := flow.NewBound(s, flow.BoundOptions{})
		var l *flow.Latest[int, int]
		depth := 0
		l = flow.NewLatest(s, flow.LatestOptions{}, func(k, v int) {
			j.note("l%d=%d", k, v)
			if depth++; depth > 3 {
				return
			}
			s.Nest(func() {
				for i := range 3 {
					_ = l.Post(k+1, i)
					_ = b.Post(deadline.Normal, func() { j.note("b%d", k) })
					s.RunUntil(deadline.Deadline{})
				}
			})
		})
		_ = l.Post(0, 0)
		w.drain()
		j.expect(t, "l0=0 l1=0 b0 l2=0 b1 l3=0 b2 l3=1 b2 l3=2 b2 l2=1 b1 l2=2 b1 l1=1 b0 l1=2 b0")
		if n := b.Len(deadline.Normal); n != 0 {
			t.Errorf("%d are left", n)
		}
	})
}
