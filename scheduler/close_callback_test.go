package scheduler_test

import (
	"errors"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

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
