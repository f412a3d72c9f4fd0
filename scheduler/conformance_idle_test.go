package scheduler_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// The web's requestIdleCallback.

func TestIdleCallbacksRunInTheOrderOfTheRequests(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		for _, n := range []string{"1", "2", "3"} {
			w.s.WhenIdle(0, func(scheduler.IdleTime) { l.say("%s", n) })
		}
		w.s.Post(deadline.Idle, l.add("work"))
		w.frame(4 * ms)
		l.want(t, "work 1 2 3")
	})
}

func TestIdleRequestsOfAnIdleCallbackWaitForTheNextPeriod(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		var again func(scheduler.IdleTime)
		again = func(scheduler.IdleTime) {
			l.say("again")
			w.s.WhenIdle(0, again)
		}
		w.s.WhenIdle(0, again)
		w.s.WhenIdle(0, func(scheduler.IdleTime) { l.say("peer") })
		w.frame(4 * ms)
		l.want(t, "again peer")
		w.s.WhenIdle(0, func(scheduler.IdleTime) { l.say("new") })
		w.frame(4 * ms)
		l.want(t, "again new")
	})
}

func TestIdleDeadlineIsTheEndOfTheSlice(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var got []time.Duration
		w.s.Post(deadline.Normal, func() { time.Sleep(ms) })
		w.s.WhenIdle(0, func(i scheduler.IdleTime) {
			eq(t, "TimedOut", i.TimedOut(), false)
			got = append(got, i.Remaining())
			time.Sleep(2 * ms)
			got = append(got, i.Remaining())
			time.Sleep(2 * ms)
			got = append(got, i.Remaining())
		})
		w.frame(4 * ms)
		want := []time.Duration{3 * ms, ms, 0}
		if len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
			t.Errorf("remaining %v, want %v", got, want)
		}
	})
}

func TestIdleDeadlineIsAtMost50ms(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var remaining time.Duration
		w.s.WhenIdle(0, func(i scheduler.IdleTime) { remaining = i.Remaining() })
		w.drain() // without any deadline
		eq(t, "remaining", remaining, 50*ms)
	})
}

// A timer caps it, also one that the callback itself starts.
func TestIdleDeadlineEndsWithTheNextTimer(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var before, after time.Duration
		w.submit(deadline.Normal, 10*ms, func() {})
		w.s.WhenIdle(0, func(i scheduler.IdleTime) {
			before = i.Remaining()
			w.submit(deadline.Normal, 2*ms, func() {})
			after = i.Remaining()
		})
		w.s.RunUntil(deadline.In(30 * ms))
		eq(t, "with a timer in 10 ms", before, 10*ms)
		if after > 2*ms {
			t.Errorf("with a timer that was started in 2 ms: %v remain", after)
		}
	})
}

func TestIdleRemainingIsZeroWhenWorkArrives(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		w.s.WhenIdle(0, func(i scheduler.IdleTime) {
			l.say("%v", i.Remaining() > 0)
			w.s.Post(deadline.Normal, l.add("work"))
			l.say("%v", i.Remaining() > 0)
		})
		w.s.WhenIdle(0, func(i scheduler.IdleTime) { l.say("next") })
		w.s.RunUntil(deadline.In(30 * ms))
		l.want(t, "true false work next")
	})
}

func TestIdleTimeoutRunsItWithoutIdleTime(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		begin := time.Now()
		w.s.WhenIdle(20*ms, func(i scheduler.IdleTime) {
			l.say("%v/%v/%v", time.Since(begin) >= 20*ms, i.TimedOut(), i.Remaining())
		})
		busy := &scheduler.Task{Step: func() bool { time.Sleep(ms); return true }}
		w.s.Submit(busy)
		for range 5 {
			w.frame(4 * ms)
		}
		busy.Cancel()
		l.want(t, "true/true/0s")
	})
}

// Whichever of the two comes first takes the other away.
func TestIdleRunsOnce(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		n := 0
		w.s.WhenIdle(5*ms, func(i scheduler.IdleTime) { n++; eq(t, "TimedOut", i.TimedOut(), false) })
		w.frame(4 * ms)
		time.Sleep(20 * ms)
		w.frame(4 * ms)
		eq(t, "runs in idle time", n, 1)
		w.s.WhenIdle(5*ms, func(i scheduler.IdleTime) { n++; eq(t, "TimedOut", i.TimedOut(), true) })
		w.s.RunPhase(scheduler.BeforeDraw)
		time.Sleep(5 * ms)
		w.turn()
		w.frame(4 * ms)
		eq(t, "runs after the timeout", n, 2)
	})
}

func TestIdleTimeoutsKeepTheirOrder(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		for _, d := range []struct {
			name    string
			timeout time.Duration
		}{{"c", 30 * ms}, {"a", 10 * ms}, {"b", 20 * ms}} {
			w.s.WhenIdle(d.timeout, func(scheduler.IdleTime) { l.say("%s", d.name) })
		}
		w.s.RunPhase(scheduler.BeforeDraw)
		time.Sleep(40 * ms)
		w.turns(3)
		l.want(t, "a b c")
	})
}

func TestIdleCancel(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		var later *scheduler.Task
		w.s.WhenIdle(0, func(scheduler.IdleTime) {
			l.say("first")
			eq(t, "Cancel of a later one in the same period", later.Cancel(), true)
		})
		later = w.s.WhenIdle(0, func(scheduler.IdleTime) { l.say("later") })
		w.s.WhenIdle(0, func(scheduler.IdleTime) { l.say("last") })
		gone := w.s.WhenIdle(10*ms, func(scheduler.IdleTime) { l.say("gone") })
		eq(t, "Cancel", gone.Cancel(), true)
		w.frame(4 * ms)
		time.Sleep(20 * ms)
		w.frame(4 * ms)
		l.want(t, "first last")
	})
}

// The short straw: what needs much of a period, and is never first in it, never runs on the web. Here it
// declares its need, is passed over while it does not fit, and is first in a later frame.
func TestIdleTheShortStrawGetsItsTurn(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var small func(scheduler.IdleTime)
		small = func(scheduler.IdleTime) {
			time.Sleep(ms)
			w.s.WhenIdle(0, small)
		}
		w.s.WhenIdle(0, small)
		ran := false
		w.s.Submit(&scheduler.Task{Cost: 3500 * time.Microsecond, Idle: func(scheduler.IdleTime) { ran = true }})
		frames := 0
		for ; !ran && frames < 20; frames++ {
			w.frame(4 * ms)
		}
		if !ran || frames > 4 {
			t.Errorf("after %d frames it ran: %v", frames, ran)
		}
	})
}
