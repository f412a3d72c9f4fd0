package frame_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/scheduler"
)

var phaseNames = []string{"before-update", "before-draw", "after-draw"}

// eachPhase registers a callback for every phase that notes its name.
func eachPhase(l *frame.Loop, log *[]string) {
	for p, name := range phaseNames {
		l.Each(scheduler.Phase(p), func() { *log = append(*log, name) })
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
	for _, place := range placements() {
		bubble(t, frame.Options{Placement: place}, func(t *testing.T, l *frame.Loop) {
			var log []string
			frames := 0
			w := frame.Wrap[fakeFinal, fakeGeoM](&plainGame{onUpdate: func() error {
				if frames++; frames == 1 {
					for p, name := range phaseNames {
						l.Once(scheduler.Phase(p), func() { log = append(log, name) })
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
			wantLog(t, place, &log,
				"| update before-draw draw after-draw | before-update update draw | update draw")
		})
	}
}

// A frame that was not drawn has no AfterDraw: what waits for a drawing goes on waiting.
func TestNoAfterDrawWithoutADrawing(t *testing.T) {
	bubble(t, frame.Options{KeepOpen: true}, func(t *testing.T, l *frame.Loop) {
		var log []string
		boom := errors.New("boom")
		fail := true
		w := frame.Wrap[fakeFinal, fakeGeoM](&plainGame{onUpdate: func() error {
			if fail {
				return boom
			}
			return nil
		}, onDraw: func() { log = append(log, "draw") }}, l)
		l.Once(scheduler.AfterDraw, func() { log = append(log, "after-draw") })
		h := fakeHost{}
		h.frame(w, 1)
		w.Layout(1, 1) // a frame with updates, and no drawing
		fail = false
		w.Update()
		wantLog(t, "not drawn", &log, "")
		h.frame(w, 1)
		wantLog(t, "drawn", &log, "draw after-draw")
	})
}

// A host that is not wrapped tells when it draws, or not; Run too.
func TestPhasesOfOtherHosts(t *testing.T) {
	bubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
		var log []string
		note := func(s string) { log = append(log, s) }
		eachPhase(l, &log)
		l.Begin()
		note("update")
		l.RunPhase(scheduler.BeforeDraw)
		l.RunPhase(scheduler.BeforeDraw)
		note("draw")
		l.RunPhase(scheduler.AfterDraw)
		note("swap")
		l.Slice()
		l.End()
		wantLog(t, "a host that tells", &log, "before-update update before-draw draw after-draw swap")
		l.Begin()
		note("draw")
		l.End()
		wantLog(t, "without a slice", &log, "before-update draw after-draw")
	})
	for _, tells := range []bool{false, true} {
		bubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
			var log []string
			eachPhase(l, &log)
			n := 0
			l.Run(t.Context(), func() error {
				if n++; n == 3 {
					return frame.ErrStop
				}
				if tells {
					l.RunPhase(scheduler.BeforeDraw)
				}
				log = append(log, "f")
				return nil
			})
			want := "before-update f after-draw before-draw before-update f after-draw before-draw before-update"
			if tells {
				want = "before-update before-draw f after-draw before-update before-draw f after-draw before-update"
			}
			wantLog(t, fmt.Sprint("Run, tells ", tells), &log, want)
		})
	}
}

// Tasks of the slice in the shadow wait for drawings too, and the callbacks of their scheduler are not lost.
func TestPhasesInTheShadow(t *testing.T) {
	if len(placements()) == 1 {
		t.Skip("no shadow here")
	}
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
		l.Close()
		<-l.Done()
		wantLog(t, "shadow", &log, "| draw before-update before-draw after-draw co | draw co | draw co | draw")
	})
}

// RequestDraw ends the slice, and no job makes it longer.
func TestRequestDrawEndsTheFramesSlice(t *testing.T) {
	for _, place := range placements() {
		bubble(t, frame.Options{Placement: place}, func(t *testing.T, l *frame.Loop) {
			var log []string
			l.Post(deadline.Normal, func() { log = append(log, "a"); l.Scheduler().RequestDraw() })
			l.Post(deadline.Normal, func() { log = append(log, "b") })
			for range 2 {
				l.Begin()
				log = append(log, "|")
				l.Slice()
				l.End()
				time.Sleep(10 * time.Millisecond)
			}
			l.Close()
			<-l.Done()
			wantLog(t, place, &log, "| a | b")
		})
	}
}

func TestFaultsInPhases(t *testing.T) {
	o := frame.Options{}
	o.Scheduler.Rethrow, o.Scheduler.OnPanic = true, func(*scheduler.PanicError) {}
	bubble(t, o, func(t *testing.T, l *frame.Loop) {
		var log []string
		note := func(s string) func() { return func() { log = append(log, s) } }
		try := func(f func()) {
			defer func() {
				if v := recover(); v != nil {
					pe, _ := v.(*scheduler.PanicError)
					note("<" + fmt.Sprint(pe.Value) + ">")()
				}
			}()
			f()
		}
		l.Once(scheduler.BeforeUpdate, func() { panic("bu") })
		l.Once(scheduler.BeforeUpdate, note("next"))
		l.Once(scheduler.AfterDraw, func() { panic("ad") })
		l.Post(deadline.Normal, note("task"))
		try(l.Begin)
		try(l.Slice)
		try(l.Slice)
		try(l.End)
		wantLog(t, "Rethrow", &log, "next <bu> <ad> task")
		l.Once(scheduler.BeforeUpdate, func() {
			note("closing")()
			l.Close()
		})
		l.Once(scheduler.BeforeUpdate, note("rest"))
		l.Begin()
		<-l.Done()
		l.RunPhase(scheduler.BeforeDraw)
		l.Slice()
		l.End()
		wantLog(t, "Close in a callback", &log, "closing rest")
	})
}

func TestRunPhaseMisuse(t *testing.T) {
	l := frame.New(frame.Options{})
	defer l.Close()
	wantPanic(t, "frame: RunPhase without Begin", func() { l.RunPhase(scheduler.BeforeDraw) })
	l.Begin()
	l.Slice()
	wantPanic(t, "frame: RunPhase after Slice", func() { l.RunPhase(scheduler.BeforeDraw) })
	l.End()
	l.Once(scheduler.BeforeUpdate, func() {
		wantPanic(t, "frame: RunPhase while another call of the loop runs: from a task or from a second goroutine: "+
			"a modal loop calls Nest first", func() { l.RunPhase(scheduler.BeforeDraw) })
	})
	l.Begin()
	l.End()
}

func wantPanic(t *testing.T, want string, f func()) {
	t.Helper()
	if got := panicOf(f); got != want {
		t.Errorf("panic: %s, want %q", got, want)
	}
}

func TestPhasesAllocateNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	l := frame.New(frame.Options{})
	defer l.Close()
	f := func() {}
	for p := range phaseNames {
		l.Each(scheduler.Phase(p), f)
	}
	w := frame.Wrap[fakeFinal, fakeGeoM](&plainGame{}, l)
	frameOf := func() {
		for p := range phaseNames {
			l.Once(scheduler.Phase(p), f)
		}
		w.Layout(1, 1)
		w.Update()
		w.Draw(nil)
	}
	for range 200 {
		frameOf()
	}
	if n := testing.AllocsPerRun(500, frameOf); n != 0 {
		t.Errorf("a frame with callbacks allocates %v times", n)
	}
}
