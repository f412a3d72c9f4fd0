package scheduler_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// What stands in front of Post submits with the priority that its options say, and under its label.
func TestHelpersKeepTheirPriority(t *testing.T) {
	for _, c := range []struct {
		p    deadline.Priority
		want string
	}{
		{deadline.UserBlocking, "helper helper helper normal low"},
		{deadline.Normal, "normal helper helper helper low"},
		{deadline.Idle, "normal low helper helper helper"},
	} {
		inWorld(t, scheduler.Options{Events: 64}, func(w *world) {
			var l log
			say := func(word string) func() { return func() { l.say("%s", word) } }
			o := scheduler.DebounceOptions{Wait: ms, Leading: true, Priority: c.p}
			debounce := scheduler.NewDebounce(w.s, o, say("helper"))
			throttle := scheduler.NewThrottle(w.s, scheduler.ThrottleOptions{Wait: ms, Priority: c.p}, say("helper"))
			latest := scheduler.NewLatest(w.s, scheduler.LatestOptions{Priority: c.p, Label: "path"},
				func(int, int) { l.say("helper") })
			w.s.Post(deadline.Low, say("low"))
			w.s.Post(deadline.Normal, say("normal"))
			debounce.Call()
			throttle.Call()
			if err := latest.Post(1, 1); err != nil {
				t.Fatal(err)
			}
			w.drain()
			if got := strings.Join(l, " "); got != c.want {
				t.Errorf("%v: got %q, want %q", c.p, got, c.want)
			}
			at := slices.IndexFunc(w.s.Events(nil), func(e scheduler.Event) bool { return e.Label == "path" })
			if at < 0 || w.s.Events(nil)[at].Priority != c.p {
				t.Errorf("%v: no event of that priority under the label", c.p)
			}
		})
	}
}

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
		if e.Kind == scheduler.EventStarted {
			got = append(got, fmt.Sprint(e.Work, ", ", e.Phase))
		}
	}
	if want := []string{"once, before draw", "each, after draw"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What a task hands down names the scheduler that it is of, and the totals tell runs that were overdue or had to wait
// for room, as the results of the slices do.
func TestTotalsOfSlices(t *testing.T) {
	o := scheduler.Options{}
	o.Timeouts.Low = 300 * ms
	inWorld(t, o, func(w *world) {
		if w.s.Current().Scheduler != w.s {
			t.Error("Current is of another scheduler")
		}
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
