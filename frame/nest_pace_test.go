package frame_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/frame"
)

// paced has an unpaced host's frames until Options.Pace paces them, and reports whether it does.
func paced(l *frame.Loop) bool {
	var last time.Duration
	for range 100 {
		begun := time.Now()
		l.Begin()
		time.Sleep(time.Millisecond)
		l.Slice()
		l.End()
		last = time.Since(begun)
	}
	return last == 10*time.Millisecond
}

// ticks returns how long four frames of Run take.
func ticks(t *testing.T, l *frame.Loop) time.Duration {
	var begun time.Time
	n := 0
	err := l.Run(context.Background(), func() error {
		if n == 0 {
			begun = time.Now()
		}
		if n++; n > 4 {
			return frame.ErrStop
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return time.Since(begun)
}

// A hosted loop that Options.Pace paces, and Run in a modal loop: each frame waits once.
func TestRunInNestOfPacedHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := nestLoop(frame.Options{Pace: true})
		defer l.Close()
		if !paced(l) {
			t.Fatal("the host is not paced")
		}
		l.Begin()
		l.Nest(func() {
			if d := ticks(t, l); d != 40*time.Millisecond {
				t.Errorf("four frames of Run took %v, want 40ms", d)
			}
		})
		l.Slice()
		l.End()
		if !paced(l) {
			t.Error("the host is not paced any more")
		}
	})
}

// Run, and in a modal loop of its a host's own frames, which Options.Pace paces: then Run goes on as before.
func TestPacedHostInNestOfRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := nestLoop(frame.Options{Pace: true})
		defer l.Close()
		var begun time.Time
		n := 0
		err := l.Run(context.Background(), func() error {
			switch n++; n {
			case 1:
				l.Nest(func() {
					if !paced(l) {
						t.Error("the host is not paced")
					}
				})
			case 2:
				begun = time.Now()
			case 6:
				return frame.ErrStop
			}
			return nil
		})
		if d := time.Since(begun); d != 40*time.Millisecond || err != nil {
			t.Errorf("four frames of Run took %v, want 40ms; %v", d, err)
		}
	})
}
