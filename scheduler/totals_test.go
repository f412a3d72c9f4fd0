package scheduler_test

import (
	"slices"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// An event tells of a callback which phase it is of.
func TestEventsOfPhases(t *testing.T) {
	s := scheduler.New(scheduler.Options{Events: 64})
	defer s.Close()
	s.Once(scheduler.BeforeDraw, func() {})
	s.Each(scheduler.AfterDraw, func() {})
	s.BeginFrame(deadline.Now())
	s.RunPhase(scheduler.BeforeDraw)
	s.RunPhase(scheduler.AfterDraw)
	var got []string
	for _, e := range s.Events(nil) {
		if e.State == scheduler.Running {
			got = append(got, e.Work())
		}
	}
	if want := []string{"once before draw", "each after draw"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The totals tell runs that were overdue or had to wait for room, as the results of the slices do.
func TestTotalsOfSlices(t *testing.T) {
	o := scheduler.Options{}
	o.Timeouts.Low = 300 * ms
	inWorld(t, o, func(w *world) {
		w.s.Submit(&scheduler.Task{Label: "big", Cost: 8 * ms, Func: func() {}})
		w.s.Post(deadline.UserBlocking, func() {})
		first := w.s.RunUntil(deadline.In(2 * ms))
		w.s.Post(deadline.Low, func() {})
		w.s.Post(deadline.Immediate, func() {})
		w.s.RunUntil(deadline.In(0)) // runs the second, and so reads the first
		time.Sleep(400 * ms)
		last := w.s.RunUntil(deadline.In(20 * ms))
		st := w.s.Stats()
		if first.Deferred != 1 || last.Expired == 0 || st.Deferred < 1 || st.Expired < 1 {
			t.Errorf("first slice %+v, last %+v, totals %+v", first, last, st)
		}
	})
}
