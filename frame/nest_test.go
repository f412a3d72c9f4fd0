package frame_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// nestLoop returns a loop in virtual time, without workers.
func nestLoop(o frame.Options) *frame.Loop {
	o.Workers = workers.Options{Workers: -1}
	o.Interval = 10 * time.Millisecond
	o.Recorder.WarmUp = -1
	return frame.New(o)
}

// A dialog in a task, in Run: its own Run keeps the frames and the other tasks going.
func TestNestInTaskOfRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log []string
		l := nestLoop(frame.Options{})
		defer l.Close()
		l.Go(deadline.Normal, func(co *scheduler.Co) {
			for i := range 6 {
				log = append(log, fmt.Sprint("music", i))
				co.NextFrame()
			}
		})
		frames := 0
		err := l.Run(context.Background(), func() error {
			frames++
			log = append(log, fmt.Sprint("frame", frames))
			switch frames {
			case 2:
				l.Post(deadline.Low, func() {
					n := 0
					l.Nest(func() {
						err := l.Run(context.Background(), func() error {
							if n++; n > 3 {
								return frame.ErrStop
							}
							log = append(log, fmt.Sprint("box", n))
							return nil
						})
						if err != nil {
							t.Error(err)
						}
					})
					log = append(log, "closed")
				})
			case 3:
				return frame.ErrStop
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		want := "frame1 music0 frame2 music1 box1 music2 box2 music3 box3 music4 closed frame3"
		if got := strings.Join(log, " "); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		records(t, l, []string{
			"1 at 0s after 0s", "2 at 10ms after 10ms", "3 at 10ms after 0s nested", "4 at 20ms after 10ms nested",
			"5 at 30ms after 10ms nested", "6 at 40ms after 10ms nested", "7 at 40ms after 0s", "8 at 50ms after 10ms",
		})
	})
}

// records compares what the recorder has with what is expected.
func records(t *testing.T, l *frame.Loop, want []string) {
	t.Helper()
	var got []string
	all := l.Recorder().Recent(make([]record.Record, 100))
	for i := range all {
		r := &all[i]
		line := fmt.Sprintf("%d at %v after %v", r.Number, r.Start.Sub(all[0].Start), r.Interval)
		if r.Flags.Has(record.Nested) {
			line += " nested"
		}
		if r.Flags.Has(record.Jump) {
			line += " jump"
		}
		if r.Overrun() > 0 {
			line += fmt.Sprint(" over by ", r.Overrun())
		}
		got = append(got, line)
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("records:\n%s\nwant:\n%s", g, w)
	}
}

// A host's own frames, and a modal loop in its own work and in a callback, for a second and more: that is
// neither a jump nor an overrun.
func TestNestInHostedFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log []string
		l := nestLoop(frame.Options{})
		defer l.Close()
		box := func(name string) {
			l.Nest(func() {
				for range 2 {
					l.Begin()
					log = append(log, name)
					l.Slice()
					l.End()
					time.Sleep(600 * time.Millisecond)
				}
			})
		}
		l.Once(scheduler.BeforeUpdate, func() { box("early") })
		for i := range 3 {
			l.Begin()
			if i == 1 {
				box("update")
				l.Post(deadline.Normal, func() { box("task") })
			}
			l.Slice()
			l.End()
			log = append(log, "|")
			time.Sleep(10 * time.Millisecond)
		}
		if got, want := strings.Join(log, " "), "early early | update update task task | |"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		var jumps, over int
		for _, r := range l.Recorder().Recent(make([]record.Record, 100)) {
			if r.Flags.Has(record.Jump) && !r.Flags.Has(record.Nested) {
				jumps++
			}
			if r.Overrun() > 0 {
				over++
			}
		}
		if jumps+over > 0 {
			t.Errorf("%d jumps and %d overruns", jumps, over)
		}
	})
}

func TestNestMisuse(t *testing.T) {
	l := nestLoop(frame.Options{})
	defer l.Close()
	check := func(what, want string, f func()) {
		t.Helper()
		if got := panicOf(f); !strings.HasPrefix(got, want) {
			t.Errorf("%s: panic %q, want %q", what, got, want)
		}
	}
	nothing := func() {}
	check("nil", "frame: Nest with a nil", func() { l.Nest(nil) })
	check("between frames", "frame: Nest outside of a frame", func() { l.Nest(nothing) })
	l.Begin()
	l.Post(deadline.Normal, func() {
		done := make(chan struct{})
		go func() {
			defer close(done)
			check("another goroutine", "scheduler: Nest outside", func() { l.Nest(nothing) })
		}()
		<-done
		check("by mistake", "frame: Begin while another call", l.Begin)
	})
	l.Slice()
	check("after Slice", "frame: Nest outside of a frame", func() { l.Nest(nothing) })
	l.End()
	// A frame that is left open is ended, also by a panic.
	l.Begin()
	check("panic", "boom", func() {
		l.Nest(func() {
			l.Begin()
			panic("boom")
		})
	})
	l.Slice()
	l.End()
}

// Close within a modal loop is Stop, and the loop closes when the outermost run has ended.
func TestCloseInNest(t *testing.T) {
	l := nestLoop(frame.Options{})
	ended := false
	l.Begin()
	l.Post(deadline.Normal, func() {
		l.Nest(func() {
			l.Post(deadline.Normal, func() { _ = l.Close() })
			for range 3 {
				l.Begin()
				l.Slice()
				l.End()
			}
			if err := l.Run(context.Background(), func() error { return nil }); err != nil {
				t.Error(err)
			}
			select {
			case <-l.Done():
				t.Error("closed beneath a task that runs")
			default:
			}
		})
		ended = true
	})
	l.Slice()
	l.End()
	l.Begin()
	<-l.Done()
	if !ended {
		t.Error("the task did not end")
	}
}

// With a slice in the shadow, a task on the host's goroutine may nest, and one in the shadow may not.
func TestNestBesideShadow(t *testing.T) {
	l := frame.New(frame.Options{Placement: frame.PlaceShadow, Workers: workers.Options{Workers: -1}})
	defer l.Close()
	if l.Host() == l.Scheduler() {
		t.Skip("no shadow here")
	}
	ran, text := 0, make(chan any, 1)
	l.Host().Post(deadline.Normal, func() {
		l.Nest(func() {
			for range 3 {
				l.Begin()
				l.Slice()
				l.End()
				l.Rest() // while the frame's slice is in the shadow
				ran++
			}
			err := l.Run(bg, func() error { return frame.ErrStop })
			if text := panicOf(func() { l.Report("nested") }); err != nil || text != "" {
				t.Error(err, text)
			}
		})
	})
	l.Post(deadline.Low, func() {
		defer func() { text <- recover() }()
		l.Nest(func() {})
	})
	l.Begin()
	l.Slice()
	l.End()
	l.Begin()
	l.End()
	if v := fmt.Sprint(<-text); !strings.HasPrefix(v, "frame: Nest in the slice in the swap's shadow") &&
		!strings.HasPrefix(v, "scheduler: Nest outside") || ran != 3 {
		t.Errorf("ran %d frames, and the task in the shadow: %q", ran, v)
	}
}

// A message box in the middle of an update: it returns when it is done, and the frames go on meanwhile.
func ExampleLoop_Nest() {
	l := frame.New(frame.Options{Interval: time.Millisecond})
	defer l.Close()
	messageBox := func(text string) {
		l.Nest(func() {
			n := 0
			_ = l.Run(context.Background(), func() error {
				if n++; n == 3 { // clicked away
					return frame.ErrStop
				}
				fmt.Println("draw:", text)
				return nil
			})
		})
	}
	_ = l.Run(context.Background(), func() error {
		messageBox("saved")
		fmt.Println("go on")
		return frame.ErrStop
	})
	// Output:
	// draw: saved
	// draw: saved
	// go on
}

// A modal loop that drives its frames itself learns that the program is to end: nothing closes beneath it, and nobody
// clicks it away any more.
func ExampleLoop_Closing() {
	l := frame.New(frame.Options{})
	defer l.Close()
	box := func(open func() bool) {
		l.Nest(func() {
			for open() && !l.Closing() {
				l.Begin()
				fmt.Println("draw")
				l.Slice()
				l.End()
			}
		})
	}
	l.Post(deadline.Normal, l.Stop) // a signal, say, or the window's button
	l.Begin()
	box(func() bool { return true })
	l.End()
	<-l.Done()
	fmt.Println("closed")
	// Output:
	// draw
	// closed
}
