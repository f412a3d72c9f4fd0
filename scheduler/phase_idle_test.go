package scheduler_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

func TestIdleCallbacksUseWhatIsLeft(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		warm := w.row("warm")
		w.s.WhenIdle(0, func(end deadline.Deadline, late bool) {
			for end.Remaining() > 0 {
				w.spend(warm, ms)
			}
			if late || end.Remaining() > 0 {
				t.Error("it did not end with the idle time")
			}
		})
		w.s.WhenIdle(0, w.idleWork("cache", ms))
		w.s.Post(deadline.Idle, w.work("bg", ms)) // ready work, even the least, comes first
		w.s.Post(deadline.Normal, w.work("task", 2*ms))
		w.frame(2 * ms) // nothing left
		w.frame(5 * ms)
		w.frame(4 * ms)
		w.want(`
			slice |==      =====   =
			warm  |         ####
			cache |                #
			bg    |        #
			task  |##
		`)
	})
}

func (w *world) idleWork(name string, d time.Duration) func(deadline.Deadline, bool) {
	f := w.work(name, d)
	return func(deadline.Deadline, bool) { f() }
}

func TestIdleTimeout(t *testing.T) {
	for _, byPriority := range []bool{false, true} {
		inWorld(t, scheduler.Options{ByPriority: byPriority}, func(w *world) {
			var l log
			w.s.WhenIdle(20*ms, func(end deadline.Deadline, late bool) {
				if !late || end.Remaining() != 0 {
					t.Error("timed out, and idle time all the same")
				}
				w.work("late", ms)()
			})
			w.s.WhenIdle(0, func(deadline.Deadline, bool) { l.add("idle")() })
			w.s.WhenIdle(60*ms, func(_ deadline.Deadline, late bool) {
				if late {
					t.Error("timed out, although there was idle time before")
				}
				l.add("in time")()
			})
			busy := true
			w.s.Submit(&scheduler.Task{Priority: deadline.UserBlocking, Cost: ms, Step: func() bool {
				w.work("busy", ms)()
				return busy
			}})
			for i := range 5 {
				busy = i < 3
				w.frame(2 * ms)
			}
			w.want(`
				slice |==      ==      ==      ==
				busy  |##      ##      ##       #
				late  |                        #
			`)
			if l.want(t, "idle in time"); w.s.Stats().Idle != 0 {
				t.Error("idle callbacks are left")
			}
		})
	}
}

// A jump of the clock that the host reports moves the timeouts too.
func TestShiftMovesIdleTimeouts(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		w.s.WhenIdle(12*ms, func(_ deadline.Deadline, late bool) { l.say("timed out: %v", late) })
		w.drainNothing()
		time.Sleep(20 * ms)
		w.s.Shift(20 * ms)
		w.frame(4 * ms)
		l.want(t, "timed out: false")
	})
}

// drainNothing reads the inbox and runs one empty task.
func (w *world) drainNothing() {
	w.s.Post(deadline.Immediate, func() {})
	w.s.RunUntil(deadline.In(0))
}

func TestIdleTimeEnds(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		remaining := func(what string, want ...time.Duration) {
			t.Helper()
			w.s.WhenIdle(0, func(end deadline.Deadline, _ bool) {
				if got := end.Remaining(); got != want[0] {
					t.Errorf("%s: %v remain, want %v", what, got, want[0])
				}
			})
			w.s.RunUntil(deadline.In(20 * ms))
		}
		remaining("nothing else", 20*ms)
		w.s.WhenIdle(0, func(end deadline.Deadline, _ bool) {
			if end.Remaining() != 50*ms {
				t.Errorf("no deadline: %v remain", end.Remaining())
			}
		})
		w.drain()
		later := &scheduler.Task{Delay: 7 * ms, Func: func() {}}
		w.s.Submit(later)
		remaining("a delayed task", 7*ms)
		later.Cancel()
		w.s.WhenIdle(0, func(deadline.Deadline, bool) {
			timer := w.submit(deadline.Normal, 2*ms, func() {})
			time.Sleep(2*ms - 1)
			early := w.s.ShouldYield()
			if time.Sleep(time.Nanosecond); early || !w.s.ShouldYield() {
				t.Errorf("a timer that the callback starts: yield before it: %v, and not when it is due", early)
			}
			timer.Cancel()
		})
		w.s.RunUntil(deadline.In(20 * ms))
		for reason, do := range map[string]func(){
			"urgent": func() { w.s.Post(deadline.Idle, func() {}) },
			"draw":   w.s.RequestDraw,
		} {
			w.s.WhenIdle(0, func(deadline.Deadline, bool) {
				early := w.s.ShouldYield()
				if do(); early || !w.s.ShouldYield() {
					t.Errorf("%s: yield before: %v, and not after", reason, early)
				}
			})
			w.frame(5 * ms)
		}
	})
}

// A declared cost that does not fit lets the next one pass; nothing starts in less than 100 µs.
func TestIdleCost(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		big := &scheduler.Task{Cost: 4 * ms, Idle: w.idleWork("big", 4*ms)}
		w.s.Submit(big)
		w.s.WhenIdle(0, w.idleWork("small", ms))
		w.s.WhenIdle(0, w.idleWork("tiny", ms))
		w.s.Post(deadline.Normal, func() { w.work("task", 2*ms)(); time.Sleep(50 * time.Microsecond) })
		w.s.RunUntil(deadline.In(2*ms + 149*time.Microsecond)) // 99 µs left
		if st := w.s.Stats(); st.Idle != 3 {
			t.Errorf("%d of 3 wait", st.Idle)
		}
		w.s.Post(deadline.Normal, func() {})
		w.s.RunUntil(deadline.In(2 * ms))
		if st := w.s.Stats(); st.Idle != 1 || big.State() != scheduler.Queued {
			t.Errorf("%d wait, the big one is %v", st.Idle, big.State())
		}
		w.s.RunUntil(deadline.In(2 * ms)) // nothing else: it is the first
		if big.State() != scheduler.Done {
			t.Error("the big one is", big.State())
		}
	})
}

func TestNoIdleTimeWhileSomethingIsReady(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		w.s.WhenIdle(0, w.idleWork("idle", ms))
		w.s.Post(deadline.Normal, w.work("a", ms))
		w.costs("big", deadline.Normal, 4*ms)
		w.frame(3 * ms)
		w.frame(5 * ms)
		w.want(`
			slice |=       =====
			idle  |            #
			a     |#
			big   |        ####
		`)
	})
}

// A timed-out callback that does not fit is ordinary work that was passed over: it is in one list only.
func TestIdleTimedOutAndPassedOver(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		big := &scheduler.Task{Cost: 4 * ms, Timeout: ms, Idle: func(deadline.Deadline, bool) { l.add("big")() }}
		w.s.Submit(big)
		w.drainNothing()
		time.Sleep(ms)
		for range 3 {
			w.s.WhenIdle(0, func(deadline.Deadline, bool) { l.add("idle")() })
		}
		w.s.Submit(&scheduler.Task{Priority: deadline.Immediate, Delay: 0, Timeout: -ms, Func: l.add("first")})
		w.s.RunUntil(deadline.In(2 * ms))
		w.s.RunUntil(deadline.In(2 * ms))
		w.drain()
		if st := w.s.Stats(); st.Idle != 0 || len(l) != 5 {
			t.Errorf("%d are left, ran %v", st.Idle, l)
		}
	})
}

func TestIdleCancel(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		var later *scheduler.Task
		w.s.WhenIdle(0, func(deadline.Deadline, bool) {
			l.say("first")
			eq(t, "Cancel of a later one in the same period", later.Cancel(), true)
		})
		later = w.s.WhenIdle(0, func(deadline.Deadline, bool) { l.say("later") })
		w.s.WhenIdle(0, func(deadline.Deadline, bool) { l.say("last") })
		gone := w.s.WhenIdle(10*ms, func(deadline.Deadline, bool) { l.say("gone") })
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
		var small func(deadline.Deadline, bool)
		small = func(deadline.Deadline, bool) {
			time.Sleep(ms)
			w.s.WhenIdle(0, small)
		}
		w.s.WhenIdle(0, small)
		ran := false
		w.s.Submit(&scheduler.Task{Cost: 3500 * time.Microsecond, Idle: func(deadline.Deadline, bool) { ran = true }})
		frames := 0
		for ; !ran && frames < 20; frames++ {
			w.frame(4 * ms)
		}
		if !ran || frames > 4 {
			t.Errorf("after %d frames it ran: %v", frames, ran)
		}
	})
}

// What a frame's idle callbacks queue waits for the next frame, also if this one has another slice.
func TestIdleCallbacksOncePerFrame(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		task := &scheduler.Task{}
		task.Idle = func(deadline.Deadline, bool) {
			l.add("a")()
			w.s.Submit(task)
		}
		w.s.Submit(task)
		w.s.WhenIdle(0, func(deadline.Deadline, bool) { l.add("b")() })
		w.frame(ms)
		w.s.WhenIdle(0, func(deadline.Deadline, bool) { l.add("c")() })
		w.drain()
		w.s.Post(deadline.Normal, l.add("task"))
		w.drain()
		l.want(t, "a b task")
		w.frame(ms)
		w.drain()
		l.want(t, "a c")
	})
}
