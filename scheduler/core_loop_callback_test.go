package scheduler_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

// failures are the two ways to fail.
var failures = map[string]func(){
	"panic":  func() { panic("boom") },
	"goexit": func() { runtime.Goexit() },
}

// callbacks are all the ways in which a function may be run by the scheduler. Each of them fails once.
var callbacks = map[string]func(w *world, fail func()){
	"Post": func(w *world, fail func()) { w.s.Post(deadline.Normal, fail) },
	"Func": func(w *world, fail func()) { w.s.Submit(&scheduler.Task{Func: fail}) },
	"Delay": func(w *world, fail func()) {
		w.s.Submit(&scheduler.Task{Func: fail, Delay: ms})
	},
	"Step": func(w *world, fail func()) {
		n := 0
		w.s.Submit(&scheduler.Task{Step: func() bool {
			if n++; n == 2 {
				fail()
			}
			return n < 4
		}})
	},
	"Every": func(w *world, fail func()) { w.s.Every(deadline.Normal, ms, fail) },
	"Go":    func(w *world, fail func()) { w.s.Go(deadline.Normal, func(*scheduler.Co) { fail() }) },
	"Yield": func(w *world, fail func()) {
		w.s.Go(deadline.Normal, func(co *scheduler.Co) { co.Yield(); fail() })
	},
	"Sleep": func(w *world, fail func()) {
		w.s.Go(deadline.Normal, func(co *scheduler.Co) { co.Sleep(ms); fail() })
	},
	"NextFrame": func(w *world, fail func()) {
		w.s.Go(deadline.Normal, func(co *scheduler.Co) { co.NextFrame(); fail() })
	},
	"AfterDraw": func(w *world, fail func()) {
		w.s.Go(deadline.Normal, func(co *scheduler.Co) { co.AfterDraw(); fail() })
	},
	"defer while unwinding": func(w *world, fail func()) {
		var task *scheduler.Task
		task = w.s.Go(deadline.Normal, func(co *scheduler.Co) {
			defer fail()
			w.s.Post(deadline.Normal, func() { task.Cancel() })
			co.Sleep(time.Hour)
		})
	},
	"WhenIdle": func(w *world, fail func()) { w.s.WhenIdle(0, func(deadline.Deadline, bool) { fail() }) },
	"Once":     func(w *world, fail func()) { w.s.Once(scheduler.BeforeDraw, fail) },
	"Each":     func(w *world, fail func()) { w.s.Each(scheduler.AfterDraw, fail) },
	"Microtask": func(w *world, fail func()) {
		w.s.Post(deadline.Normal, func() { w.s.Microtask(fail) })
	},
	"Microtask of a callback": func(w *world, fail func()) {
		w.s.Once(scheduler.BeforeUpdate, func() { w.s.Microtask(fail) })
	},
	"Group": func(w *world, fail func()) { w.s.NewGroup("g").Post(deadline.Normal, fail) },
	"Bound": func(w *world, fail func()) {
		_ = flow.NewBound(w.s, 0).Post(deadline.Normal, fail)
	},
	"Latest": func(w *world, fail func()) {
		_ = flow.NewLatest(w.s, deadline.Normal, func(int, int) { fail() }).Post(1, 1)
	},
	"Debounce": func(w *world, fail func()) {
		flow.NewDebounce(w.s, deadline.Normal, ms, fail).Call()
	},
	"Throttle": func(w *world, fail func()) {
		flow.NewThrottle(w.s, deadline.Normal, ms, fail).Call()
	},
	"RateLimit": func(w *world, fail func()) {
		_, _ = (&flow.RateLimit{Scheduler: w.s}).Post(deadline.Normal, fail)
	},
	"Notify of an Awaitable": func(w *world, fail func()) {
		w.s.Go(deadline.Normal, func(co *scheduler.Co) { _, _ = scheduler.Await[int](co, badAwaitable{notify: fail}) })
	},
	"Result of an Awaitable": func(w *world, fail func()) {
		w.s.Go(deadline.Normal, func(co *scheduler.Co) { _, _ = scheduler.Await[int](co, badAwaitable{result: fail}) })
	},
}

// badAwaitable is finished, and fails where it is told to.
type badAwaitable struct{ notify, result func() }

func (b badAwaitable) Notify(f func()) {
	if b.notify != nil {
		b.notify()
	}
	f()
}

func (b badAwaitable) Result() (int, error) {
	if b.result != nil {
		b.result()
	}
	return 0, nil
}

func TestFaultsInEveryKindOfCallback(t *testing.T) {
	for fault, fail := range failures {
		for name, start := range callbacks {
			t.Run(fault+" in "+name, func(t *testing.T) {
				var reports []*scheduler.PanicError
				o := scheduler.Options{OnPanic: func(e *scheduler.PanicError) { reports = append(reports, e) }}
				inWorld(t, o, func(w *world) {
					var l log
					failed := 0
					start(w, func() { failed++; fail() })
					w.s.Once(scheduler.AfterDraw, l.add("callback"))
					w.s.Post(deadline.Normal, l.add("peer"))
					for range 4 {
						w.draw()
						w.s.RunUntil(deadline.In(4 * ms))
						time.Sleep(8 * ms)
					}
					w.s.Post(deadline.Low, l.add("later"))
					w.drain()
					l.want(t, "callback peer later")
					eq(t, "failures", failed, 1)
					eq(t, "Stats.Failed", w.s.Stats().Failed, 1)
					if len(reports) != 1 {
						t.Fatalf("%d reports, want 1", len(reports))
					}
					if fault == "goexit" {
						eq(t, "the report is ErrGoexit", errors.Is(reports[0], scheduler.ErrGoexit), true)
						return
					}
					eq(t, "value", reports[0].Value, any("boom"))
					if stack := string(reports[0].Stack); !strings.Contains(stack, "core_loop_callback_test.go") {
						t.Errorf("the stack does not show where it happened:\n%s", stack)
					}
				})
			})
		}
	}
}

//go:noinline
func culprit() { panic("boom") }

//go:noinline
func deserter() { runtime.Goexit() }
