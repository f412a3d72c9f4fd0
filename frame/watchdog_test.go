package frame_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/scheduler"
)

// A hang is told of once, when it has lasted as long as Watchdog says, and the next one is again.
func TestTheWatchdogTellsOfEachHangOnce(t *testing.T) {
	var told []frame.Stuck
	o := frame.Options{Watchdog: time.Second, OnStuck: func(s frame.Stuck) { told = append(told, s) }}
	bubble(t, o, func(t *testing.T, l *frame.Loop) {
		of := func(d time.Duration) {
			l.Post(deadline.Normal, func() { time.Sleep(d) })
			frameOf(l)
			time.Sleep(16 * time.Millisecond)
			synctest.Wait()
		}
		for hang := range 5 {
			for range 100 * hang {
				of(time.Millisecond)
			}
			of(999 * time.Millisecond)
			of(999 * time.Millisecond)
			if len(told) != hang {
				t.Fatalf("told of frames that are slow: %v", told)
			}
			of(time.Hour)
			if len(told) != hang+1 {
				t.Fatalf("told of %d hangs, want %d", len(told), hang+1)
			}
			if s := told[hang]; s.For.Round(time.Millisecond) != time.Second || s.Holder != "a task" {
				t.Errorf("told: %v", s)
			}
		}
	})
}

// Only what is between Begin and End is held: elsewhere a host waits for as long as it likes.
func TestTheWatchdogLeavesHostsThatWaitAlone(t *testing.T) {
	step := frameOf
	for name, c := range map[string]struct {
		o frame.Options
		f func(l *frame.Loop)
	}{
		"between frames": {frame.Options{}, func(l *frame.Loop) {
			for range 3 {
				step(l)
				time.Sleep(time.Hour)
			}
		}},
		"between frames with a shadow": {frame.Options{Placement: frame.PlaceShadow}, func(l *frame.Loop) {
			for range 3 {
				step(l)
				time.Sleep(time.Hour)
			}
		}},
		"for the tick of Run": {frame.Options{Interval: time.Minute}, func(l *frame.Loop) {
			n := 0
			_ = l.Run(context.Background(), func() error {
				if n++; n == 9 {
					return frame.ErrStop
				}
				return nil
			})
		}},
		"for the tick of Pace": {frame.Options{Interval: time.Minute, Pace: true}, func(l *frame.Loop) {
			for range 300 {
				step(l)
				time.Sleep(time.Millisecond) // nothing else paces them
			}
		}},
		"in Nest": {frame.Options{}, func(l *frame.Loop) {
			l.Post(deadline.Normal, func() {
				l.Nest(func() {
					for range 3 {
						time.Sleep(time.Hour)
						step(l)
					}
				})
			})
			step(l)
		}},
		"in a window that is not shown": {frame.Options{}, func(l *frame.Loop) {
			g := frame.Wrap[fakeFinal, fakeGeoM](&fullGame{}, l)
			for range 3 {
				g.(hostLayoutFer).LayoutF(1, 1)
				time.Sleep(time.Hour)
				_ = g.Update()
				time.Sleep(time.Hour)
				g.Draw(nil)
				time.Sleep(time.Hour)
			}
		}},
		"after a Run that panicked": {frame.Options{}, func(l *frame.Loop) {
			defer time.Sleep(time.Hour)
			defer func() { _ = recover() }()
			_ = l.Run(context.Background(), func() error { panic("in the middle of a frame") })
		}},
		"after the loop's end": {frame.Options{}, func(l *frame.Loop) {
			l.Begin()
			l.Stop()
			l.Slice()
			time.Sleep(time.Hour)
			l.End()
		}},
		"with a wrapped game that goes on": {frame.Options{Placement: frame.PlaceAfterDraw}, func(l *frame.Loop) {
			g := frame.Wrap[fakeFinal, fakeGeoM](&heldGame{func() { time.Sleep(time.Hour) }, nothing}, l)
			l.Stop()
			for range 3 {
				g.Layout(1, 1)
				_ = g.Update()
				g.Draw(nil)
			}
		}},
		"when nobody is to watch": {frame.Options{Watchdog: -1}, func(l *frame.Loop) {
			l.Begin()
			time.Sleep(time.Hour)
			l.End()
		}},
	} {
		t.Run(name, func(t *testing.T) {
			c.o.OnStuck = func(s frame.Stuck) { t.Errorf("told: %v\n%s", s, s.Stack) }
			bubble(t, c.o, func(t *testing.T, l *frame.Loop) {
				from := time.Now()
				c.f(l)
				if d := time.Since(from); d < time.Minute {
					t.Errorf("it took %v: nothing has waited", d)
				}
			})
		})
	}
}

// Without OnStuck it is printed.
func TestTheWatchdogPrints(t *testing.T) {
	name := filepath.Join(t.TempDir(), "stderr")
	f, err := os.Create(name)
	if err != nil {
		t.Skip(err) // a browser
	}
	defer func(was *os.File) { os.Stderr = was }(os.Stderr)
	os.Stderr = f
	bubble(t, frame.Options{}, func(_ *testing.T, l *frame.Loop) {
		l.Host().Each(scheduler.BeforeUpdate, func() { time.Sleep(time.Hour) })
		l.Begin()
		l.End()
	})
	_ = f.Close()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	line, stack, _ := strings.Cut(string(text), "\n")
	const want = "frame: a frame has not ended for 10s: a callback holds it, "
	if !strings.HasPrefix(line, want) || !strings.Contains(line, "TestTheWatchdogPrints") {
		t.Errorf("printed %q, want %q", line, want)
	}
	if !strings.Contains(stack, "time.Sleep(") || !strings.Contains(stack, "frame.(*Loop).Begin(") {
		t.Errorf("printed %s", stack)
	}
}

// A report in a frame's own work leaves it watched.
func TestTheWatchdogAfterAReport(t *testing.T) {
	var told []frame.Stuck
	o := frame.Options{
		Placement: frame.PlaceShadow, Watchdog: time.Second, OnStuck: func(s frame.Stuck) { told = append(told, s) },
	}
	bubble(t, o, func(t *testing.T, l *frame.Loop) {
		n := 0
		_ = l.Run(t.Context(), func() error {
			if n++; n == 3 {
				return frame.ErrStop
			}
			l.Report("x")
			if n == 2 {
				time.Sleep(time.Hour)
			}
			return nil
		})
		synctest.Wait()
		if len(told) != 1 {
			t.Errorf("told %d times", len(told))
		}
	})
}
