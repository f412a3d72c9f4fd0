package frame_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

func TestWrapImplementsExactlyWhatTheGameDoes(t *testing.T) {
	l := frame.New(frame.Options{})
	defer l.Close()
	for _, c := range []struct {
		game  hostGame
		float bool
		final bool
	}{
		{&plainGame{}, false, false}, {&floatGame{}, true, false},
		{&finalGame{}, false, true}, {&fullGame{}, true, true},
	} {
		var w hostGame = frame.Wrap[fakeFinal, fakeGeoM](c.game, l)
		if _, ok := w.(hostLayoutFer); ok != c.float {
			t.Errorf("%T: LayoutF %v, want %v", c.game, ok, c.float)
		}
		if _, ok := w.(hostFinalDrawer); ok != c.final {
			t.Errorf("%T: DrawFinalScreen %v, want %v", c.game, ok, c.final)
		}
		want := reflect.TypeOf(c.game).NumMethod()
		for _, own := range []string{"note"} {
			if _, ok := reflect.TypeOf(c.game).MethodByName(own); ok {
				want--
			}
		}
		if got := reflect.TypeOf(w).NumMethod(); got != want {
			t.Errorf("%T: the wrapper has %d methods, want %d", c.game, got, want)
		}
	}
}

// A frame has one slice, however often the game updates. Each Update counts as one, and may tell its step.
func TestWrapHasOneSlicePerFrameHoweverOftenUpdateRuns(t *testing.T) {
	for _, step := range []time.Duration{0, r} {
		everywhere(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
			h := fakeHost{period: r, flush: ms}
			g := frame.Wrap[fakeFinal, fakeGeoM](&plainGame{onUpdate: func() error {
				if step > 0 {
					l.Step(step)
				}
				return nil
			}}, l)
			updates := []int{1, 0, 2, 5, 0, 1}
			for _, n := range updates {
				l.Post(deadline.Normal, func() { time.Sleep(100 * time.Microsecond) })
				if err := h.frame(g, n); err != nil {
					t.Fatal(err)
				}
			}
			end(l)
			recs := l.Recorder().Recent(make([]record.Record, 10))
			for i, r := range recs {
				if int(r.Updates) != updates[i] || r.Ran != 1 || r.Number != uint64(i+1) ||
					r.Flags&record.Sliced == 0 ||
					r.Step != time.Duration(updates[i])*step || (r.Flags&record.Stepped != 0) != (step > 0) {
					t.Errorf("frame %d: %+v; want %d updates of %v and one task", i+1, r, updates[i], step)
				}
			}
			if len(recs) != len(updates) {
				t.Errorf("%d records, want one for each of %d frames", len(recs), len(updates))
			}
		})
	}
}

func TestWrapClosesTheLoopBeforeTheHostSeesTheError(t *testing.T) {
	termination := errors.New("regular termination")
	everywhere(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
		n := 0
		h := fakeHost{period: r}
		g := frame.Wrap[fakeFinal, fakeGeoM](&plainGame{onUpdate: func() error {
			if n++; n == 3 {
				return termination
			}
			return nil
		}}, l)
		for range 1000 { // the loop ends in the middle of loading
			l.Post(deadline.Normal, func() { time.Sleep(2 * ms) })
		}
		var err error
		for i := 0; i < 5 && err == nil; i++ {
			err = h.frame(g, 1)
		}
		if err != termination || n != 3 || !isDone(l) {
			t.Errorf("error %v after %d updates, closed %v; want the game's own in the third", err, n, isDone(l))
		}
		if err := h.frame(g, 1); err != nil { // a host that calls once more does no harm
			t.Error(err)
		}
	})
}

// A method of a wrapped game that is called within another one, as by a modal loop, panics where that happens, with
// the cause and the remedy, and nothing in front of the panic. The game continues if it recovers, or in the next frame.
func TestWrappedMethodsWithinOneAnother(t *testing.T) {
	type game interface {
		Update() error
		Draw(screen *fakeImage)
		Layout(width, height int) (int, int)
	}
	calls := map[string]func(g game){
		"Layout":          func(g game) { g.Layout(1, 1) },
		"LayoutF":         func(g game) { g.(hostLayoutFer).LayoutF(1, 1) },
		"Update":          func(g game) { _ = g.Update() },
		"Draw":            func(g game) { g.Draw(nil) },
		"DrawFinalScreen": func(g game) { g.(hostFinalDrawer).DrawFinalScreen(final{}, nil, fakeGeoM{}) },
	}
	for _, place := range placements() {
		for _, outer := range []string{"Update", "Draw", "DrawFinalScreen"} {
			for name, call := range calls {
				for _, recovers := range []bool{false, true} {
					bubble(t, frame.Options{Placement: place}, func(t *testing.T, l *frame.Loop) {
						var g game
						var got string
						in := func(method string) {
							if method != outer || got != "" {
								return
							}
							if recovers {
								got = testkit.PanicOf(func() { call(g) })
							} else {
								call(g)
							}
						}
						g = frame.Wrap[fakeFinal, fakeGeoM](&fullGame{floatGame{plainGame{
							onUpdate: func() error { in("Update"); return nil },
							onDraw:   func() { in("Draw") },
							onFinal:  func() { in("DrawFinalScreen") },
						}}}, l)
						h := fakeHost{}
						seen := testkit.PanicOf(func() { _ = h.frame(g, 1) })
						if recovers != (seen == "") {
							t.Fatalf("recovers %v: the frame panics with %q", recovers, seen)
						}
						got += seen
						want := "frame: " + name + " of a wrapped game within its " + outer
						if !strings.HasPrefix(got, want) || !strings.Contains(got, "await its end") {
							t.Errorf("%v: panic %q, want %q and a remedy", place, got, want)
						}
						if err := h.frame(g, 1); err != nil {
							t.Error(err)
						}
					})
				}
			}
		}
	}
}

// A game that ends the frame itself, in which Wrap would end it again, is told so, and not that End has no Begin.
func TestWrappedGameThatEndsTheFrame(t *testing.T) {
	bubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
		g := frame.Wrap[fakeFinal, fakeGeoM](&plainGame{onDraw: func() { l.Slice(); l.End() }}, l)
		got := testkit.PanicOf(func() { _ = new(fakeHost).frame(g, 1) })
		if !strings.HasPrefix(got, "frame: a wrapped game that calls Slice or End") {
			t.Errorf("panic %q", got)
		}
	})
}

// Ebitengine leaves out DrawFinalScreen where the game has drawn nothing for some frames, and sleeps until the next
// one. The slice has that time, and never runs beside a DrawFinalScreen that comes all the same.
func TestWrapSkippedFinalScreensLeaveTheSliceItsTime(t *testing.T) {
	needsThreads(t)
	for _, c := range []struct {
		name  string
		final func(frame int) bool // called in it
		least int                  // tasks of 1 ms in the last 60 of 160 frames
	}{
		{"always", func(int) bool { return true }, 60 * 10},
		{"never", func(int) bool { return false }, 60 * 12},
		{"now and then", func(i int) bool { return i%20 == 0 }, 60 * 11},
		{"in turns", func(i int) bool { return i&1 == 0 }, 60},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, frame.Options{Placement: frame.PlaceShadow}, func(t *testing.T, l *frame.Loop) {
				inTask, ran := false, 0 // plain: the race detector checks the baton's order too
				work := func() {
					if inTask {
						t.Error("a task is running while the game does")
					}
					time.Sleep(time.Millisecond)
				}
				updates, before := 0, 0
				update := func() error {
					if updates++; updates == 100 {
						before = ran
					}
					work()
					return nil
				}
				g := frame.Wrap[fakeFinal, fakeGeoM](&finalGame{plainGame{
					onUpdate: update, onDraw: work, onFinal: work,
				}}, l)
				var again func()
				again = func() {
					inTask = true
					time.Sleep(time.Millisecond)
					inTask = false
					ran++
					l.Post(deadline.Normal, again)
				}
				l.Post(deadline.Normal, again)
				h := fakeHost{period: time.Second / 60}
				for i := range 160 {
					h.skipFinal = !c.final(i)
					if err := h.frame(g, 1); err != nil {
						t.Fatal(err)
					}
				}
				end(l)
				if n := ran - before; n < c.least {
					t.Errorf("%d tasks of a millisecond in 60 frames, want %d", n, c.least)
				}
				if m := h.missed(100); m > 4 {
					t.Errorf("%d refreshes missed", m)
				}
			})
		})
	}
}

// With F and M the wrong way round, or any, the game's last drawing would silently be left out.
func TestWrapWithOtherTypesThanTheGamesPanics(t *testing.T) {
	l := frame.New(frame.Options{})
	defer l.Close()
	for name, wrap := range map[string]func(){
		"exchanged": func() { frame.Wrap[fakeGeoM, fakeFinal](&finalGame{}, l) },
		"any":       func() { frame.Wrap[any, any](&fullGame{}, l) },
	} {
		if got := testkit.PanicOf(wrap); !strings.Contains(got, "frame: Wrap was given other types") {
			t.Errorf("%s: panic %q", name, got)
		}
	}
	frame.Wrap[any, any](&floatGame{}, l) // which has none
}

// What is asked of a loop that was closed before it was wrapped is canceled like all else.
func TestWrapAfterClose(t *testing.T) {
	l := frame.New(frame.Options{Workers: workers.Options{Workers: -1}})
	l.Close()
	g := frame.Wrap[fakeFinal, fakeGeoM](&plainGame{}, l)
	g.Layout(1, 1)
	g.Draw(nil)
	h := l.Host().Once(scheduler.AfterDraw, func() {})
	if h.State() != scheduler.Canceled || l.Host() != l.Scheduler() {
		t.Errorf("a callback is %v; %v", h.State(), l.Placement())
	}
}
