package scheduler_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// React's Scheduler: the order of tasks, their expiration and their continuations.

func TestReactFlushesWorkIncrementally(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		for _, n := range []string{"A", "B", "C", "D"} {
			w.s.Post(deadline.Normal, l.add(n))
		}
		w.turns(2)
		l.want(t, "A B")
		w.turn()
		l.want(t, "C")
		w.drain()
		l.want(t, "D")
	})
}

func TestReactRunsTheHighestPriorityFirstWhenItComesLater(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		w.s.Post(deadline.Normal, l.add("A"))
		w.s.Post(deadline.Normal, l.add("B"))
		w.turn()
		w.s.Post(deadline.UserBlocking, l.add("C"))
		w.s.Post(deadline.UserBlocking, l.add("D"))
		w.drain()
		l.want(t, "A C D B")
	})
}

func TestReactExpiresWork(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		w.s.Post(deadline.Normal, l.cost("A", 100*ms))
		w.s.Post(deadline.UserBlocking, l.cost("B", 100*ms))
		w.s.Post(deadline.UserBlocking, l.cost("C", 100*ms))
		w.s.RunPhase(scheduler.BeforeDraw) // reads the inbox: they expire at 5 s and 250 ms from now
		time.Sleep(249 * ms)
		w.s.Post(deadline.Normal, l.cost("D", 100*ms))
		w.s.Post(deadline.Normal, l.cost("E", 100*ms))
		w.s.RunPhase(scheduler.BeforeDraw)
		time.Sleep(ms)
		expired := func(n, of int) {
			t.Helper()
			got := 0
			for range of {
				got += w.turn().Expired
			}
			eq(t, "expired", got, n)
		}
		expired(2, 2)
		l.want(t, "B C")
		time.Sleep(4600 * ms)
		expired(1, 1)
		l.want(t, "A")
		expired(0, 1)
		expired(1, 1)
		l.want(t, "D E")
	})
}

func TestReactDefaultTimeouts(t *testing.T) {
	for p, timeout := range map[deadline.Priority]time.Duration{
		deadline.UserBlocking: 250 * ms, deadline.Normal: 5 * time.Second, deadline.Low: 10 * time.Second,
	} {
		inWorld(t, scheduler.Options{}, func(w *world) {
			w.s.Post(p, func() {})
			w.s.Post(p, func() {})
			w.s.RunPhase(scheduler.BeforeDraw)
			time.Sleep(timeout - 1)
			eq(t, p.String()+" a nanosecond before its timeout", w.turn().Expired, 0)
			time.Sleep(time.Nanosecond)
			eq(t, p.String()+" after its timeout", w.turn().Expired, 1)
		})
	}
	inWorld(t, scheduler.Options{}, func(w *world) {
		w.s.Post(deadline.Idle, func() {})
		w.s.RunPhase(scheduler.BeforeDraw)
		time.Sleep(12 * 24 * time.Hour)
		eq(t, "idle after twelve days", w.turn().Expired, 0)
	})
}

// Old work of a low priority overtakes fresh work of a higher one, by the expiration alone.
func TestReactOrdersByExpirationAcrossPriorities(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		read := func() { w.s.RunPhase(scheduler.BeforeDraw) }
		w.s.Post(deadline.Low, l.add("low"))
		read()
		time.Sleep(5000 * ms)
		w.s.Post(deadline.Normal, l.add("normal")) // expires with low, which was first
		read()
		time.Sleep(4800 * ms)
		w.s.Post(deadline.UserBlocking, l.add("user"))
		w.drain()
		l.want(t, "low normal user")

		w.s.Post(deadline.Normal, l.add("normal"))
		read()
		time.Sleep(6000 * ms)
		w.s.Post(deadline.UserBlocking, l.add("user"))
		w.s.Post(deadline.Immediate, l.add("now"))
		w.drain()
		l.want(t, "normal now user")
	})
}

func TestReactContinuationKeepsItsPlaceAmongPeers(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		w.s.Post(deadline.Normal, l.cost("A", 100*ms))
		w.s.Post(deadline.Normal, l.cost("B", 100*ms))
		w.s.Submit(&scheduler.Task{Step: l.steps(100*ms, "C1", "C2", "C3")})
		w.s.Post(deadline.Normal, l.cost("D", 100*ms))
		w.s.Post(deadline.Normal, l.cost("E", 100*ms))
		w.s.RunUntil(deadline.In(300 * ms))
		l.want(t, "A B C1")
		w.drain()
		l.want(t, "C2 C3 D E")
	})
}

func TestReactContinuationsAreInterruptedByHigherPriority(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		w.s.Submit(&scheduler.Task{Step: l.steps(100*ms, "A", "B", "C", "D")})
		w.turn()
		w.s.Post(deadline.UserBlocking, l.cost("high", 100*ms))
		w.drain()
		l.want(t, "A high B C D")
	})
	inWorld(t, scheduler.Options{}, func(w *world) { // posted by the task itself
		var l log
		step := l.steps(100*ms, "A", "B", "C", "D")
		n := 0
		w.s.Submit(&scheduler.Task{Step: func() bool {
			if n++; n == 2 {
				w.s.Post(deadline.UserBlocking, l.cost("high", 100*ms))
			}
			return step()
		}})
		w.drain()
		l.want(t, "A B high C D")
	})
}

// A cancellation between the steps, and one within a step that says there is more: React loses the second.
func TestReactCancellingAContinuation(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		task := &scheduler.Task{Step: l.steps(0, "yield", "continuation")}
		w.s.Submit(task)
		w.turn()
		eq(t, "Cancel between steps", task.Cancel(), true)
		w.drain()
		l.want(t, "yield")
		eq(t, "state", task.State(), scheduler.Canceled)

		inside := &scheduler.Task{}
		inside.Step = func() bool {
			l.say("step")
			eq(t, "Cancel from inside", inside.Cancel(), true)
			eq(t, "Cancel again", inside.Cancel(), false)
			return true
		}
		w.s.Submit(inside)
		w.drain()
		w.drain()
		l.want(t, "step")
		eq(t, "state", inside.State(), scheduler.Canceled)
	})
}

func TestReactImmediateWork(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		w.s.Post(deadline.Immediate, l.add("A"))
		w.s.Post(deadline.Immediate, func() {
			l.say("B")
			w.s.Post(deadline.Immediate, l.add("C")) // goes to the end
		})
		w.s.Post(deadline.Immediate, l.add("D"))
		l.want(t, "") // not before the next slice
		w.drain()
		l.want(t, "A B D C")
	})
}

// A failure ends its task alone. Where React throws and goes on in a new turn, the slice goes on here.
func TestReactImmediateWorkRunsEvenAfterAnError(t *testing.T) {
	var errs log
	o := scheduler.Options{OnPanic: func(e *scheduler.PanicError) { errs.say("%v", e.Value) }}
	inWorld(t, o, func(w *world) {
		var l log
		for _, n := range []string{"A", "B", "C"} {
			w.s.Post(deadline.Immediate, func() {
				l.say("%s", n)
				if n != "B" {
					panic("oops-" + n)
				}
			})
		}
		r := w.drain()
		l.want(t, "A B C")
		errs.want(t, "oops-A oops-C")
		eq(t, "ran", r.Ran, 3)
	})
}

// What Scheduler.runWithPriority and wrapCallback are for: the priority of the running task, and one that was
// kept for later.
func TestReactCurrentPriority(t *testing.T) {
	inWorld(t, scheduler.Options{OnPanic: func(*scheduler.PanicError) {}}, func(w *world) {
		var l log
		say := func() { l.say("%v", w.s.Current().Priority) }
		say()
		var kept scheduler.Current
		w.s.Post(deadline.Immediate, say)
		w.s.Post(deadline.UserBlocking, func() {
			say()
			kept = w.s.Current()
			panic("restored all the same")
		})
		w.drain()
		say()
		kept.Post(say)
		w.s.Post(deadline.Immediate, say)
		w.drain()
		l.want(t, "normal immediate user-blocking normal immediate user-blocking")
	})
}
