package scheduler_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// The worst task that was longer than its slice is told of: what it took, whether that was expected or not.
func TestTheOffenderIsTheWorst(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		after := func(label string, d time.Duration, want scheduler.Offender) {
			t.Helper()
			w.s.Submit(&scheduler.Task{Label: label, Func: func() { time.Sleep(d) }})
			w.frame(4 * ms)
			if got := w.s.Stats().Offender; got != want {
				t.Errorf("after %s of %v: %+v, want %+v", label, d, got, want)
			}
		}
		after("fits", 3*ms, scheduler.Offender{})
		after("fits just", 4*ms, scheduler.Offender{})
		long := scheduler.Offender{Label: "long", Cost: 2 * time.Second}
		after("long", 5*ms, scheduler.Offender{Label: "long", Cost: 5 * ms}) // the first of its kind
		after("long", 2*time.Second, long)
		after("long", time.Second, long)
		after("less", 900*ms, long)
		after("more", 3*time.Second, scheduler.Offender{Label: "more", Cost: 3 * time.Second})
	})
}

// A task is too long for its own slice, and for as long as it could not be stopped.
func TestTheOffenderIsLongerThanItsSlice(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(w *world)
		want time.Duration
	}{
		"a slice without a deadline": {func(w *world) {
			w.s.Post(deadline.Normal, w.work("long", time.Second))
			w.drain()
		}, 0},
		"a slice without time": {func(w *world) {
			w.s.Post(deadline.Normal, w.work("short", ms))
			w.s.RunUntil(deadline.In(0))
		}, 0},
		"the rest of a slice": {func(w *world) {
			for range 2 {
				w.s.Post(deadline.Normal, w.work("half", 3*ms))
			}
			w.frame(4 * ms)
		}, 0},
		"a task that asks": {func(w *world) {
			w.s.Post(deadline.Normal, func() {
				for !w.s.ShouldYield() {
					time.Sleep(3 * ms)
				}
			})
			if r := w.frame(4 * ms); r.Used != 6*ms {
				w.t.Errorf("it took %v", r.Used)
			}
		}, 0},
		"a task that does not listen": {func(w *world) {
			w.s.Post(deadline.Normal, func() {
				for range 9 {
					time.Sleep(ms)
					w.s.ShouldYield()
				}
			})
			w.frame(4 * ms)
		}, 6 * ms}, // since it was last told to go on
		"a task that asks too late": {func(w *world) {
			w.s.Post(deadline.Normal, func() {
				time.Sleep(ms)
				w.s.ShouldYield()
				time.Sleep(5 * ms)
				w.s.ShouldYield()
			})
			w.frame(4 * ms)
		}, 5 * ms},
		"a run of a coroutine": {func(w *world) {
			w.s.Go(deadline.Normal, func(co *scheduler.Co) {
				for range 3 {
					time.Sleep(5 * ms)
					co.Yield()
				}
			})
			for range 4 {
				w.frame(4 * ms)
			}
		}, 5 * ms},
		"the last task of a slice": {func(w *world) {
			w.s.Post(deadline.Normal, w.work("short", ms))
			w.s.Post(deadline.Normal, w.work("long", 6*ms))
			w.frame(4 * ms)
		}, 6 * ms},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, scheduler.Options{}, func(w *world) {
				c.do(w)
				o := w.s.Stats().Offender
				if o.Cost != c.want || (o.Label == "") != (c.want == 0) {
					t.Errorf("%+v, want a cost of %v", o, c.want)
				}
			})
		})
	}
}
