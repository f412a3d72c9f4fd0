package frame_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// nested is a loop in virtual time with ticks of 10 ms.
func nested(t *testing.T, o frame.Options, f func(t *testing.T, l *frame.Loop)) {
	o.Interval, o.Recorder.WarmUp = 10*ms, -1
	bubble(t, o, f)
}

// A dialog in a task, in Run: its own Run keeps the frames and the other tasks going.
func TestNestInTaskOfRun(t *testing.T) {
	nested(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
		var log []string
		note := func(what string, n int) { log = append(log, fmt.Sprint(what, n)) }
		l.Go(deadline.Normal, func(co *scheduler.Co) {
			for i := range 6 {
				note("music", i)
				co.NextFrame()
			}
		})
		play(t, l, 2, func(i int) {
			if note("frame", i); i == 2 {
				l.Post(deadline.Low, func() {
					l.Nest(func() { play(t, l, 3, func(n int) { note("box", n) }) })
					note("closed", 0)
				})
			}
		})
		want := "frame1 music0 frame2 music1 box1 music2 box2 music3 box3 music4 closed0"
		if got := strings.Join(log, " "); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		records := []string{
			"1 at 0s after 0s", "2 at 10ms after 10ms", "3 at 10ms after 0s nested", "4 at 20ms after 10ms nested",
			"5 at 30ms after 10ms nested", "6 at 40ms after 10ms nested", "7 at 40ms after 0s", "8 at 50ms after 10ms",
		}
		var got []string
		all := l.Recorder().Recent(make([]record.Record, 100))
		for i := range all {
			r := &all[i]
			line := fmt.Sprintf("%d at %v after %v", r.Number, r.Start.Sub(all[0].Start), r.Interval)
			if r.Flags&record.Nested != 0 {
				line += " nested"
			}
			if r.Flags&record.Jump != 0 || r.Overrun() > 0 {
				line += fmt.Sprint(" jumps, or over by ", r.Overrun())
			}
			got = append(got, line)
		}
		if g, w := strings.Join(got, "\n"), strings.Join(records, "\n"); g != w {
			t.Errorf("records:\n%s\nwant:\n%s", g, w)
		}
	})
}

// A host's own frames, and a modal loop in a callback, in its own work and in a task, for a second and more: that is
// neither a jump nor an overrun.
func TestNestInHostedFrame(t *testing.T) {
	nested(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
		var log []string
		box := func(name string) {
			l.Nest(func() {
				for range 2 {
					l.Begin()
					log = append(log, name)
					l.Slice()
					l.End()
					time.Sleep(600 * ms)
				}
			})
		}
		l.Host().Once(scheduler.BeforeUpdate, func() { box("early") })
		for i := range 3 {
			l.Begin()
			if i == 1 {
				box("update")
				l.Post(deadline.Normal, func() { box("task") })
			}
			l.Slice()
			l.End()
			log = append(log, "|")
			time.Sleep(10 * ms)
		}
		wantLog(t, "frames", &log, "early early | update update task task | |")
		for _, r := range l.Recorder().Recent(make([]record.Record, 100)) {
			if r.Flags&record.Jump != 0 && r.Flags&record.Nested == 0 || r.Overrun() > 0 {
				t.Errorf("frame %d: %v, over by %v", r.Number, r.Flags, r.Overrun())
			}
		}
	})
}

// A frame that f leaves open is ended, also by a panic.
func TestAPanicInNestEndsItsFrame(t *testing.T) {
	nested(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
		l.Begin()
		wantPanic(t, "boom", func() {
			l.Nest(func() {
				l.Begin()
				panic("boom")
			})
		})
		l.Slice()
		l.End()
	})
}

// Close within a modal loop is Stop, and the loop closes when the outermost run has ended.
func TestCloseInNest(t *testing.T) {
	nested(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
		ended := false
		l.Begin()
		l.Post(deadline.Normal, func() {
			l.Nest(func() {
				l.Post(deadline.Normal, func() { _ = l.Close() })
				framesOf(l, 3)
				if err := l.Run(bg, func() error { return nil }); err != nil {
					t.Error(err)
				}
				select {
				case <-l.Done():
					t.Error("closed beside a task that runs")
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
	})
}

// With a slice in the shadow, a task on the host's goroutine may nest, and one in the shadow may not.
func TestNestBesideShadow(t *testing.T) {
	l := frame.New(frame.Options{Placement: frame.PlaceShadow, Workers: workers.Options{Workers: -1}})
	defer l.Close()
	if l.Host() == l.Scheduler() {
		t.Skip("no shadow here")
	}
	ran, text := 0, make(chan string, 1)
	l.Host().Post(deadline.Normal, func() {
		l.Nest(func() {
			for range 3 {
				frameOf(l)
				l.Rest() // while the frame's slice is in the shadow
				ran++
			}
			play(t, l, 0, nil)
			if text := panicOf(func() { l.Report("nested") }); text != "" {
				t.Error(text)
			}
		})
	})
	l.Post(deadline.Low, func() { text <- panicOf(func() { l.Nest(func() {}) }) })
	frameOf(l)
	l.Begin()
	l.End()
	if v := <-text; !strings.HasPrefix(v, "frame: Nest in the slice in the swap's shadow") &&
		!strings.HasPrefix(v, "scheduler: Nest outside") || ran != 3 {
		t.Errorf("ran %d frames, and the task in the shadow: %q", ran, v)
	}
}

// The rest of a frame in whose own work there was a modal loop is a frame with all that belongs to one: callbacks, also
// where the host calls no RunPhase, and coroutines that wait for it.
func TestTheRestOfAFrameAfterNestHasItsCallbacks(t *testing.T) {
	everywhere(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
		callbacks, resumed := 0, 0
		l.Host().Each(scheduler.BeforeDraw, func() { callbacks++ })
		l.Host().Go(deadline.Normal, func(co *scheduler.Co) {
			for {
				co.NextFrame()
				resumed++
			}
		})
		frameOf(l)
		l.Begin()
		l.Nest(func() { frameOf(l) })
		l.Slice()
		l.End()
		if callbacks != 3 || resumed != 2 {
			t.Errorf("%d callbacks of three frames, resumed %d times", callbacks, resumed)
		}
	})
}

// The ticks that lie in a Nest have their frames there, or nobody wanted any: whether Run or Options.Pace paces the
// frames outside, and whether the Nest has a host's frames, Run or none. Each frame waits once.
func TestNestSkipsNoTick(t *testing.T) {
	for inside, f := range map[string]func(l *frame.Loop){
		"nothing": func(*frame.Loop) { time.Sleep(time.Second) },
		"frames": func(l *frame.Loop) {
			for range 100 {
				frameOf(l)
				if l.Stats().Paced { // else End has waited
					time.Sleep(10 * ms)
				}
			}
		},
		"Run": func(l *frame.Loop) {
			begun := time.Now()
			if play(t, l, 100, func(int) {}); time.Since(begun) != time.Second {
				t.Errorf("100 frames of Run in %v", time.Since(begun))
			}
		},
	} {
		bubble(t, frame.Options{Interval: 10 * ms}, func(t *testing.T, l *frame.Loop) {
			play(t, l, 4, func(i int) {
				switch i {
				case 2:
					l.Nest(func() { f(l) })
				case 3:
					l.Nest(func() { time.Sleep(ms) }) // within a tick: the grid stays
				}
			})
			recs := l.Recorder().Recent(make([]record.Record, 2))
			if s := l.Stats(); s.Skipped > 0 || recs[1].Interval != 10*ms || recs[0].Interval != 9*ms {
				t.Errorf("%s in the Nest: %d ticks skipped, the last intervals %v %v", inside, s.Skipped,
					recs[0].Interval, recs[1].Interval)
			}
		})
		bubble(t, frame.Options{Interval: 10 * ms, Pace: true}, func(t *testing.T, l *frame.Loop) {
			for i := range 200 {
				l.Begin()
				time.Sleep(ms)
				if i == 150 {
					l.Nest(func() { f(l) })
				}
				l.Slice()
				l.End()
			}
			last := l.Recorder().Recent(make([]record.Record, 1))[0].Interval
			if s := l.Stats(); s.Skipped > 0 || last != 10*ms {
				t.Errorf("Pace, %s in the Nest: %d ticks skipped, the last interval %v", inside, s.Skipped, last)
			}
		})
	}
}
