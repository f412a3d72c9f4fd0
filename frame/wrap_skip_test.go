package frame_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
)

// Ebitengine leaves out DrawFinalScreen where the game has drawn nothing for some frames, and sleeps until the next
// one. The slice has that time, and never runs beside a DrawFinalScreen that comes all the same.
func TestWrapSkippedFinalScreensLeaveTheSliceItsTime(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("no shadow")
	}
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
				l.Close()
				<-l.Done()
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

// A host that calls DrawFinalScreen twice in a frame, as Ebitengine does not, gets the second one for itself, too.
func TestWrapSecondFinalScreenEndsTheSlice(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("no shadow")
	}
	bubble(t, frame.Options{Placement: frame.PlaceShadow}, func(t *testing.T, l *frame.Loop) {
		inTask, finals, ran := false, 0, 0 // plain, as above
		g := frame.Wrap[fakeFinal, fakeGeoM](&finalGame{plainGame{onFinal: func() {
			time.Sleep(100 * time.Microsecond)
			if inTask {
				t.Error("a task is running while the game does")
			}
			finals++
		}}}, l)
		for range 20 {
			l.Post(deadline.Normal, func() {
				inTask = true
				time.Sleep(time.Millisecond)
				inTask = false
				ran++
			})
		}
		for range 3 {
			g.Layout(320, 240)
			g.Draw(&fakeImage{})
			for range 3 {
				g.(hostFinalDrawer).DrawFinalScreen(final{}, &fakeImage{}, fakeGeoM{})
			}
		}
		l.Close()
		if finals != 9 || ran < 3 || ran > 9 {
			t.Errorf("%d final screens, beside %d tasks", finals, ran)
		}
	})
}
