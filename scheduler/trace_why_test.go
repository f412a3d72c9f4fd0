package scheduler_test

import (
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

// why is what Task.Why says of a task, and Handle.Why of a function.
type why interface{ Why() string }

// Each reason why work does not run, when it is so.
func TestWhy(t *testing.T) {
	co := func(f func(co *scheduler.Co)) func(w *world) why {
		return func(w *world) why {
			task := w.s.Go(deadline.Normal, f)
			w.drain()
			return task
		}
	}
	costing := func(w *world, label string, p deadline.Priority, cost time.Duration) *scheduler.Task {
		task := &scheduler.Task{Label: label, Priority: p, Cost: cost, Func: func() { time.Sleep(cost) }}
		w.s.Submit(task)
		return task
	}
	for want, f := range map[string]func(w *world) why{
		"never submitted":  func(*world) why { return new(scheduler.Task) },
		"came after Close": func(w *world) why { w.s.Close(); return w.s.Post(0, nop) },
		"ended long ago, or never posted": func(w *world) why {
			h := w.s.Post(0, nop)
			w.drain()
			w.s.Post(0, nop)
			return h
		},
		"has returned": co(func(*scheduler.Co) {}),
		"has failed":   co(func(*scheduler.Co) { runtime.Goexit() }),
		"canceled":     func(w *world) why { h := w.s.Post(0, nop); h.Cancel(); return h },
		"the scheduler is closed": func(w *world) why {
			task := costing(w, "a", 0, ms)
			w.s.Close()
			return task
		},
		"in the inbox, which the next slice reads": func(w *world) why { return w.s.Post(0, nop) },
		"waits for the next frame":                 co(func(co *scheduler.Co) { co.NextFrame() }),
		"waits until a frame is drawn":             co(func(co *scheduler.Co) { co.AfterDraw() }),
		"waits for the task slow": func(w *world) why {
			slow := &scheduler.Task{Label: "slow", Delay: time.Hour, Func: nop}
			w.s.Submit(slow)
			return co(func(co *scheduler.Co) { co.Wait(slow) })(w)
		},
		"waits for a scheduler_test.silence": co(func(co *scheduler.Co) { scheduler.Await(co, silence{}) }),
		"waits for the gate":                 co(func(co *scheduler.Co) { scheduler.Await(co, gate{}) }),
		"waits for a flow.Semaphore": co(func(co *scheduler.Co) {
			m := new(flow.Semaphore)
			m.Acquire(co)
			m.Acquire(co)
		}),
		"the frame has run as many microtasks as it may": func(w *world) why {
			w.s.BeginFrame(deadline.Now())
			for range 1000 {
				w.s.Microtask(nop)
			}
			h := w.s.Microtask(nop)
			w.drain()
			return h
		},
		"runs after the running task": func(w *world) why { return w.s.Microtask(nop) },
		"delayed for another 1m0s of the time of the group g": func(w *world) why {
			g := w.s.NewGroup("g")
			g.SetSpeed(3)
			task := &scheduler.Task{Group: g, Delay: time.Minute, Func: nop}
			w.s.Submit(task)
			w.drain()
			return task
		},
		"the group outer is paused": func(w *world) why {
			outer := w.s.NewGroup("outer")
			outer.Pause()
			task := &scheduler.Task{Group: outer.NewGroup("g"), Func: nop}
			w.s.Submit(task)
			w.drain()
			return task
		},
		"waits for idle time": func(w *world) why {
			task := w.s.WhenIdle(0, func(deadline.Deadline, bool) {})
			w.s.RunUntil(deadline.In(0))
			return task
		},
		"waits for the phase before draw": func(w *world) why {
			w.s.RunPhase(scheduler.BeforeDraw)
			h := w.s.Once(scheduler.BeforeDraw, nop)
			w.drain()
			return h
		},
		"delayed for another 1h0m0s": func(w *world) why {
			h := w.s.After(0, time.Hour, nop)
			w.drain()
			return h
		},
		"no slice has begun": func(w *world) why {
			h := w.s.Post(0, nop)
			w.s.RunPhase(scheduler.BeforeDraw)
			return h
		},
		"does not fit: expected to take 5ms, the slice had 2ms left": func(w *world) why {
			costing(w, "first", 1, ms)
			big := costing(w, "big", 0, 5*ms)
			w.frame(3 * ms)
			return big
		},
		"does not fit (5ms); runs first in the next frame": func(w *world) why {
			big := costing(w, "big", 0, 5*ms)
			for range 3 {
				costing(w, "first", 1, ms)
				w.frame(3 * ms)
			}
			return big
		},
		"does not fit (5ms); more urgent work may go first in the next 2 frames": func(w *world) why {
			costing(w, "big", 0, 5*ms)
			big := costing(w, "big", 0, 5*ms)
			for range 5 {
				costing(w, "urgent", 1, ms)
				w.frame(2 * ms)
			}
			return big
		},
		"overdue work has used its share of the slice": func(w *world) why {
			costing(w, "late", 0, ms)
			costing(w, "late", 0, ms)
			last := costing(w, "late", 0, ms)
			w.s.RunPhase(scheduler.BeforeDraw) // reads the inbox
			time.Sleep(time.Minute)
			costing(w, "fresh", 0, ms)
			w.frame(3 * ms)
			return last
		},
		"a draw was requested": func(w *world) why {
			w.s.Post(1, w.s.RequestDraw)
			h := w.s.Post(0, nop)
			w.drain()
			return h
		},
		"the host wants the frame back": func(w *world) why {
			var stop atomic.Bool
			w.s.StopOn(&stop)
			w.s.Post(1, func() { stop.Store(true) })
			h := w.s.Post(0, nop)
			w.drain()
			return h
		},
		"one of 3 that are ready; first is second (user-blocking)": func(w *world) why {
			costing(w, "first", 1, 3*ms)
			costing(w, "second", 1, ms)
			costing(w, "third", 0, ms)
			last := costing(w, "last", -1, ms)
			w.frame(3 * ms)
			return last
		},
		"is next: the slice of this frame has not begun": func(w *world) why {
			task := w.s.Go(0, func(co *scheduler.Co) { co.NextFrame() })
			w.s.BeginFrame(deadline.Now())
			w.drain()
			w.s.BeginFrame(deadline.Now())
			return task
		},
		"is next: the slice has ended": func(w *world) why {
			costing(w, "first", 1, 3*ms)
			last := costing(w, "last", 0, ms)
			w.frame(3 * ms)
			return last
		},
	} {
		inWorld(t, scheduler.Options{OnPanic: func(*scheduler.PanicError) {}}, func(w *world) {
			if got := f(w).Why(); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

// What a task in the same slice is told.
func TestWhyWithinATask(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		g := w.s.NewGroup("g")
		waits := func(co *scheduler.Co) { co.NextFrame() }
		unwinds, member := w.s.Go(0, waits), g.Go(0, waits)
		w.drain()
		var self scheduler.Handle
		self = w.s.Post(1, func() {
			l.say("%s;", self.Why())
			unwinds.Cancel()
			l.say("%s;", unwinds.Why())
			g.Cancel()
			l.say("%s;", member.Why())
			w.s.Close()
			l.say("%s", strings.TrimPrefix(member.Why(), "the scheduler "))
		})
		w.drain()
		l.want(t, "running; canceled, and runs its deferred calls next; its group g is canceled; is about to close")
	})
}

// gate is an Awaitable with a name.
type gate struct{ silence }

func (gate) String() string { return "the gate" }
