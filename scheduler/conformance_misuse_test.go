package scheduler_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// Bad arguments: one clear panic in the caller, and nothing is lost or half done.

func TestMisuseOfArguments(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		g := w.s.NewGroup("g")
		task := func() *scheduler.Task { return &scheduler.Task{Func: func() {}} }
		var unfit scheduler.Current
		for name, f := range map[string]func(){
			"Post nil":            func() { w.s.Post(deadline.Normal, nil) },
			"Post priority":       func() { w.s.Post(deadline.Priority(3), func() {}) },
			"Post priority below": func() { w.s.Post(deadline.Priority(-3), func() {}) },
			"Post priority min":   func() { w.s.Post(deadline.Priority(math.MinInt8), func() {}) },
			"Go nil":              func() { w.s.Go(deadline.Normal, nil) },
			"Go priority":         func() { w.s.Go(99, func(*scheduler.Co) {}) },
			"Submit nil":          func() { w.s.Submit(nil) },
			"Submit empty":        func() { w.s.Submit(&scheduler.Task{}) },
			"Submit two functions": func() {
				w.s.Submit(&scheduler.Task{Func: func() {}, Step: func() bool { return false }})
			},
			"Submit priority": func() { w.s.Submit(&scheduler.Task{Func: func() {}, Priority: 7}) },
			"Submit Step with a Period": func() {
				w.s.Submit(&scheduler.Task{Step: func() bool { return false }, Period: ms})
			},
			"Submit Step with a CatchUp": func() {
				w.s.Submit(&scheduler.Task{Step: func() bool { return false }, CatchUp: 1})
			},
			"Submit Idle with a CatchUp": func() {
				w.s.Submit(&scheduler.Task{Idle: func(scheduler.IdleTime) {}, CatchUp: 1})
			},
			"Submit Idle with a Delay": func() {
				w.s.Submit(&scheduler.Task{Idle: func(scheduler.IdleTime) {}, Delay: ms})
			},
			"After nil":           func() { w.s.After(deadline.Normal, ms, nil) },
			"After priority":      func() { w.s.After(9, ms, func() {}) },
			"Group After nil":     func() { g.After(deadline.Normal, ms, nil) },
			"Every nil":           func() { w.s.Every(deadline.Normal, ms, nil) },
			"Every zero":          func() { w.s.Every(deadline.Normal, 0, func() {}) },
			"Every negative":      func() { w.s.Every(deadline.Normal, -ms, func() {}) },
			"WhenIdle nil":        func() { w.s.WhenIdle(0, nil) },
			"Once nil":            func() { w.s.Once(scheduler.BeforeDraw, nil) },
			"Once phase":          func() { w.s.Once(99, func() {}) },
			"Each nil":            func() { w.s.Each(scheduler.BeforeDraw, nil) },
			"RunPhase":            func() { w.s.RunPhase(99) },
			"Microtask nil":       func() { w.s.Microtask(nil) },
			"Group Post nil":      func() { g.Post(deadline.Normal, nil) },
			"Group Go priority":   func() { g.Go(-5, func(*scheduler.Co) {}) },
			"Group SetPriority":   func() { g.SetPriority(5) },
			"Group Submit nil":    func() { g.Submit(nil) },
			"SetPriority":         func() { task().SetPriority(42) },
			"Handle SetPriority":  func() { w.s.Post(deadline.Normal, func() {}).SetPriority(42) },
			"Current without one": func() { unfit.Post(func() {}) },
			"Call nil":            func() { scheduler.Call[int](w.s, deadline.Normal, nil) },
			"Result too early": func() {
				c := scheduler.Call(w.s, deadline.Normal, func(*scheduler.Co) (int, error) { return 0, nil })
				_, _ = c.Result()
			},
		} {
			if text := panics(f); !strings.HasPrefix(text, "scheduler: ") {
				t.Errorf("%s: panic %q, want one that begins with \"scheduler: \"", name, text)
			}
		}
		w.drain()
		ran := false
		w.s.Post(deadline.Normal, func() { ran = true })
		w.drain()
		eq(t, "the scheduler still runs tasks", ran, true)
		eq(t, "failed", w.s.Stats().Failed, 0)
	})
}

// Durations out of all proportion: nothing overflows, nothing panics, what is ready runs.
func TestMisuseOfDurations(t *testing.T) {
	const longest, shortest = time.Duration(math.MaxInt64), time.Duration(math.MinInt64)
	inWorld(t, scheduler.Options{Events: 10}, func(w *world) {
		var l log
		for _, d := range []time.Duration{longest, longest - 1, 1 << 62} {
			never := w.submit(deadline.Normal, d, l.add("never"))
			w.s.Submit(&scheduler.Task{Func: l.add("late"), Priority: deadline.Low, Timeout: d})
			w.drain()
			if at, ok := w.s.Next(); ok && at.Sub(deadline.Now()) < 70*365*24*time.Hour {
				t.Errorf("delay %d: Next is in %v", d, at.Sub(deadline.Now()))
			}
			eq(t, "state", never.State(), scheduler.Queued)
			never.Cancel()
			l.want(t, "late")
		}
		w.submit(deadline.Normal, shortest, l.add("delay"))
		w.s.Submit(&scheduler.Task{Func: l.add("timeout"), Timeout: shortest})
		w.s.Submit(&scheduler.Task{Func: l.add("cost"), Cost: longest})
		w.s.Submit(&scheduler.Task{Func: l.add("costs"), Cost: shortest})
		w.s.RunUntil(deadline.In(shortest))
		w.drain()
		l.want(t, "timeout delay cost costs")

		every := w.s.Every(deadline.Normal, longest, l.add("never"))
		fast := &scheduler.Task{Func: l.add("tick"), Period: 1, CatchUp: math.MinInt}
		w.s.Submit(fast)
		time.Sleep(time.Second)
		w.s.RunUntil(deadline.In(0))
		every.Cancel()
		fast.Cancel()
		l.want(t, "tick")

		w.s.WhenIdle(longest, func(scheduler.IdleTime) { l.say("idle") })
		w.s.WhenIdle(shortest, func(scheduler.IdleTime) { l.say("idle") })
		w.s.RunUntil(deadline.In(longest))
		l.want(t, "idle idle")

		task := w.s.Go(deadline.Normal, func(co *scheduler.Co) {
			co.Sleep(shortest)
			l.say("slept")
			co.Sleep(longest)
			l.say("never")
		})
		w.drain()
		time.Sleep(1000 * time.Hour)
		w.drain()
		l.want(t, "slept")
		eq(t, "state", task.State() == scheduler.Suspended || task.State() == scheduler.Queued, true)
	})
}

func TestMisuseByReentrance(t *testing.T) {
	var errs log
	o := scheduler.Options{OnPanic: func(e *scheduler.PanicError) { errs.say("%v", e.Value) }}
	for name, call := range map[string]func(s *scheduler.Scheduler){
		"RunUntil":   func(s *scheduler.Scheduler) { s.RunUntil(deadline.Deadline{}) },
		"BeginFrame": func(s *scheduler.Scheduler) { s.BeginFrame(deadline.Now()) },
		"RunPhase":   func(s *scheduler.Scheduler) { s.RunPhase(scheduler.BeforeDraw) },
	} {
		inWorld(t, o, func(w *world) {
			in := func() {
				if text := panics(func() { call(w.s) }); !strings.HasPrefix(text, "scheduler: ") {
					t.Errorf("%s: panic %q", name, text)
				}
			}
			var l log
			w.s.Post(deadline.Normal, func() { in(); l.say("func") })
			w.s.Go(deadline.Normal, func(co *scheduler.Co) { in(); co.Yield(); in(); l.say("co") })
			w.s.Once(scheduler.BeforeDraw, func() { in(); w.s.Microtask(in); l.say("once") })
			w.s.WhenIdle(0, func(scheduler.IdleTime) { in(); l.say("idle") })
			w.draw()
			w.s.RunUntil(deadline.In(ms))
			l.want(t, "once func co idle")
			errs.want(t, "")
		})
	}
}

// A Co outside its function, and waits that make no sense.
func TestMisuseOfCo(t *testing.T) {
	inWorld(t, scheduler.Options{OnPanic: func(*scheduler.PanicError) {}}, func(w *world) {
		var kept *scheduler.Co
		w.s.Go(deadline.Normal, func(co *scheduler.Co) { kept = co })
		w.drain()
		for name, f := range map[string]func(){
			"Yield": func() { kept.Yield() }, "Sleep": func() { kept.Sleep(ms) },
			"NextFrame": func() { kept.NextFrame() }, "AfterDraw": func() { kept.AfterDraw() },
			"Wait": func() { _ = kept.Wait(&scheduler.Task{}) },
		} {
			if text := panics(f); !strings.HasPrefix(text, "scheduler: ") {
				t.Errorf("%s after the end: panic %q", name, text)
			}
		}
		var l log
		var self *scheduler.Task
		self = w.s.Go(deadline.Normal, func(co *scheduler.Co) {
			l.say("%v", co.Wait(&scheduler.Task{})) // was never submitted
			eq(t, "nil", panics(func() { _ = co.Wait(nil) }), "scheduler: Wait for nil")
			eq(t, "no scheduler", panics(func() {
				scheduler.CallIn(scheduler.Current{}, func(*scheduler.Co) (int, error) { return 0, nil })
			}), "scheduler: a Current without a Scheduler")
			text := panics(func() { _ = co.Wait(self) })
			l.say("%v", strings.HasPrefix(text, "scheduler: "))
		})
		w.drain()
		w.drain()
		l.want(t, "<nil> true")
		eq(t, "state", self.State(), scheduler.Done)
	})
}
