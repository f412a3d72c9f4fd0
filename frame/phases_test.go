package frame_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
)

var phaseNames = []string{"before-update", "before-draw", "after-draw"}

// eachPhase registers a callback for every phase that notes its name.
func eachPhase(l *frame.Loop, log *[]string) {
	for p, name := range phaseNames {
		l.Host().Each(scheduler.Phase(p), func() { *log = append(*log, name) })
	}
}

func wantLog(t *testing.T, what any, log *[]string, want string) {
	t.Helper()
	if got := strings.Join(*log, " "); got != want {
		t.Errorf("%v: %s\nwant: %s", what, got, want)
	}
	*log = nil
}

// A wrapped game's frame has all phases in their places, however often it updates.
func TestPhasesOfAWrappedGame(t *testing.T) {
	for _, place := range placements() {
		for _, game := range []string{"plain", "final"} {
			bubble(t, frame.Options{Placement: place}, func(t *testing.T, l *frame.Loop) {
				var log []string
				h := fakeHost{period: 16 * time.Millisecond, flush: time.Millisecond}
				var g hostGame = &plainGame{log: &log}
				fin := ""
				if game == "final" {
					g, fin = &finalGame{plainGame{log: &log}}, " final"
				}
				w := frame.Wrap[fakeFinal, fakeGeoM](g, l)
				eachPhase(l, &log)
				for _, updates := range []int{1, 0, 2} {
					l.Host().Post(deadline.Normal, func() { log = append(log, "task") })
					h.frame(w, updates)
					want := "before-update layout" + strings.Repeat(" update", updates) + " before-draw draw"
					if place == frame.PlaceShadow { // the slice begins after DrawFinalScreen
						want += fin + " after-draw task"
					} else {
						want += " after-draw task" + fin
					}
					wantLog(t, fmt.Sprint(place, " ", game, " ", updates), &log, want)
				}
			})
		}
	}
}

// What a frame's update registers runs in the phases that are still to come, of the very first frame too.
func TestPhasesOfTheFirstFrame(t *testing.T) {
	everywhere(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
		var log []string
		frames := 0
		w := frame.Wrap[fakeFinal, fakeGeoM](&plainGame{onUpdate: func() error {
			if frames++; frames == 1 {
				for p, name := range phaseNames {
					l.Host().Once(scheduler.Phase(p), func() { log = append(log, name) })
				}
			}
			log = append(log, "update")
			return nil
		}, onDraw: func() { log = append(log, "draw") }}, l)
		h := fakeHost{period: 16 * time.Millisecond}
		for range 3 {
			log = append(log, "|")
			h.frame(w, 1)
		}
		wantLog(t, l.Placement(), &log,
			"| update before-draw draw after-draw | before-update update draw | update draw")
	})
}

// A frame that was not drawn has no AfterDraw: a callback that waits for a drawing continues waiting.
func TestNoAfterDrawWithoutADrawing(t *testing.T) {
	bubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
		var log []string
		w := frame.Wrap[fakeFinal, fakeGeoM](&plainGame{onDraw: func() { log = append(log, "draw") }}, l)
		l.Host().Once(scheduler.AfterDraw, func() { log = append(log, "after-draw") })
		w.Layout(1, 1)
		w.Update()
		w.Layout(1, 1) // ends the frame before
		w.Update()
		wantLog(t, "not drawn", &log, "")
		h := fakeHost{}
		h.frame(w, 1)
		wantLog(t, "drawn", &log, "draw after-draw")
	})
}

// A host that is not wrapped, or Run's function, may tell when it draws. Each phase comes once, also without a slice.
func TestPhasesOfOtherHosts(t *testing.T) {
	for tells, want := range map[bool]string{
		false: "before-update f after-draw before-draw before-update f after-draw before-draw " +
			"before-update f after-draw before-update",
		true: "before-update before-draw f after-draw before-update before-draw f after-draw " +
			"before-update before-draw f after-draw before-update",
	} {
		bubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
			var log []string
			eachPhase(l, &log)
			f := func() {
				if tells {
					l.RunPhase(scheduler.BeforeDraw)
					l.RunPhase(scheduler.BeforeDraw)
				}
				log = append(log, "f")
			}
			play(t, l, 2, func(int) { f() })
			log = log[:len(log)-1] // of the frame that has ended Run
			l.Begin()
			f()
			l.End()
			l.Begin()
			wantLog(t, fmt.Sprint("tells ", tells), &log, want)
		})
	}
}

// Tasks of the slice in the shadow wait for drawings too, and the callbacks of their scheduler are not lost.
func TestPhasesInTheShadow(t *testing.T) {
	needsThreads(t)
	bubble(t, frame.Options{Placement: frame.PlaceShadow}, func(t *testing.T, l *frame.Loop) {
		var log []string
		note := func(s string) { log = append(log, s) }
		for p, name := range phaseNames {
			l.Scheduler().Once(scheduler.Phase(p), func() { note(name) })
		}
		l.Go(deadline.Normal, func(co *scheduler.Co) {
			for range 2 {
				note("co")
				co.AfterDraw()
			}
			note("co")
		})
		for range 4 {
			l.Begin() // has the baton from here on
			note("|")
			note("draw")
			l.Slice()
			l.End()
			time.Sleep(10 * time.Millisecond)
		}
		end(l)
		wantLog(t, "shadow", &log, "| draw before-update before-draw after-draw co | draw co | draw co | draw")
	})
}

func TestFaultsInPhases(t *testing.T) {
	o := frame.Options{}
	o.Scheduler.Rethrow, o.Scheduler.OnPanic = true, func(*scheduler.PanicError) {}
	bubble(t, o, func(t *testing.T, l *frame.Loop) {
		var log []string
		note := func(s string) func() { return func() { log = append(log, s) } }
		try := func(f func()) {
			if v := testkit.Recovered(f); v != nil {
				note("<" + fmt.Sprint(v.(*scheduler.PanicError).Value) + ">")()
			}
		}
		l.Host().Once(scheduler.BeforeUpdate, func() { panic("bu") })
		l.Host().Once(scheduler.BeforeUpdate, note("next"))
		l.Host().Once(scheduler.AfterDraw, func() { panic("ad") })
		l.Post(deadline.Normal, note("task"))
		try(l.Begin)
		try(l.Slice)
		try(l.Slice)
		try(l.End)
		wantLog(t, "Rethrow", &log, "next <bu> <ad> task")
		l.Host().Once(scheduler.BeforeUpdate, func() {
			note("closing")()
			l.Close()
		})
		l.Host().Once(scheduler.BeforeUpdate, note("rest"))
		l.Begin()
		<-l.Done()
		l.RunPhase(scheduler.BeforeDraw)
		l.Slice()
		l.End()
		wantLog(t, "Close in a callback", &log, "closing rest")
	})
}

// Callbacks of the phases are own work, which may advance the simulation and mark the frame; tasks are not.
func TestStepAndMarkInCallbacks(t *testing.T) {
	bubble(t, frame.Options{Interval: 5 * ms}, stepAndMark)
}

func stepAndMark(t *testing.T, l *frame.Loop) {
	var got []string
	step := func() { got = append(got, testkit.PanicOf(func() { l.Step(ms) })) }
	run := func(f func()) {
		for _, p := range scheduler.Phases() {
			l.Host().Once(p, step)
		}
		l.Host().Once(scheduler.BeforeUpdate, func() { l.Mark(record.Loading) })
		l.Post(deadline.Normal, step)
		f()
	}
	run(func() { l.Begin(); l.RunPhase(scheduler.BeforeDraw); l.Slice(); l.End() })
	want := []string{"", "", "", "frame: Step after Slice"}
	if strings.Join(got, ";") != strings.Join(want, ";") {
		t.Errorf("Step before the update, before and after the drawing and in a task: %q, want %q", got, want)
	}
	l.Mark(record.Unfocused) // the next frame
	frameOf(l)
	r := l.Recorder().Snapshot().Records
	if r[0].Flags&(record.Loading|record.Unfocused) != record.Loading || r[0].Updates != 3 || r[0].Step != 3*ms ||
		r[1].Flags&(record.Loading|record.Unfocused) != record.Unfocused {
		t.Errorf("frames %v with %d updates of %v, and %v", r[0].Flags, r[0].Updates, r[0].Step, r[1].Flags)
	}
	got = nil
	run(func() {
		n := 0
		_ = l.Run(context.Background(), func() error {
			if n++; n > 1 {
				return frame.ErrStop
			}
			l.RunPhase(scheduler.BeforeDraw)
			return nil
		})
	})
	if strings.Join(got, ";") != strings.Join(want, ";") {
		t.Errorf("in Run: %q, want %q", got, want)
	}
}

// A host that says how far it has moved its world has its updates counted. Step(0) is a frame without an update.
func TestHostTellsItsSteps(t *testing.T) {
	bubble(t, frame.Options{Recorder: record.Options{WarmUp: -1}}, func(t *testing.T, l *frame.Loop) {
		for _, updates := range []int{1, 1, 0, 2} {
			time.Sleep(10 * ms)
			l.Begin()
			l.Step(0)
			for range updates {
				l.Step(10 * ms)
			}
			l.End()
		}
		s := l.Recorder().Snapshot()
		for i, want := range []time.Duration{0, 0, -10 * ms, 10 * ms} { // the animation error
			if r := s.Records[i]; i > 0 && r.Step-r.Interval != want || r.Flags&record.Stepped == 0 {
				t.Errorf("frame %d: %v in %v, flags %v", i, r.Step, r.Interval, r.Flags)
			}
		}
		if s.Totals.Updates != [4]uint64{1, 2, 1, 0} {
			t.Errorf("updates %v", s.Totals.Updates)
		}
	})
}
