package scheduler_test

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

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
		for i := range tasks { // in the inbox twice: as cancelled, and in an envelope
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
				testkit.Recovered(func() { next.Submit(&tasks[i]) }) // s may not have done with it
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
						defer co.NextFrame() // which unwinds too
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
	g, told := s.NewGroup("scene"), 0
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
		"WhenIdle": s.WhenIdle(0, func(deadline.Deadline, bool) { never() }),
	} {
		eq(t, name, task.State(), scheduler.Canceled)
		eq(t, name+": Err", task.Err(), scheduler.ErrClosed)
		<-task.Done()
	}
	eq(t, "Bound", flow.NewBound(s, 0).Post(0, never), scheduler.ErrClosed)
	for range 100 { // a program that continues asking does not grow
		s.RequestDraw()
		s.Post(deadline.Normal, never)
		g.Post(deadline.Normal, never)
		scheduler.OnEnd(g, func() { told++ })
	}
	size, _ := scheduler.ArenaSize(s)
	eq(t, "items made", size, 0)
	eq(t, "notices", told, 100)
	s.BeginFrame(deadline.Now())
	s.RunPhase(scheduler.BeforeDraw)
	eq(t, "ran", s.RunUntil(deadline.Deadline{}).Ran, 0)
	s.Shift(time.Hour)
	g.SetPriority(deadline.Low)
	g.Cancel()
	<-g.Done()
}

// Dropped counts each function, task and callback that Close kept from a run, however far it has come, and what comes
// after Close. A coroutine that has begun is unwound, and a callback of Each that has run is no loss.
func TestCloseCountsWhatItDrops(t *testing.T) {
	idle := func(deadline.Deadline, bool) {}
	give := map[string]func(s *scheduler.Scheduler){ // one thing each
		"Post":      func(s *scheduler.Scheduler) { s.Post(deadline.Normal, nop) },
		"After":     func(s *scheduler.Scheduler) { s.After(deadline.Low, time.Hour, nop) },
		"Submit":    func(s *scheduler.Scheduler) { s.Submit(&scheduler.Task{Func: nop}) },
		"Delay":     func(s *scheduler.Scheduler) { s.Submit(&scheduler.Task{Func: nop, Delay: time.Hour}) },
		"Go":        func(s *scheduler.Scheduler) { s.Go(deadline.Normal, func(*scheduler.Co) {}) },
		"WhenIdle":  func(s *scheduler.Scheduler) { s.WhenIdle(0, idle) },
		"timed":     func(s *scheduler.Scheduler) { s.WhenIdle(time.Hour, idle) },
		"Once":      func(s *scheduler.Scheduler) { s.Once(scheduler.BeforeDraw, nop) },
		"Each":      func(s *scheduler.Scheduler) { s.Each(scheduler.AfterDraw, nop) },
		"Microtask": func(s *scheduler.Scheduler) { s.Microtask(nop) },
	}
	for name, f := range give {
		for _, read := range []bool{false, true} {
			s, _ := virtual(t, scheduler.Options{})
			s.Go(deadline.Normal, func(co *scheduler.Co) {
				for {
					co.NextFrame()
				}
			})
			s.RunUntil(deadline.Deadline{})
			s.BeginFrame(0)
			s.RunPhase(scheduler.BeforeDraw)
			s.RunPhase(scheduler.AfterDraw)
			s.Post(deadline.Normal, nop).Cancel()
			if read {
				s.Post(deadline.Immediate, func() {
					f(s)
					s.ShouldYield() // reads of it
					s.Close()
					f(s)
				})
				s.RunUntil(deadline.Deadline{})
			} else {
				f(s)
				s.Close()
				f(s)
			}
			want := uint64(2) // one, and one after Close
			if name == "Each" && read {
				want = 0 // it may have run
			}
			if d := s.Stats().Dropped; d != want {
				t.Errorf("%s, read: %v: %d dropped, want %d", name, read, d, want)
			}
		}
	}
}

// Close ends the Done of a group that no slice has read.
func TestCloseEndsDoneOfAGroup(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	done := s.NewGroup("scene").Done()
	s.Close()
	select {
	case <-done:
	default:
		t.Error("not closed")
	}
}
