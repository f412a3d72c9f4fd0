package scheduler_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// React's Scheduler: delayed tasks, and what its host sees (turns, paints, the end of a slice).

func TestReactDelayedTaskRunsWhenItsDelayHasPassed(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		w.submit(deadline.Normal, 1000*ms, l.add("A"))
		w.drain()
		time.Sleep(999 * ms)
		w.drain()
		l.want(t, "")
		time.Sleep(ms)
		w.drain()
		l.want(t, "A")
	})
}

// A delay counts from the submission, whether a slice has run since or not.
func TestReactDelayCountsFromTheSubmission(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		w.submit(deadline.Normal, 100*ms, l.add("A"))
		w.submit(deadline.Normal, 300*ms, l.add("B"))
		time.Sleep(100 * ms)
		w.drain()
		l.want(t, "A")
		if at, ok := w.s.Next(); !ok || at.Sub(deadline.Now()) != 200*ms {
			t.Errorf("Next is in %v (%v), want in 200ms", at.Sub(deadline.Now()), ok)
		}
		time.Sleep(200 * ms)
		w.drain()
		l.want(t, "B")
		w.s.Post(deadline.Normal, func() { // within a task it counts from the call, too
			w.submit(deadline.Normal, 100*ms, l.add("C"))
			time.Sleep(100 * ms)
		})
		w.drain()
		l.want(t, "C")
	})
}

func TestReactDelayedTasksRunInTheOrderOfTheirStarts(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		for _, d := range []struct {
			name  string
			delay time.Duration
		}{{"C", 300 * ms}, {"B", 200 * ms}, {"D", 400 * ms}, {"A", 100 * ms}} {
			w.submit(deadline.Normal, d.delay, l.add(d.name))
		}
		w.drain()
		l.want(t, "")
		time.Sleep(200 * ms)
		w.turn()
		l.want(t, "A")
		w.drain()
		l.want(t, "B")
		time.Sleep(200 * ms)
		w.drain()
		l.want(t, "C D")
	})
}

func TestReactDelayedTasksComeBetweenOthers(t *testing.T) {
	for _, shape := range []string{"tasks", "steps"} {
		inWorld(t, scheduler.Options{}, func(w *world) {
			var l log
			w.submit(deadline.UserBlocking, 300*ms, l.add("timer2"))
			w.submit(deadline.UserBlocking, 100*ms, l.add("timer1"))
			if shape == "steps" {
				w.s.Submit(&scheduler.Task{Step: l.steps(100*ms, "A", "B", "C", "D")})
			} else {
				for _, n := range []string{"A", "B", "C", "D"} {
					w.s.Post(deadline.Normal, l.cost(n, 100*ms))
				}
			}
			w.drain()
			l.want(t, "A timer1 B C timer2 D")
		})
	}
}

func TestReactExpirationOfDelayedWorkCountsFromItsStart(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		w.submit(deadline.Normal, 2000*ms, l.add("delayed")) // expires at 7 s
		w.drain()
		time.Sleep(1900 * ms)
		w.s.Post(deadline.Normal, l.add("posted")) // at 6.9 s
		w.s.RunPhase(scheduler.BeforeDraw)
		time.Sleep(100 * ms)
		w.drain()
		l.want(t, "posted delayed")
	})
}

func TestReactCancelsDelayedTasks(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		w.submit(deadline.Normal, 100*ms, l.add("A"))
		b := w.submit(deadline.Normal, 100*ms, l.add("B"))
		c := w.submit(deadline.Normal, 100*ms, l.add("C"))
		w.drain()
		b.Cancel() // before the delay has passed
		time.Sleep(500 * ms)
		c.Cancel() // after it
		w.drain()
		l.want(t, "A")
	})
}

// The head of the timers is cancelled, and the next one must still wake the host.
func TestReactTimerBehindACancelledOne(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		a := w.submit(deadline.Normal, 10*ms, l.add("A"))
		w.submit(deadline.Normal, 20*ms, l.add("B"))
		w.drain()
		a.Cancel()
		w.drain()
		if at, ok := w.s.Next(); !ok || at.Sub(deadline.Now()) != 20*ms {
			t.Errorf("Next is in %v (%v), want in 20ms", at.Sub(deadline.Now()), ok)
		}
		time.Sleep(20 * ms)
		w.drain()
		l.want(t, "B")
	})
}

func TestReactTaskEndsTheSliceByItsLength(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		w.s.Post(deadline.Normal, l.cost("A", 4999*ms))
		w.s.Post(deadline.Normal, l.add("B"))
		w.s.RunUntil(deadline.In(5 * ms))
		l.want(t, "A")
		if at, ok := w.s.Next(); !ok || at != deadline.Now() {
			t.Errorf("Next = %v, %v with B ready, want now", at, ok)
		}
		w.s.RunUntil(deadline.In(5 * ms))
		l.want(t, "B")
		if _, ok := w.s.Next(); ok {
			t.Error("Next reports work where there is none")
		}
	})
}

func TestReactShouldYieldAtTheEndOfTheSlice(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		begin := time.Now()
		spin := func() bool {
			for !w.s.ShouldYield() {
				time.Sleep(ms)
			}
			return time.Since(begin) < 10*ms
		}
		w.s.Submit(&scheduler.Task{Step: spin})
		w.s.RunUntil(deadline.In(5 * ms))
		eq(t, "time of the yield", time.Since(begin), 5*ms)
		w.s.RunUntil(deadline.In(5 * ms)) // the continuation
		eq(t, "time of the end", time.Since(begin), 10*ms)
	})
}

// An overdue task may ask too: it has the slice and no more.
func TestReactShouldYieldInAnOverdueTask(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		w.submit(deadline.UserBlocking, ms, func() {
			eq(t, "ShouldYield at once", w.s.ShouldYield(), false)
			time.Sleep(5 * ms)
			eq(t, "ShouldYield at the deadline", w.s.ShouldYield(), true)
		})
		w.drain()
		time.Sleep(time.Second)
		eq(t, "expired", w.s.RunUntil(deadline.In(5*ms)).Expired, 1)
	})
}

func TestReactRequestPaintEndsTheSliceAfterTheTask(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		w.s.Post(deadline.Normal, func() {
			l.say("A")
			w.s.RequestDraw()
			l.say("%v", w.s.YieldReason())
		})
		w.s.Post(deadline.Normal, l.add("B"))
		r := w.s.RunUntil(deadline.In(time.Second))
		l.want(t, "A draw")
		eq(t, "Result.Draw", r.Draw, true)
		w.s.BeginFrame(deadline.Now())
		w.s.RunPhase(scheduler.BeforeDraw)
		w.s.RunUntil(deadline.In(time.Second))
		l.want(t, "B")
	})
}

// In React a continuation always ends the turn. Here a slice is a frame's, and a step that returns early has
// left time in it: the next one follows as long as it fits.
func TestReactDiffersContinuationsGoOnInTheSlice(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		w.s.Submit(&scheduler.Task{Step: l.steps(ms, "1", "2", "3", "4"), Cost: ms})
		w.s.RunUntil(deadline.In(3 * ms))
		l.want(t, "1 2 3")
	})
}

// In React all expired work runs in one turn. Here expiry raises order, and does not buy an overrun.
func TestReactDiffersExpiredWorkDoesNotOverrunTheSlice(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		for range 200 {
			w.s.Submit(&scheduler.Task{
				Priority: deadline.UserBlocking, Func: func() { time.Sleep(ms) }, Cost: ms,
			})
		}
		w.s.RunPhase(scheduler.BeforeDraw)
		time.Sleep(300 * ms)
		r := w.s.RunUntil(deadline.In(5 * ms))
		eq(t, "used", r.Used, 5*ms)
		eq(t, "expired", r.Expired, 5)
	})
}
