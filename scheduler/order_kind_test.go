package scheduler_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// giveSteps gives s n steps of one kind. Each calls step.
var giveSteps = map[string]func(s *scheduler.Scheduler, n int, step func()){
	"coroutine": func(s *scheduler.Scheduler, n int, step func()) {
		s.Go(deadline.Normal, func(co *scheduler.Co) {
			for range n {
				step()
				co.Yield()
			}
		})
	},
	"post": func(s *scheduler.Scheduler, n int, step func()) {
		for range n {
			s.Post(deadline.Normal, step)
		}
	},
	"submit": func(s *scheduler.Scheduler, n int, step func()) {
		for range n {
			s.Submit(&scheduler.Task{Label: "step", Func: step})
		}
	},
}

// driveKind runs frames with slices of 12 ms until done, and returns how many ended with time for ten cheap steps in
// which no dear step ran, and how many ended late.
func driveKind(
	s *scheduler.Scheduler, now *deadline.Instant, cheap time.Duration, dear *int, done func() bool,
) (lost, late int) {
	for range 5000 {
		if done() {
			break
		}
		end, before := now.Add(12*ms), *dear
		s.BeginFrame(*now)
		s.RunUntil(deadline.At(end))
		switch {
		case *now > end:
			late++
		case !done() && *dear == before && end.Sub(*now) >= 10*cheap:
			lost++
		}
		*now = max(*now, end).Add(4 * ms)
	}
	return lost, late
}

// Dear runs among cheap ones of the same kind keep the others waiting for at most three frames each.
func TestAnOutlierCostsAtMostThreeFrames(t *testing.T) {
	const runs = 1000
	outliers := [][]int{{1}, {2}, {10}, {100}, {400}, {1, 2}, {1, 3}, {1, 2, 3}, {1, 20}, {50, 51}, {100, 101, 102},
		{1, 2, 40, 80, 120, 160}}
	for name, give := range giveSteps {
		for _, cheap := range []time.Duration{10 * time.Microsecond, 200 * time.Microsecond, ms} {
			for _, at := range outliers {
				for _, times := range []int{2, 5, 10, 30, 50, 100, 118, 2370} {
					s, now := virtual(t, scheduler.Options{})
					ran, dear := 0, 0
					give(s, runs, func() {
						ran++
						d := cheap
						if slices.Contains(at, ran) {
							d *= time.Duration(times)
							dear++
						}
						*now = now.Add(d)
					})
					lost, _ := driveKind(s, now, cheap, &dear, func() bool { return ran == runs })
					if lost > 3*len(at) || ran < runs {
						t.Errorf("%s of %v, %d times as much in runs %v: %d frames lost, %d steps ran",
							name, cheap, times, at, lost, ran)
					}
				}
			}
		}
	}
}

// A kind that has become dear, for the first time or again, overruns in at most three frames before that is known.
func TestADearKindIsKnownWithinThreeFrames(t *testing.T) {
	for name, give := range giveSteps {
		for _, dear := range []time.Duration{5 * ms, 7 * ms, 11 * ms} {
			for _, cheapRuns := range []int{2, 20, 100, 400} {
				s, now := virtual(t, scheduler.Options{})
				none, late := 0, ""
				for range 3 {
					for _, run := range []struct {
						n    int
						cost time.Duration
					}{{cheapRuns, 200 * time.Microsecond}, {30, dear}} {
						ran := 0
						give(s, run.n, func() { ran++; *now = now.Add(run.cost) })
						_, n := driveKind(s, now, run.cost, &none, func() bool { return ran == run.n })
						late += fmt.Sprint(" ", n)
						if n > 3 {
							t.Errorf("%s, %d of 0.2 ms, then 30 of %v, and again: frames that were late:%s",
								name, cheapRuns, dear, late)
						}
					}
				}
			}
		}
	}
}

// What is dear now and then is expected to be dear, though it keeps cheap work of its kind waiting at times. 34
// frames are late. If one such frame were enough to forget, 90 would be.
func TestANowAndThenDearKindStaysDear(t *testing.T) {
	s, now := virtual(t, scheduler.Options{})
	const runs = 6000
	rng := rand.New(rand.NewPCG(1, 1))
	ran, none := 0, 0
	giveSteps["post"](s, runs, func() {
		ran++
		d := ms
		if rng.IntN(10) == 0 {
			d = 6 * ms
		}
		*now = now.Add(d)
	})
	_, late := driveKind(s, now, ms, &none, func() bool { return ran == runs })
	if late > 50 {
		t.Errorf("%d frames were late, although every tenth run takes 6 ms", late)
	}
}

// What fits: costs that are known or learned, and how long a misfit is patient.

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
