package scheduler_test

import (
	"errors"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

func TestCloseOfASchedulerThatNeverRan(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	h := s.Post(deadline.Normal, never(t))
	co := s.Go(deadline.Normal, func(*scheduler.Co) { never(t)() })
	s.Close()
	s.Close()
	if h.State() != scheduler.Canceled {
		t.Errorf("the posted function is %v", h.State())
	}
	<-co.Done()
	canceled(t, co)
	scheduler.New(scheduler.Options{}).Close()
}

func TestAfterClose(t *testing.T) {
	s := scheduler.New(scheduler.Options{Wake: func() {}})
	s.Post(deadline.Normal, func() {})
	s.RunUntil(deadline.Deadline{})
	s.Close()
	h := s.Post(deadline.Normal, never(t))
	if h.State() != scheduler.Canceled || h.Cancel() || h.SetPriority(deadline.Low) {
		t.Errorf("a function posted after Close is %v", h.State())
	}
	task := &scheduler.Task{Func: never(t)}
	for range 2 {
		s.Submit(task)
		<-task.Done()
		if !errors.Is(task.Err(), scheduler.ErrClosed) {
			t.Errorf("Err = %v, want ErrClosed", task.Err())
		}
		canceled(t, task)
	}
	s.BeginFrame(deadline.Now())
	if r := s.RunUntil(deadline.Deadline{}); r != (scheduler.Result{}) {
		t.Errorf("%+v after Close", r)
	}
	if _, ok := s.Next(); ok {
		t.Error("Next reports work after Close")
	}
	if st := s.Stats(); st.Coroutines != 0 {
		t.Errorf("%+v, want no coroutines", st)
	}
	// It can go to another scheduler, also if it was in the inbox of this one when that closed.
	s2 := scheduler.New(scheduler.Options{})
	ran := 0
	task.Func = func() { ran++ }
	s2.Submit(task)
	s2.RunUntil(deadline.Deadline{})
	s2.Submit(task)
	s2.Close()
	s3 := scheduler.New(scheduler.Options{})
	s3.Submit(task)
	s3.RunUntil(deadline.Deadline{})
	s3.Submit(task)
	if !task.Cancel() {
		t.Error("Cancel does not work on the third scheduler")
	}
	s3.RunUntil(deadline.Deadline{})
	s3.Close()
	if ran != 2 {
		t.Errorf("%d runs, want 2", ran)
	}
}

// A program that goes on asking does not grow.
func TestAClosedSchedulerKeepsNothing(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	s.Close()
	g, told := s.NewGroup("g"), 0
	for range 100 {
		s.Post(deadline.Normal, never(t))
		s.After(deadline.Normal, time.Second, never(t))
		s.Microtask(never(t))
		s.Once(scheduler.BeforeUpdate, never(t))
		s.RequestDraw()
		g.Post(deadline.Normal, never(t))
		g.SetPriority(deadline.Low)
		scheduler.OnEnd(g, func() { told++ })
		if !isDone(g.Done()) {
			t.Fatal("Done is open")
		}
	}
	if size, _ := scheduler.ArenaSize(s); size != 0 || told != 100 {
		t.Errorf("%d items were made, %d notices came", size, told)
	}
}

func TestCloseUnwindsAndReleases(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		f := &future{}
		delayed := &scheduler.Task{Func: never(t), Delay: time.Hour}
		w.s.Submit(delayed)
		bodies := map[string]func(*scheduler.Co){
			"frame": func(co *scheduler.Co) { co.NextFrame() },
			"sleep": func(co *scheduler.Co) { co.Sleep(time.Hour) },
			"wait":  func(co *scheduler.Co) { co.Wait(delayed) },
			"await": func(co *scheduler.Co) { scheduler.Await[int](co, f) },
			"stubborn": func(co *scheduler.Co) {
				defer co.NextFrame()
				for {
					func() { defer func() { recover() }(); co.NextFrame() }()
				}
			},
		}
		var tasks []*scheduler.Task
		for name, body := range bodies {
			tasks = append(tasks, w.s.Go(deadline.Normal, func(co *scheduler.Co) {
				defer func() {
					l.add(name)()
					w.s.Post(deadline.Immediate, never(t))
					w.s.Go(deadline.Immediate, func(*scheduler.Co) { never(t)() })
				}()
				body(co)
			}))
		}
		w.frame(ms)
		tasks = append(tasks, delayed, w.s.Go(deadline.Normal, func(*scheduler.Co) { never(t)() }))
		var wg sync.WaitGroup
		for _, x := range tasks {
			done := x.Done()
			wg.Go(func() { <-done })
		}
		w.s.Close()
		wg.Wait()
		for _, x := range tasks {
			canceled(t, x)
			if !errors.Is(x.Err(), scheduler.ErrClosed) {
				t.Errorf("Err = %v, want ErrClosed", x.Err())
			}
		}
		slices.Sort(l)
		l.want(t, "await frame sleep stubborn wait")
		f.finish(0, nil) // late
		if st := w.s.Stats(); st.Coroutines != 0 || st.Waiting != 0 || st.Frame != 0 || st.Ready != [5]int{} {
			t.Errorf("%+v after Close", st)
		}
	})
}

func TestCloseWithinATask(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		var self scheduler.Task
		self.Func = func() {
			w.s.Close()
			l.add("closer")()
			w.s.Close()
			w.s.Submit(&self) // does not happen any more
		}
		suspended := w.s.Go(deadline.Immediate, func(co *scheduler.Co) {
			defer func() { l.add("unwound")() }()
			co.NextFrame()
		})
		w.s.Submit(&self)
		next := w.s.Post(deadline.Normal, never(t))
		w.frame(ms)
		l.want(t, "closer unwound")
		canceled(t, suspended)
		if next.State() != scheduler.Canceled {
			t.Errorf("what comes after Close is %v", next.State())
		}
		if w.s.Post(deadline.Normal, never(t)).State() != scheduler.Canceled {
			t.Error("Post works after Close")
		}
	})
}

func TestManySchedulersLeaveNothingBehind(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 2000 {
		s := scheduler.New(scheduler.Options{})
		s.Post(deadline.Normal, func() {})
		s.Go(deadline.Normal, func(co *scheduler.Co) { co.NextFrame() })
		s.RunUntil(deadline.In(ms))
		s.Close()
	}
	if n := runtime.NumGoroutine(); n > before+5 {
		t.Errorf("%d goroutines, %d before", n, before)
	}
}

// What is in the inbox after Close is swept by who pushed it, while others push it again. Under -race.
func TestItemsThatAreSweptArePushedAgain(t *testing.T) {
	for range 30 {
		s, next := scheduler.New(scheduler.Options{Events: 4}), scheduler.New(scheduler.Options{})
		handles := make([]scheduler.Handle, 100)
		for i := range handles {
			handles[i] = s.Post(deadline.Low, never(t))
		}
		s.BeginFrame(deadline.Now()) // and it reads of them
		s.RunPhase(scheduler.BeforeDraw)
		tasks := make([]scheduler.Task, 100)
		for i := range tasks { // in the inbox twice: as cancelled, and by a relay
			tasks[i].Func = func() {}
			s.Submit(&tasks[i])
			tasks[i].Cancel()
			s.Submit(&tasks[i])
		}
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				for range 100 {
					s.RequestDraw()
				}
				for _, h := range handles {
					h.SetPriority(deadline.Normal)
				}
			})
		}
		wg.Go(func() {
			for i := range tasks {
				<-tasks[i].Done()
				func() {
					defer func() { _ = recover() }() // s may not have done with it
					next.Submit(&tasks[i])
				}()
			}
		})
		s.Close()
		s.RequestDraw()
		wg.Wait()
		next.RunUntil(deadline.Deadline{})
		next.Close()
	}
}

// OnPanic may close, and is told of what panics when that unwinds it.
func TestCloseInOnPanic(t *testing.T) {
	for name, fail := range map[string]func(s *scheduler.Scheduler){
		"task":  func(s *scheduler.Scheduler) { s.Post(deadline.Normal, func() { panic("x") }) },
		"phase": func(s *scheduler.Scheduler) { s.Once(scheduler.BeforeUpdate, func() { panic("x") }) },
	} {
		var s *scheduler.Scheduler
		var values []any
		s = scheduler.New(scheduler.Options{OnPanic: func(p *scheduler.PanicError) {
			values = append(values, p.Value)
			s.Close()
		}})
		s.Go(deadline.Normal, func(co *scheduler.Co) {
			defer func() { panic("unwound") }()
			for {
				co.NextFrame()
			}
		})
		s.BeginFrame(deadline.Now())
		s.RunUntil(deadline.Deadline{})
		fail(s)
		s.Post(deadline.Normal, never(t))
		s.RunPhase(scheduler.BeforeUpdate)
		s.RunUntil(deadline.Deadline{})
		after := s.Post(deadline.Normal, never(t))
		if !slices.Equal(values, []any{"x", "unwound"}) || after.State() != scheduler.Canceled {
			t.Errorf("%s: OnPanic was called with %v, and it is not closed", name, values)
		}
		s.Close()
	}
}
