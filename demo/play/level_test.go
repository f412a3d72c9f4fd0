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

// A pause stops the valley: its time and its timers. The panels' figures and messages go on.
func TestPauseStopsTheValleyAndNotThePanels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := frameslice.New(frameslice.Testing)
		defer l.Close()
		saves, read := 0, 0
		var shown []string
		v := NewLevel(l, func() { read++ }, func(m Message) { shown = append(shown, m.Text) },
			Timer{5 * time.Second, func() { saves++ }})
		frame := func() { v.Figures.Call() }
		run(l, 8*time.Second, frame)
		if saves != 1 || read < 15 || read > 17 {
			t.Errorf("in 8 s: %d saves and %d readings", saves, read)
		}
		v.Valley.Pause()
		now := v.Valley.Now()
		read = 0
		run(l, time.Minute, func() {
			frame()
			if v.Valley.Now() != now {
				t.Fatalf("in a pause the valley goes on for %v", v.Valley.Now().Sub(now))
			}
		})
		for _, text := range []string{"one", "two", "three"} {
			if err := v.News.Post("picture", Message{Text: text}); err != nil {
				t.Fatal(err)
			}
		}
		run(l, time.Second/10, frame)
		if saves != 1 || read < 110 || read > 121 || !slices.Equal(shown, []string{"three"}) {
			t.Errorf("a pause of 60 s: %d saves, %d readings, the messages %v", saves, read, shown)
		}
		v.Valley.Resume()
		run(l, 1500*time.Millisecond, frame)
		if saves != 1 {
			t.Errorf("the pause counts for the timers")
		}
		run(l, time.Second, frame)
		if saves != 2 {
			t.Errorf("%d saves in 10.5 s of the valley", saves)
		}
	})
}
