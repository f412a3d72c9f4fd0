package scheduler_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// The web's requestAnimationFrame: Once with BeforeDraw. Its microtasks and tasks are in conformance_loop_test.go.

// draw is the frame's part in which callbacks run.
func (w *world) draw() {
	w.s.BeginFrame(deadline.Now())
	w.s.RunPhase(scheduler.BeforeUpdate)
	w.s.RunPhase(scheduler.BeforeDraw)
	w.s.RunPhase(scheduler.AfterDraw)
}

func TestFrameCallbacksRunInTheOrderOfTheRequests(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		for _, n := range []string{"1", "2", "3"} {
			w.s.Once(scheduler.BeforeDraw, l.add(n))
		}
		l.want(t, "")
		eq(t, "DrawRequested", w.s.DrawRequested() || nextIsNow(w), true)
		w.draw()
		l.want(t, "1 2 3")
		w.draw()
		l.want(t, "")
		eq(t, "DrawRequested when nothing waits", w.s.DrawRequested(), false)
	})
}

func nextIsNow(w *world) bool {
	at, ok := w.s.Next()
	return ok && at <= deadline.Now()
}

func TestFrameCallbackRequestedNowRunsInTheNextFrame(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		var loop func()
		loop = func() {
			l.say("loop")
			w.s.Once(scheduler.BeforeDraw, loop)
			l.say("asked")
		}
		w.s.Once(scheduler.BeforeDraw, loop)
		w.s.Once(scheduler.BeforeDraw, l.add("peer"))
		w.draw()
		l.want(t, "loop asked peer")
		w.s.Once(scheduler.BeforeDraw, l.add("new"))
		w.draw()
		l.want(t, "loop asked new")
	})
}

func TestFrameCallbackIsCancelled(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		before := w.s.Once(scheduler.BeforeDraw, l.add("before"))
		var later, self scheduler.Handle
		w.s.Once(scheduler.BeforeDraw, func() {
			l.say("first")
			eq(t, "Cancel of a later one of the batch", later.Cancel(), true)
			eq(t, "Cancel again", later.Cancel(), false)
		})
		self = w.s.Once(scheduler.BeforeDraw, func() {
			l.say("self")
			eq(t, "Cancel of the running one", self.Cancel(), false)
		})
		later = w.s.Once(scheduler.BeforeDraw, l.add("later"))
		w.s.Once(scheduler.BeforeDraw, func() {
			l.say("last")
			eq(t, "Cancel of one that has run", self.Cancel(), false)
		})
		eq(t, "Cancel before the frame", before.Cancel(), true)
		var unknown scheduler.Handle
		eq(t, "Cancel of the zero Handle", unknown.Cancel(), false)
		w.draw()
		l.want(t, "first self last")
		w.draw()
		l.want(t, "")
	})
}

// One that was requested within the batch is cancelled within the batch.
func TestFrameCallbackRequestedAndCancelledInOneBatch(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		var h scheduler.Handle
		w.s.Once(scheduler.BeforeDraw, func() { h = w.s.Once(scheduler.BeforeDraw, l.add("never")) })
		w.s.Once(scheduler.BeforeDraw, func() { eq(t, "Cancel", h.Cancel(), true) })
		w.draw()
		w.draw()
		l.want(t, "")
	})
}

func TestFrameCallbackThatFailsDoesNotStopTheOthers(t *testing.T) {
	var errs log
	o := scheduler.Options{OnPanic: func(e *scheduler.PanicError) { errs.say("%v", e.Value) }}
	inWorld(t, o, func(w *world) {
		var l log
		w.s.Once(scheduler.BeforeDraw, func() { panic("one") })
		w.s.Once(scheduler.BeforeDraw, l.add("two"))
		w.s.Once(scheduler.BeforeDraw, func() { panic("three") })
		w.s.Once(scheduler.BeforeDraw, l.add("four"))
		w.draw()
		l.want(t, "two four")
		errs.want(t, "one three")
	})
}

// The whole frame in order; microtasks come after each callback, and callbacks of a later phase that are
// registered in an earlier one of the same frame run in that frame.
func TestFramePartsInOrder(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		w.s.Each(scheduler.BeforeUpdate, func() {
			l.say("update")
			w.s.Microtask(l.add("micro1"))
			w.s.Once(scheduler.BeforeDraw, func() {
				l.say("draw")
				w.s.Microtask(l.add("micro2"))
				w.s.Once(scheduler.AfterDraw, l.add("drawn"))
			})
		})
		w.s.Post(deadline.Normal, l.add("task"))
		w.s.WhenIdle(0, func(scheduler.IdleTime) { l.say("idle") })
		w.draw()
		w.s.RunUntil(deadline.In(4 * ms))
		l.want(t, "update micro1 draw micro2 drawn task idle")
	})
}

// An idle or a delayed host must be told to come back for a frame.
func TestFrameRequestsWakeTheHost(t *testing.T) {
	wakes := 0
	inWorld(t, scheduler.Options{Wake: func() { wakes++ }}, func(w *world) {
		for name, request := range map[string]func(){
			"Once":        func() { w.s.Once(scheduler.AfterDraw, func() {}) },
			"RequestDraw": func() { w.s.RequestDraw() },
			"Post":        func() { w.s.Post(deadline.Idle, func() {}) },
			"Delay":       func() { w.submit(deadline.Normal, time.Hour, func() {}) },
		} {
			wakes = 0
			request()
			eq(t, "wakes by "+name, wakes, 1)
			if name != "Delay" {
				eq(t, "Next says now after "+name, nextIsNow(w), true)
			}
			w.draw()
			w.drain()
		}
		if at, ok := w.s.Next(); !ok || at.Sub(deadline.Now()) != time.Hour {
			t.Errorf("Next is in %v (%v), want in an hour", at.Sub(deadline.Now()), ok)
		}
	})
}
