package frame_test

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
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

func TestWrapInfersTheImageType(t *testing.T) {
	l := frame.New(frame.Options{})
	defer l.Close()
	game := &plainGame{}
	// Only F and M are given; I follows from *plainGame's method Draw.
	var _ hostGame = frame.Wrap[fakeFinal, fakeGeoM](game, l)
}

func TestWrapCallsTheGameInTheHostsOrder(t *testing.T) {
	for _, c := range []struct {
		make func(*[]string) hostGame
		want string
	}{
		{func(log *[]string) hostGame { return &plainGame{log: log} }, "layout update update draw"},
		{func(log *[]string) hostGame { return &floatGame{plainGame{log: log}} }, "layoutf update update draw"},
		{func(log *[]string) hostGame { return &finalGame{plainGame{log: log}} },
			"layout update update draw final"},
		{func(log *[]string) hostGame { return &fullGame{floatGame{plainGame{log: log}}} },
			"layoutf update update draw final"},
	} {
		bubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
			var log []string
			h := fakeHost{}
			if err := h.frame(frame.Wrap[fakeFinal, fakeGeoM](c.make(&log), l), 2); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(log, " "); got != c.want {
				t.Errorf("calls %q, want %q", got, c.want)
			}
		})
	}
}

func TestWrapHasOneSlicePerFrameHoweverOftenUpdateRuns(t *testing.T) {
	for _, place := range placements() {
		t.Run(place.String(), func(t *testing.T) {
			bubble(t, frame.Options{Placement: place, Tick: time.Second / 60}, func(t *testing.T, l *frame.Loop) {
				h := fakeHost{period: time.Second / 60, flush: time.Millisecond}
				g := frame.Wrap[fakeFinal, fakeGeoM](&plainGame{}, l)
				updates := []int{1, 0, 2, 5, 0, 1}
				for _, n := range updates {
					l.Post(deadline.Normal, func() { time.Sleep(100 * time.Microsecond) })
					if err := h.frame(g, n); err != nil {
						t.Fatal(err)
					}
				}
				l.Close()
				<-l.Done()
				recs := l.Recorder().Recent(make([]record.Record, 10))
				if len(recs) != len(updates) {
					t.Fatalf("%d records, want one for each of %d frames", len(recs), len(updates))
				}
				for i, r := range recs {
					if int(r.Updates) != updates[i] || r.Ran != 1 || !r.Flags.Has(record.Sliced) ||
						r.Number != uint64(i+1) {
						t.Errorf("frame %d: %+v; want %d updates and one task", i+1, r, updates[i])
					}
					want := time.Duration(updates[i]) * (time.Second / 60)
					if r.Step != want || !r.Flags.Has(record.Stepped) {
						t.Errorf("frame %d: step %v, want %v", i+1, r.Step, want)
					}
				}
			})
		})
	}
}

func TestWrapClosesTheLoopBeforeTheHostSeesTheError(t *testing.T) {
	termination := errors.New("regular termination")
	for _, place := range placements() {
		for _, keep := range []bool{false, true} {
			t.Run(fmt.Sprint(place, " keep ", keep), func(t *testing.T) {
				bubble(t, frame.Options{Placement: place, KeepOpen: keep}, func(t *testing.T, l *frame.Loop) {
					n := 0
					game := &plainGame{onUpdate: func() error {
						if n++; n == 3 {
							return termination
						}
						return nil
					}}
					h := fakeHost{period: time.Second / 60}
					g := frame.Wrap[fakeFinal, fakeGeoM](game, l)
					// A backlog, so that the loop ends in the middle of loading.
					for range 1000 {
						l.Post(deadline.Normal, func() { time.Sleep(2 * time.Millisecond) })
					}
					var err error
					for range 5 {
						if err = h.frame(g, 1); err != nil {
							break
						}
					}
					if err != termination || n != 3 {
						t.Errorf("error %v after %d updates, want the game's own in the third", err, n)
					}
					closed := false
					select {
					case <-l.Done():
						closed = true
					default:
					}
					if closed == keep {
						t.Errorf("closed %v, want %v", closed, !keep)
					}
					// A host that calls once more does no harm.
					if err := h.frame(g, 1); err != nil {
						t.Error(err)
					}
				})
			})
		}
	}
}

func TestWrapSuspendedHostIsAJumpAndExpiresNothing(t *testing.T) {
	bubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
		h := fakeHost{period: time.Second / 60, flush: time.Millisecond}
		block := true
		g := frame.Wrap[fakeFinal, fakeGeoM](&plainGame{onUpdate: func() error {
			if block {
				time.Sleep(14 * time.Millisecond) // leaves no time for the tasks
			}
			return nil
		}}, l)
		for range 4 {
			h.frame(g, 1)
		}
		for range 3 {
			l.Post(deadline.UserBlocking, func() { time.Sleep(5 * time.Millisecond) })
		}
		h.frame(g, 1)
		time.Sleep(30 * time.Minute) // the laptop sleeps between two frames
		block = false
		for range 4 {
			h.frame(g, 1)
		}
		var jumps int
		var expired uint64
		for _, r := range l.Recorder().Recent(make([]record.Record, 16)) {
			expired += r.Expired
			if r.Flags.Has(record.Jump) {
				jumps++
			}
		}
		if s := l.Stats(); jumps != 1 || s.Jumps != 1 || s.JumpTime < 30*time.Minute {
			t.Errorf("%d jump records, stats %+v; want one jump of half an hour", jumps, s)
		}
		if expired != 0 {
			t.Errorf("%d tasks expired by a jump of the clock", expired)
		}
	})
}

func TestWrapUpdatesThatTakeLongAreAHitchAndNotAJump(t *testing.T) {
	bubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
		h := fakeHost{period: time.Second / 60}
		slow := false
		g := frame.Wrap[fakeFinal, fakeGeoM](&plainGame{onUpdate: func() error {
			if slow {
				time.Sleep(600 * time.Millisecond)
			}
			return nil
		}}, l)
		h.frame(g, 1)
		slow = true
		h.frame(g, 1)
		slow = false
		h.frame(g, 1)
		h.frame(g, 1) // a slice in the shadow has its record with the next frame
		if s := l.Stats(); s.Jumps != 0 {
			t.Errorf("%d jumps, want none: the game was slow", s.Jumps)
		}
		var longest time.Duration
		for _, r := range l.Recorder().Recent(make([]record.Record, 4)) {
			longest = max(longest, r.Interval)
		}
		if longest < 600*time.Millisecond {
			t.Errorf("longest interval %v, want the hitch of 600 ms in it", longest)
		}
	})
}

func TestWrapShadowTasksNeverRunBesideTheGame(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("no shadow")
	}
	for _, withFinal := range []bool{false, true} {
		bubble(t, frame.Options{Placement: frame.PlaceShadow}, func(t *testing.T, l *frame.Loop) {
			var inGame, inTask bool // plain: the race detector checks the baton's order too
			enter := func() error {
				if inTask {
					t.Error("a task is running while the game does")
				}
				inGame = true
				time.Sleep(2 * time.Millisecond)
				inGame = false
				return nil
			}
			g := plainGame{onUpdate: enter, onDraw: func() { enter() }, onFinal: func() { enter() }}
			var wrapped hostGame
			if withFinal {
				wrapped = frame.Wrap[fakeFinal, fakeGeoM](&finalGame{g}, l)
			} else {
				wrapped = frame.Wrap[fakeFinal, fakeGeoM](&g, l)
			}
			h := fakeHost{period: time.Second / 60, flush: 3 * time.Millisecond}
			ran := 0
			for i := range 300 {
				for range 10 {
					l.Post(deadline.Normal, func() {
						if inGame {
							t.Error("the game is running while a task does")
						}
						inTask = true
						time.Sleep(time.Millisecond)
						inTask = false
						ran++
					})
				}
				h.frame(wrapped, []int{1, 0, 2, 1}[i%4])
			}
			l.Close()
			<-l.Done()
			if missed := h.missed(100); missed > 4 {
				t.Errorf("%d refreshes missed in 200 frames", missed)
			}
			if ran < 1200 {
				t.Errorf("%d tasks of a millisecond in 300 frames, want some 8 in each once the period is known", ran)
			}
		})
	}
}
