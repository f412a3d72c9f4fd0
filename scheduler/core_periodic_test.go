package scheduler_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

func TestMissedTicks(t *testing.T) {
	for _, tc := range []struct {
		name    string
		catchUp int
		missed  uint64
		want    string
	}{
		// The tick of 4 runs at 15; those of 8 and 12 have passed.
		{"skipped", 0, 2, `
			slice |=              ==   =   =   =
			tick  |#              ##   #   #   #
		`},
		// That of 12 is made up for at 16, when the one of 16 is due.
		{"one made up for", 1, 1, `
			slice |=              ===  =   =   =
			tick  |#              ###  #   #   #
		`},
		{"all made up for", 9, 0, `
			slice |=              ==== =   =   =
			tick  |#              #### #   #   #
		`},
	} {
		inWorld(t, scheduler.Options{}, func(w *world) {
			task := &scheduler.Task{Func: w.work("tick", ms), Period: 4 * ms, CatchUp: tc.catchUp}
			w.s.Submit(task)
			slice := func() {
				from := time.Now()
				w.drain()
				w.mark(w.slice, from, '=')
			}
			slice()
			time.Sleep(15*ms - time.Since(w.base))
			slice()
			for {
				at, ok := w.s.Next()
				if !ok {
					t.Fatal("no next tick")
				}
				if time.Since(w.base)+at.Sub(deadline.Now()) > 31*ms {
					break
				}
				time.Sleep(at.Sub(deadline.Now()))
				slice()
			}
			if got := task.Missed(); got != tc.missed {
				t.Errorf("%s: %d missed, want %d", tc.name, got, tc.missed)
			}
			w.want(tc.want)
		})
	}
}

// A task that takes longer than its period runs as often as it can, and its backlog is bounded.
func TestPeriodShorterThanTheRun(t *testing.T) {
	for catchUp, want := range []uint64{27, 26, 25} {
		inWorld(t, scheduler.Options{}, func(w *world) {
			runs := 0
			task := &scheduler.Task{Period: 4 * ms, CatchUp: catchUp}
			task.Func = func() {
				time.Sleep(10 * ms)
				if runs++; runs == 20 {
					task.Period = 0 // ends in order
				}
			}
			w.s.Submit(task)
			w.drain()
			if got := task.Missed(); runs != 20 || got != want || task.State() != scheduler.Done || task.Err() != nil {
				t.Errorf("catching up with %d: %d runs, %d missed, want %d; %v", catchUp, runs, got, want, task.State())
			}
		})
	}
}

// A jump of the clock that the host reports moves the grid: nothing is missed, nothing made up for.
func TestShiftMovesThePeriods(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		task := &scheduler.Task{Func: w.work("tick", ms), Period: 8 * ms, CatchUp: 100}
		w.s.Submit(task)
		w.s.WhenIdle(12*ms, func(it scheduler.IdleTime) {
			if it.TimedOut() {
				t.Error("the timeout of an idle callback did not shift")
			}
		})
		w.s.Post(deadline.Normal, func() {})
		w.s.RunUntil(deadline.In(ms))
		time.Sleep(20*ms - time.Since(w.base))
		w.s.Shift(20 * ms)
		for range 3 {
			w.frame(4 * ms)
		}
		w.want(`
			slice |                            =       =
			tick  |#                           #       #
		`)
		if task.Missed() != 0 {
			t.Error("missed", task.Missed())
		}
	})
}

func TestPeriodicTaskEnds(t *testing.T) {
	reports := 0
	inWorld(t, scheduler.Options{OnPanic: func(*scheduler.PanicError) { reports++ }}, func(w *world) {
		var l log
		var self *scheduler.Task
		self = w.s.Every(deadline.Normal, ms, func() {
			l.add("self")()
			if !self.Cancel() {
				t.Error("a periodic task cannot cancel itself")
			}
		})
		fails := w.s.Every(deadline.Normal, ms, func() { l.add("fails")(); panic("boom") })
		again := &scheduler.Task{Period: 2 * ms, Delay: 5 * ms}
		again.Func = func() {
			l.add("again")()
			if again.Delay > 0 {
				again.Delay = 0
				w.s.Submit(again) // a new series, from now on
			}
		}
		w.s.Submit(again)
		for range 3 {
			w.drain()
			time.Sleep(3 * ms)
		}
		l.want(t, "self fails again again")
		if self.State() != scheduler.Canceled || fails.State() != scheduler.Failed || reports != 1 {
			t.Error(self.State(), fails.State(), reports)
		}
		again.SetPriority(deadline.Low)
		w.drain()
		if again.State() != scheduler.Queued {
			t.Error("again is", again.State())
		}
	})
}
