package scheduler_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// What fits: costs that are known or learned, and how long a misfit is patient.

func TestATaskStartsOnlyIfItFits(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		w.costs("small", deadline.UserBlocking, 2*ms)
		w.costs("big", deadline.Normal, 3*ms)
		w.costs("tiny", deadline.Low, ms)
		r := w.frame(4 * ms)
		if r.Deferred != 1 || r.Ready != 1 || r.Worst.Label != "small" || r.Worst.Cost != 2*ms {
			t.Errorf("%+v, want 1 deferred and ready", r)
		}
		w.frame(4 * ms)
		w.want(`
			slice |===     ===
			small |##
			big   |        ###
			tiny  |  #
			`)
	})
}

// The short straw: a task that needs most of the slice is never first, so it would never fit.
func TestATaskThatNeverFitsRunsFirstAfterThreeFrames(t *testing.T) {
	for patience, want := range map[int]int{0: 3, 1: 1, 5: 5, -1: 1} {
		inWorld(t, scheduler.Options{Patience: patience}, func(w *world) {
			ran := -1
			w.s.Submit(&scheduler.Task{Label: "big", Priority: deadline.Idle, Cost: 6 * ms, Func: func() {
				time.Sleep(6 * ms)
				ran = 1
			}})
			frame := 0
			for ; frame < 20; frame++ {
				for range 2 {
					w.costs("small", deadline.Normal, ms)
				}
				r := w.frame(4 * ms)
				if ran == 1 {
					if r.TooBig != 1 || r.Worst.Label != "big" || r.Worst.Cost != 6*ms {
						t.Errorf("%+v, want it reported as too big", r)
					}
					break
				}
				if r.TooBig != 0 || r.Deferred != 1 {
					t.Errorf("frame %d: %+v, want 1 deferred", frame, r)
				}
			}
			if frame != want {
				t.Errorf("patience %d: ran in frame %d, want %d", patience, frame, want)
			}
		})
	}
}

func TestPatienceIsPerFrameNotPerSlice(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		ran := false
		w.s.Submit(&scheduler.Task{Priority: deadline.Low, Cost: 6 * ms, Func: func() { ran = true }})
		for range 3 {
			w.s.BeginFrame(deadline.Now())
			for range 4 {
				w.s.Post(deadline.Normal, func() {})
				w.s.RunUntil(deadline.In(4 * ms))
			}
		}
		if ran {
			t.Error("it ran before three frames had passed")
		}
		w.s.BeginFrame(deadline.Now())
		w.s.RunUntil(deadline.In(4 * ms))
		if !ran {
			t.Error("it did not run in the fourth frame")
		}
	})
}

func TestAnOverdueTaskThatDoesNotFitRunsFirstInAFreshSlice(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		for range 2 {
			w.s.Submit(&scheduler.Task{Label: "big", Delay: 1, Cost: 20 * ms, Func: w.work("big", 20*ms)})
		}
		w.drain()
		time.Sleep(6 * time.Second)
		for range 3 {
			r := w.frame(4 * ms)
			if r.Ran != min(1, r.TooBig) || r.Expired != r.Ran {
				t.Errorf("%+v, want one overdue task in each slice", r)
			}
		}
		if st := w.s.Stats(); st.TooBig != 2 || st.Ran != 2 {
			t.Errorf("%+v, want 2 too big", st)
		}
	})
}

func TestCostsAreLearned(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		big := func() { time.Sleep(3 * ms) }
		small := func() { time.Sleep(500 * time.Microsecond) }
		for range 4 { // optimistic at first
			w.s.Post(deadline.Normal, big)
			w.s.Post(deadline.Normal, small)
			w.drain()
		}
		if n := scheduler.Kinds(w.s); n != 2 {
			t.Fatalf("%d kinds, want 2", n)
		}
		w.s.Post(deadline.UserBlocking, small)
		w.s.Post(deadline.Normal, big)
		w.s.Post(deadline.Low, small)
		r := w.s.RunUntil(deadline.In(3 * ms))
		if r.Ran != 2 || r.Deferred != 1 || r.Used != ms {
			t.Errorf("%+v, want the two small ones", r)
		}
		// An outlier is not the kind's fault.
		w.s.Submit(&scheduler.Task{Label: "k", Func: func() { time.Sleep(time.Second) }})
		w.drain()
		for range 40 {
			w.s.Submit(&scheduler.Task{Label: "k", Func: func() { time.Sleep(100 * time.Microsecond) }})
		}
		w.drain()
		w.s.Submit(&scheduler.Task{Label: "k", Func: func() {}})
		if r := w.s.RunUntil(deadline.In(ms)); r.Ran != 1 || r.Deferred != 0 {
			t.Errorf("%+v: one outlier bans the kind", r)
		}
	})
}

func TestKindsAreBounded(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		for i := range 3 * scheduler.KindLimit {
			w.s.Submit(&scheduler.Task{Label: fmt.Sprint("texture ", i), Func: func() { time.Sleep(ms) }})
		}
		w.drain()
		if n := scheduler.Kinds(w.s); n == 0 || n > scheduler.KindLimit {
			t.Errorf("%d kinds, want some, and at most %d", n, scheduler.KindLimit)
		}
	})
}

// What always takes a millisecond fits five times into five, when that has been learned.
func TestASliceIsFilledToItsEnd(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		ran := 0
		for range 50 {
			w.s.Post(deadline.Normal, func() { time.Sleep(ms); ran++ })
		}
		for slice := 1; slice <= 10; slice++ {
			w.frame(5 * ms)
			if ran != 5*slice {
				t.Fatalf("%d tasks in %d slices", ran, slice)
			}
		}
	})
}
