package play

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice"
)

// run lets frames of a loop pass for d of the bubble's time, each of which calls f.
func run(l *frameslice.Loop, d time.Duration, f func()) {
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(time.Second / 60) {
		l.Begin()
		f()
		l.Slice()
		l.End()
	}
}

// A pause stops the valley: its time and its timers. The panels' figures and messages continue.
func TestPauseStopsTheValleyAndNotThePanels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := frameslice.New(frameslice.Testing)
		defer l.Close()
		calls, read := 0, 0
		var shown []string
		v := NewLevel(l, func() { read++ }, func(m Message) { shown = append(shown, m.Text) },
			Timer{5 * time.Second, func() { calls++ }})
		frame := func() { v.Figures.Call() }
		run(l, 8*time.Second, frame)
		if calls != 1 || read < 15 || read > 17 {
			t.Errorf("in 8 s: %d calls and %d readings", calls, read)
		}
		v.Valley.Pause()
		now := v.Valley.Now()
		read = 0
		run(l, time.Minute, func() {
			frame()
			if v.Valley.Now() != now {
				t.Fatalf("in a pause the valley continues for %v", v.Valley.Now().Sub(now))
			}
		})
		for _, text := range []string{"one", "two", "three"} {
			if err := v.News.Post("picture", Message{Text: text}); err != nil {
				t.Fatal(err)
			}
		}
		run(l, time.Second/10, frame)
		if calls != 1 || read < 110 || read > 121 || !slices.Equal(shown, []string{"three"}) {
			t.Errorf("a pause of 60 s: %d calls, %d readings, the messages %v", calls, read, shown)
		}
		v.Valley.Resume()
		run(l, 1500*time.Millisecond, frame)
		if calls != 1 {
			t.Errorf("the pause counts for the timers")
		}
		run(l, time.Second, frame)
		if calls != 2 {
			t.Errorf("%d calls in 10.5 s of the valley", calls)
		}
	})
}
