package frame_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// hangs is a loop in virtual time, in which something waits until the watchdog has reported it, or for an hour.
type hangs struct {
	l    *frame.Loop
	free chan struct{}
	told []string
}

// watched makes the loop, in which f hangs, and returns what was told.
func watched(t *testing.T, o frame.Options, f func(h *hangs)) []string {
	t.Helper()
	h := &hangs{}
	o.OnStuck = func(report string) {
		h.told = append(h.told, report)
		h.free <- struct{}{}
	}
	bubble(t, o, func(_ *testing.T, l *frame.Loop) {
		h.l, h.free = l, make(chan struct{}, 100)
		f(h)
	})
	return h.told
}

func (h *hangs) wait() { h.waitFor(nil) }

// waitFor waits for what never comes.
func (h *hangs) waitFor(c <-chan struct{}) {
	select {
	case <-c:
	case <-h.free:
	case <-time.After(time.Hour):
	}
}

func (h *hangs) post() { h.l.Post(deadline.Normal, h.wait) }

// frames is a host.
func (h *hangs) frames() {
	for range 9 {
		frameOf(h.l)
		time.Sleep(16 * ms)
	}
}

// run is Run, for 9 frames.
func (h *hangs) run(f func()) {
	n := 0
	_ = h.l.Run(bg, func() error {
		f()
		if n++; n == 9 {
			return frame.ErrStop
		}
		return nil
	})
}

// once returns what waits when it is called for the first time.
func (h *hangs) once() func() {
	hung := false
	return func() {
		if !hung {
			hung = true
			h.wait()
		}
	}
}

// own is a frame whose own work hangs.
func (h *hangs) own() {
	h.l.Begin()
	h.wait()
	h.l.End()
}

func nothing() {}

// heldGame is a wrapped game.
type heldGame struct{ update, draw func() }

func (*heldGame) Layout(int, int) (int, int) { return 1, 1 }

func (g *heldGame) Update() error {
	g.update()
	return nil
}

func (g *heldGame) Draw(*fakeImage) { g.draw() }

// gameOf plays 9 frames of a wrapped game.
func gameOf(l *frame.Loop, update, draw func()) {
	g := frame.Wrap[fakeFinal, fakeGeoM](&heldGame{update, draw}, l)
	for range 9 {
		g.Layout(1, 1)
		_ = g.Update()
		g.Draw(nil)
	}
}

// Of each way to hang there is one report after ten seconds. The last one of its stacks hangs.
func TestTheWatchdogShowsWhatHangs(t *testing.T) {
	const after, shadow = frame.PlaceAfterDraw, frame.PlaceShadow
	for name, c := range map[string]struct {
		place frame.Placement
		own   bool // it is the host's own work
		hang  func(h *hangs)
	}{
		"a task":               {after, false, func(h *hangs) { h.post(); h.frames() }},
		"a task in the shadow": {shadow, false, func(h *hangs) { h.post(); h.frames() }},
		"a coroutine": {after, false, func(h *hangs) {
			h.l.Go(deadline.Normal, func(co *scheduler.Co) {
				co.NextFrame()
				h.wait()
			})
			h.frames()
		}},
		"a task waits for a task": {after, false, func(h *hangs) {
			never := h.l.Go(deadline.Low, func(*scheduler.Co) {})
			h.l.Post(deadline.Immediate, func() { h.waitFor(never.Done()) })
			h.frames()
		}},
		"a task waits for the loop": {after, false, func(h *hangs) {
			h.l.Post(deadline.Normal, func() {
				h.l.Stop()
				h.waitFor(h.l.Done())
			})
			h.frames()
		}},
		"a callback in Begin": {after, false, func(h *hangs) {
			h.l.Host().Once(scheduler.BeforeUpdate, h.wait)
			h.frames()
		}},
		"a callback in Slice": {shadow, false, func(h *hangs) {
			h.l.Host().Once(scheduler.AfterDraw, h.wait)
			h.frames()
		}},
		"a job": {after, false, func(h *hangs) {
			h.l.Pool().Go(deadline.Normal, h.wait)
			h.frames()
		}},
		"Run's function":           {after, true, func(h *hangs) { h.run(h.once()) }},
		"a wrapped game's update":  {after, true, func(h *hangs) { gameOf(h.l, h.once(), nothing) }},
		"a wrapped game's drawing": {after, true, func(h *hangs) { gameOf(h.l, nothing, h.once()) }},
		"own work":                 {after, true, (*hangs).own},
		"own work after a report": {shadow, true, func(h *hangs) {
			wait := h.once()
			h.run(func() { h.l.Report("x"); wait() })
		}},
		"a task of frames that have moved": {after, false, func(h *hangs) {
			h.l.Post(deadline.Normal, nothing)
			frameOf(h.l)
			h.post()
			on(false, h.frames)
		}},
		"own work of frames in a job": {after, true, func(h *hangs) {
			pool := workers.New(workers.Options{Workers: -1})
			pool.Go(deadline.Normal, h.own)
			pool.RunUntil(deadline.Deadline{})
			_ = pool.Close(bg)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if c.place == shadow {
				needsThreads(t)
			}
			told := watched(t, frame.Options{Placement: c.place}, c.hang)
			if len(told) != 1 {
				t.Fatalf("reported %d", len(told))
			}
			want := "frame: a frame has not ended for 10s, in a call of the loop: "
			if c.own {
				want = "frame: a frame has not ended for 10s, in the host's own work: "
			}
			last := told[0][strings.LastIndex(told[0], "\n\ngoroutine "):]
			if !strings.HasPrefix(told[0], want) || !strings.Contains(last, "hangs).waitFor(") {
				t.Errorf("want one of %q, and of the stack that waits:\n%s", want, told[0])
			}
		})
	}
}

// A job waits for a task, to which the frame that waits for the job does not come. If no worker has begun the job, the
// wait runs it.
func TestTheWatchdogShowsACircleThroughThePool(t *testing.T) {
	needsThreads(t)
	for _, n := range []int{1, -1} {
		told := watched(t, frame.Options{Workers: workers.Options{Workers: n}}, func(h *hangs) {
			frames := 0
			h.run(func() {
				if frames++; frames == 3 {
					task := h.l.Go(deadline.Normal, func(*scheduler.Co) {})
					job := &workers.Job{Func: func(*workers.Worker) { h.waitFor(task.Done()) }}
					h.l.Pool().Submit(job)
					time.Sleep(ms)
					_ = job.Wait(bg)
				}
			})
		})
		if len(told) != 1 || !strings.Contains(told[0], "workers.(*Job).Wait(") ||
			!strings.Contains(told[0], "frame.(*Loop).Run(") {
			t.Errorf("%d workers: %q", n, told)
		}
	}
}

// Only what is between Begin and End is held: elsewhere a host waits for as long as it likes.
func TestTheWatchdogLeavesHostsThatWaitAlone(t *testing.T) {
	const hour = time.Hour
	between := func(l *frame.Loop) {
		for range 3 {
			frameOf(l)
			time.Sleep(hour)
		}
	}
	for name, c := range map[string]struct {
		o frame.Options
		f func(l *frame.Loop)
	}{
		"between frames":               {frame.Options{}, between},
		"between frames with a shadow": {frame.Options{Placement: frame.PlaceShadow}, between},
		"for the tick of Run": {frame.Options{Interval: time.Minute}, func(l *frame.Loop) {
			(&hangs{l: l}).run(nothing)
		}},
		"for the tick of Pace": {frame.Options{Interval: time.Minute, Pace: true}, func(l *frame.Loop) {
			for range 300 {
				frameOf(l)
				time.Sleep(ms) // nothing else paces them
			}
		}},
		"in a window that is not shown": {frame.Options{}, func(l *frame.Loop) {
			g := frame.Wrap[fakeFinal, fakeGeoM](&fullGame{}, l)
			for range 3 {
				g.(hostLayoutFer).LayoutF(1, 1)
				time.Sleep(hour)
				_ = g.Update()
				time.Sleep(hour)
				g.Draw(nil)
				time.Sleep(hour)
			}
		}},
		"after a Run that panicked": {frame.Options{}, func(l *frame.Loop) {
			defer time.Sleep(hour)
			testkit.Panics(t, "in the middle of a frame", func() {
				_ = l.Run(bg, func() error { panic("in the middle of a frame") })
			})
		}},
		"after the loop's end": {frame.Options{}, func(l *frame.Loop) {
			l.Begin()
			l.Stop()
			l.Slice()
			time.Sleep(hour)
			l.End()
		}},
		"with a wrapped game that continues": {frame.Options{Placement: frame.PlaceAfterDraw}, func(l *frame.Loop) {
			l.Stop()
			gameOf(l, func() { time.Sleep(hour) }, nothing)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			c.o.OnStuck = func(report string) { t.Error(report) }
			bubble(t, c.o, func(t *testing.T, l *frame.Loop) {
				from := time.Now()
				if c.f(l); time.Since(from) < time.Minute {
					t.Errorf("it took %v: nothing has waited", time.Since(from))
				}
			})
		})
	}
}

// Without OnStuck the report is printed.
func TestTheWatchdogPrints(t *testing.T) {
	name := filepath.Join(t.TempDir(), "stderr")
	f, err := os.Create(name)
	if err != nil {
		t.Skip(err) // a browser
	}
	defer func(was *os.File) { os.Stderr = was }(os.Stderr)
	os.Stderr = f
	bubble(t, frame.Options{}, func(_ *testing.T, l *frame.Loop) {
		l.Begin()
		time.Sleep(time.Hour)
		l.End()
	})
	_ = f.Close()
	text, err := os.ReadFile(name)
	if err != nil || !strings.HasPrefix(string(text), "frame: a frame has not ended for 10s") ||
		!strings.Contains(string(text), "time.Sleep(") {
		t.Errorf("printed %s; error %v", text, err)
	}
}
