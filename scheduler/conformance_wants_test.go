package scheduler_test

import (
	"context"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// What users of the others ask for in vain.

// A limit of the time that tasks take in a frame, whatever they are.
func TestWantATimeLimitPerFrame(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		n := 0
		for range 100 {
			w.submit(deadline.UserBlocking, ms, func() { n++; time.Sleep(ms) })
		}
		w.drain()
		time.Sleep(time.Second)
		for range 10 {
			if r := w.frame(4 * ms); r.Used > 4*ms {
				t.Errorf("a slice of 4 ms took %v", r.Used)
			}
		}
		if n < 30 {
			t.Errorf("%d timers in ten slices of 4 ms, want at least 30", n)
		}
	})
}

// Whoever waits for something of a low priority lifts it: no priority inversion.
func TestWantNoPriorityInversion(t *testing.T) {
	for _, policy := range []deadline.Policy{deadline.ByExpiration, deadline.ByPriority} {
		inWorld(t, scheduler.Options{Policy: policy}, func(w *world) {
			var l log
			low := &scheduler.Task{Priority: deadline.Idle, Func: l.add("low")}
			w.s.Submit(low)
			w.s.Go(deadline.UserBlocking, func(co *scheduler.Co) {
				_ = co.Wait(low)
				l.say("waiter")
			})
			w.s.Post(deadline.Normal, l.add("normal"))
			w.drain()
			l.want(t, "low waiter normal")
		})
	}
}

// To wait for an event, with a timeout or a context, and to know which it was.
func TestWantToWaitForAnEventWithAnEnd(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		ctx, cancel := context.WithCancel(context.Background())
		var a silence
		w.s.Go(deadline.Normal, func(co *scheduler.Co) {
			_, err := scheduler.AwaitTimeout(co, a, 10*ms)
			l.say("%v", err == scheduler.ErrTimeout)
		})
		w.s.Go(deadline.Normal, func(co *scheduler.Co) {
			_, err := scheduler.AwaitContext(ctx, co, a)
			l.say("%v", err == context.Canceled)
		})
		w.drain()
		time.Sleep(10 * ms)
		w.drain()
		l.want(t, "true")
		cancel()
		time.Sleep(ms) // what watches the context runs
		w.drain()
		l.want(t, "true")
	})
}

// Recurring work with an alignment: the grid does not drift by how late a run was.
func TestWantRecurringWorkWithoutDrift(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var at []time.Duration
		begin := time.Now()
		task := w.s.Every(deadline.Normal, 10*ms, func() {
			at = append(at, time.Since(begin))
			time.Sleep(3 * ms)
		})
		for time.Since(begin) < 100*ms {
			w.drain()
			time.Sleep(ms)
		}
		task.Cancel()
		if len(at) != 9 && len(at) != 10 {
			t.Fatalf("%d runs in 100 ms, want 9 or 10: %v", len(at), at)
		}
		for i, d := range at {
			if due := time.Duration(i+1) * 10 * ms; d < due || d > due+5*ms {
				t.Errorf("run %d at %v, want between %v and 5 ms later", i, d, due)
			}
		}
	})
}

// Verbs for "this frame", "the next frame" and "after the frame was drawn".
func TestWantToSayInWhichFrame(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		frame := 0
		say := func(word string) { l.say("%s%d", word, frame) }
		w.s.Go(deadline.Normal, func(co *scheduler.Co) {
			say("start")
			co.Yield()
			say("yield")
			co.NextFrame()
			say("next")
			co.AfterDraw()
			say("drawn")
		})
		for range 4 {
			frame++
			w.s.BeginFrame(deadline.Now())
			w.s.RunPhase(scheduler.BeforeUpdate)
			w.s.RunPhase(scheduler.BeforeDraw)
			w.s.RunPhase(scheduler.AfterDraw)
			w.s.RunUntil(deadline.In(4 * ms))
			time.Sleep(8 * ms)
		}
		l.want(t, "start1 yield1 next2 drawn3")
	})
}

// ShouldYield tells why: time, something more urgent, a drawing, a cancellation.
func TestWantToKnowWhyToYield(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		task := &scheduler.Task{}
		task.Func = func() {
			l.say("%v", w.s.YieldReason())
			w.s.Post(deadline.Normal, func() {}) // a peer is no reason
			l.say("%v", w.s.YieldReason())
			w.s.Post(deadline.UserBlocking, func() {})
			l.say("%v", w.s.YieldReason())
			w.s.RequestDraw()
			l.say("%v", w.s.YieldReason())
			time.Sleep(5 * ms)
			l.say("%v", w.s.YieldReason())
		}
		w.s.Submit(task)
		w.s.RunUntil(deadline.In(4 * ms))
		l.want(t, "no no urgent draw budget")
	})
}

// A cancelled entry does not stay: a timer that is far away frees its memory, and nobody wakes for it.
func TestWantCancelledTimersToGo(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		for range 10_000 {
			w.submit(deadline.Normal, 1000*time.Hour, func() {}).Cancel()
		}
		w.drain()
		_, ok := w.s.Next()
		eq(t, "Next has something", ok, false)
		eq(t, "delayed", w.s.Stats().Delayed[deadline.Normal.Lane()], 0)
	})
}
