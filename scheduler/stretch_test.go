package scheduler_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/scheduler"
)

// What is learned of a task that asks ShouldYield is how long it does not ask: it fits where that fits.

// asking returns a task of many pieces of work, in the form that how names, that continues for as long as it may.
func (w *world) asking(how string, piece time.Duration) *scheduler.Task {
	r := w.row(how)
	switch how {
	case "step":
		return &scheduler.Task{Step: func() bool {
			for !w.s.ShouldYield() {
				w.spend(r, piece)
			}
			return true
		}}
	case "co":
		return &scheduler.Task{Co: func(co *scheduler.Co) {
			for {
				for !co.ShouldYield() {
					w.spend(r, piece)
				}
				co.Yield()
			}
		}}
	}
	t := &scheduler.Task{}
	t.Func = func() {
		for !w.s.ShouldYield() {
			w.spend(r, piece)
		}
		w.s.Submit(t)
	}
	return t
}

// Its long runs in the first three frames do not keep it from the end of the short slices that follow.
func TestATaskThatAsksFillsWhatIsLeftOfASlice(t *testing.T) {
	for _, how := range []string{"step", "co", "function"} {
		inWorld(t, scheduler.Options{}, func(w *world) {
			w.s.Submit(w.asking(how, ms))
			for range 3 {
				w.frame(12 * ms)
			}
			for i := range 12 {
				w.s.Post(deadline.UserBlocking, w.work("other", 3*ms))
				at := time.Now()
				if r := w.frame(6 * ms); r.Deferred > 0 || time.Since(at) < 6*ms || r.Ran < 2 {
					t.Fatalf("%s, frame %d: %+v after %v\n%v", how, i, r, time.Since(at), w)
				}
			}
		})
	}
}

// The longest stretch counts, wherever it is in the run. It begins with the last no: what a task does after a yes
// belongs to it, as nobody can stop it meanwhile.
func TestATaskFitsWhereItsLongestStretchDoes(t *testing.T) {
	for _, tc := range []struct {
		name               string
		first, again, then time.Duration // before it asks first, before it asks again, after a yes
		fits               time.Duration // the least slice into which it fits
	}{
		{"asks and stops", 0, ms, 0, ms},
		{"asks, and continues", 0, ms, 5 * ms, 6 * ms},
		{"asks rarely", 0, 4 * ms, 0, 4 * ms},
		{"asks late", 3 * ms, ms, 0, 3 * ms},
	} {
		for slice := ms; slice <= 8*ms; slice += ms {
			inWorld(t, scheduler.Options{}, func(w *world) {
				scheduler.SetPatience(w.s, 100)
				task := &scheduler.Task{Label: "asks", Step: func() bool {
					time.Sleep(tc.first)
					for !w.s.ShouldYield() {
						time.Sleep(tc.again)
					}
					time.Sleep(tc.then)
					return true
				}}
				w.s.Submit(task)
				for range 40 {
					w.frame(20 * ms)
				}
				// What nothing keeps from running, so that the task is not the one that runs in any case.
				w.s.Post(deadline.UserBlocking, func() { time.Sleep(time.Microsecond) })
				r := w.frame(slice + 100*time.Microsecond)
				if got, want := r.Deferred == 0, slice >= tc.fits; got != want {
					t.Errorf("%s: in a slice of %v it fits: %v, want %v (%+v)", tc.name, slice, got, want, r)
				}
				task.Cancel()
			})
		}
	}
}

// One run's long stretch is not taken for another's.
func TestAStretchIsOfOneRun(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		scheduler.SetPatience(w.s, 100)
		step := func(label string, piece time.Duration) *scheduler.Task {
			return &scheduler.Task{Label: label, Step: func() bool {
				w.s.ShouldYield()
				time.Sleep(piece)
				w.s.ShouldYield()
				return true
			}}
		}
		long, short := step("long", 6*ms), step("short", ms)
		w.s.Submit(long)
		w.s.Submit(short)
		for range 40 {
			w.frame(20 * ms)
		}
		long.Cancel()
		w.s.Post(deadline.UserBlocking, func() { time.Sleep(time.Microsecond) })
		if r := w.frame(2 * ms); r.Ran < 2 {
			t.Errorf("%+v: a run of 1 ms did not fit into 2", r)
		}
	})
}

// Times compares the prediction with what it is about.
func TestThePredictionOfATaskThatAsksIsOfItsStretches(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		bridge.Of(w.s).KeepTimes()
		w.s.Submit(w.asking("step", ms))
		for range 20 {
			w.frame(10 * ms)
		}
		var times scheduler.Times
		w.s.ReadTimes(&times)
		lane := deadline.Normal.Lane()
		if run, over := times.Run[lane].Max(), times.Over[lane].Max(); run != 10*ms || over != 0 {
			t.Errorf("runs of up to %v, longer than predicted by up to %v; want 10ms and 0", run, over)
		}
		if n, under := times.Under[lane].Count(), times.Under[lane].Max(); n == 0 || under > ms/8 {
			t.Errorf("%d predictions, at most %v too long; want 19, and less than an eighth of 1ms", n, under)
		}
	})
}

// A cost that is declared is the whole run's, whether the task asks or not.
func TestTheDeclaredCostOfATaskThatAsksIsOfItsRuns(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		bridge.Of(w.s).KeepTimes()
		task := w.asking("step", ms)
		task.Cost = 8 * ms
		w.s.Submit(task)
		for range 20 {
			w.frame(10 * ms)
		}
		var times scheduler.Times
		w.s.ReadTimes(&times)
		lane := deadline.Normal.Lane()
		if over, under := times.Over[lane].Max(), times.Under[lane].Max(); over != 2*ms || under != 0 {
			t.Errorf("runs of 10ms were longer than the declared 8ms by %v, shorter by %v", over, under)
		}
	})
}
