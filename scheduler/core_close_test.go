package scheduler_test

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

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
			"draw":  func(co *scheduler.Co) { co.AfterDraw() },
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
		l.want(t, "await draw frame sleep stubborn wait")
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

// What is in the inbox after Close is swept by who pushed it, while others push it again. Under -race.
func TestItemsThatAreSweptArePushedAgain(t *testing.T) {
	for range 30 {
		s := scheduler.New(scheduler.Options{OnEvent: func(scheduler.Event) {}})
		next := scheduler.New(scheduler.Options{})
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

// Close at the worst moment: from within everything, and while others submit.

func TestCloseWithinEveryKindOfCallback(t *testing.T) {
	for name, start := range callbacks {
		t.Run(name, func(t *testing.T) {
			inWorld(t, scheduler.Options{OnPanic: func(e *scheduler.PanicError) { t.Errorf("panic: %v", e) }},
				func(w *world) {
					closed := 0
					var unwound, ran bool
					w.s.Go(deadline.Immediate, func(co *scheduler.Co) {
						defer func() { unwound = true }()
						co.Sleep(time.Hour)
					})
					waiting := w.s.Go(deadline.Immediate, func(co *scheduler.Co) { co.NextFrame() })
					w.drain()
					waiting.Cancel()
					start(w, func() {
						closed++
						w.s.Close()
						w.s.Post(deadline.Immediate, func() { ran = true })
					})
					last := w.submit(deadline.Idle, time.Minute, func() { ran = true })
					for range 4 {
						w.draw()
						w.s.RunUntil(deadline.In(4 * ms))
						time.Sleep(8 * ms)
					}
					eq(t, "Close was called", closed, 1)
					eq(t, "something ran afterwards", ran, false)
					eq(t, "the coroutine was unwound", unwound, true)
					eq(t, "the last task is ErrClosed", errors.Is(last.Err(), scheduler.ErrClosed), true)
					_, ok := w.s.Next()
					eq(t, "Next", ok, false)
					eq(t, "Context is done", w.s.Context().Err() != nil, true)
				})
		})
	}
}

// What is called after Close is refused, and none of it panics.
func TestCloseThenEverything(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	g := s.NewGroup("scene")
	s.Close()
	never := func() { t.Error("ran after Close") }
	task := &scheduler.Task{Func: never, Delay: ms}
	s.Submit(task)
	s.Submit(task) // it has ended already
	for name, h := range map[string]scheduler.Handle{
		"Post": s.Post(deadline.Normal, never), "Once": s.Once(scheduler.BeforeDraw, never),
		"Each": s.Each(scheduler.BeforeDraw, never), "Microtask": s.Microtask(never), "Group": g.Post(0, never),
		"After": s.After(0, time.Hour, never),
	} {
		eq(t, name, h.State(), scheduler.Canceled)
		eq(t, name+": Cancel", h.Cancel(), false)
	}
	for name, task := range map[string]*scheduler.Task{
		"Submit": task, "Go": s.Go(0, func(*scheduler.Co) { never() }), "Every": s.Every(0, ms, never),
		"WhenIdle": s.WhenIdle(0, func(scheduler.IdleTime) { never() }),
	} {
		eq(t, name, task.State(), scheduler.Canceled)
		eq(t, name+": Err", task.Err(), scheduler.ErrClosed)
		<-task.Done()
	}
	eq(t, "Bound", flow.NewBound(s, flow.BoundOptions{}).Post(0, never), scheduler.ErrClosed)
	s.RequestDraw()
	s.BeginFrame(deadline.Now())
	s.RunPhase(scheduler.BeforeDraw)
	eq(t, "ran", s.RunUntil(deadline.Deadline{}).Ran, 0)
	s.Shift(time.Hour)
	g.SetPriority(deadline.Low)
	g.Cancel()
	<-g.Done()
}

// Dropped counts each function and task that Close kept from a run, however far it has come.
func TestCloseCountsWhatItDrops(t *testing.T) {
	s, _ := virtual(t, scheduler.Options{})
	queued := func() {
		s.Post(deadline.Normal, nop)
		s.After(deadline.Low, time.Hour, nop)
		s.Submit(&scheduler.Task{Func: nop})
		s.Submit(&scheduler.Task{Delay: time.Hour, Func: nop})
		s.Go(deadline.Normal, func(co *scheduler.Co) {})
	}
	s.Post(deadline.Normal, nop) // runs
	s.Go(deadline.Normal, func(co *scheduler.Co) {
		for {
			co.NextFrame() // is unwound, as it has begun
		}
	})
	s.RunUntil(deadline.Deadline{})
	s.Post(deadline.Normal, nop).Cancel() // is canceled, and not by Close
	queued()
	s.Post(deadline.Immediate, func() {
		s.Close()
		s.Post(deadline.Normal, nop)
	})
	s.RunUntil(deadline.Deadline{})
	if d := s.Stats().Dropped; d != 6 {
		t.Errorf("%d dropped by Close, want 6", d)
	}
	s.Close()
	s.Post(deadline.Normal, nop)
	s.Submit(&scheduler.Task{Func: nop})
	s.Go(deadline.Normal, func(co *scheduler.Co) {})
	if d := s.Stats().Dropped; d != 9 {
		t.Errorf("%d dropped, want 9 with what came after Close", d)
	}
	s, _ = virtual(t, scheduler.Options{})
	s.Post(deadline.Normal, nop)
	s.Submit(&scheduler.Task{Func: nop})
	s.Each(scheduler.BeforeDraw, nop)
	s.Close()
	if d := s.Stats().Dropped; d != 3 {
		t.Errorf("%d dropped of what Close found in the inbox, want 3", d)
	}
}

// What waits for a part of the frame counts too, if it ran only once.
func TestCloseCountsTheCallbacksThatItDrops(t *testing.T) {
	s, _ := virtual(t, scheduler.Options{})
	idle := func(scheduler.IdleTime) {}
	s.RunPhase(scheduler.BeforeDraw) // so it is the host's, not the slice's
	s.WhenIdle(0, idle)
	s.WhenIdle(time.Hour, idle)
	s.Once(scheduler.BeforeDraw, nop)
	s.Once(scheduler.AfterDraw, nop).Cancel()
	s.Each(scheduler.AfterDraw, nop)
	s.Post(deadline.Immediate, func() { s.RequestDraw() }) // so nothing is idle
	s.RunUntil(deadline.Deadline{})
	s.Microtask(nop)
	s.Close()
	if d := s.Stats().Dropped; d != 4 {
		t.Errorf("%d dropped by Close, want 4", d)
	}
	s.Microtask(nop)
	s.WhenIdle(0, idle)
	s.Once(scheduler.BeforeDraw, nop)
	s.Each(scheduler.AfterDraw, nop)
	if d := s.Stats().Dropped; d != 8 {
		t.Errorf("%d dropped, want 8 with what came after Close", d)
	}
}
