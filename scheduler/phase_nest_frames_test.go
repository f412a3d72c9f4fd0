package scheduler_test

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

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
	tell := func(e scheduler.Event) { j.note("%s:%v", scheduler.Work(e), e.Ran) }
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
