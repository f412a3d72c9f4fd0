package frame_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// hangs is a loop in virtual time, in which something waits until the watchdog has told of it, or for an hour.
type hangs struct {
	l    *frame.Loop
	free chan struct{}
	told []frame.Stuck
}

// watched makes the loop, in which f hangs, and returns what was told.
func watched(t *testing.T, o frame.Options, f func(h *hangs)) []frame.Stuck {
	t.Helper()
	h := &hangs{}
	o.OnStuck = func(s frame.Stuck) {
		h.told = append(h.told, s)
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
	t := time.NewTimer(time.Hour)
	defer t.Stop()
	select {
	case <-c:
	case <-h.free:
	case <-t.C:
	}
}

// frames is a host.
func (h *hangs) frames() {
	for range 9 {
		h.l.Begin()
		h.l.Slice()
		h.l.End()
		time.Sleep(16 * time.Millisecond)
	}
}

// run is Run, for 9 frames.
func (h *hangs) run(f func()) {
	n := 0
	_ = h.l.Run(context.Background(), func() error {
		f()
		if n++; n == 9 {
			return frame.ErrStop
		}
		return nil
	})
}

func nothing() {}

// What hangs is named, once.
func TestTheWatchdogNamesWhatHolds(t *testing.T) {
	const after, shadow, task = frame.PlaceAfterDraw, frame.PlaceShadow, "a task"
	post := func(h *hangs) { h.l.Post(deadline.Normal, h.wait) }
	co := func(h *hangs) {
		h.l.Go(deadline.Normal, func(co *scheduler.Co) {
			co.NextFrame()
			h.wait()
		})
	}
	waits := func(h *hangs) { // for a task, which cannot run meanwhile
		never := h.l.Go(deadline.Low, func(*scheduler.Co) {})
		h.l.Post(deadline.Immediate, func() { h.waitFor(never.Done()) })
	}
	stops := func(h *hangs) {
		h.l.Post(deadline.Normal, func() {
			h.l.Stop()
			h.waitFor(h.l.Done())
		})
	}
	for name, c := range map[string]struct {
		place  frame.Placement
		hang   func(h *hangs)
		holder string
		in     string // part of Label
	}{
		"a task":                {after, func(h *hangs) { post(h); h.frames() }, task, "hangs).wait"},
		"a task in the shadow":  {shadow, func(h *hangs) { post(h); h.frames() }, task, "hangs).wait"},
		"a coroutine":           {after, func(h *hangs) { co(h); h.frames() }, task, "Holds.func"},
		"it waits for a task":   {after, func(h *hangs) { waits(h); h.frames() }, task, "Holds.func"},
		"it waits for the loop": {after, func(h *hangs) { stops(h); h.frames() }, task, "Holds.func"},
		"an idle callback": {after, func(h *hangs) {
			h.l.Scheduler().WhenIdle(0, func(scheduler.IdleTime) { h.wait() })
			h.frames()
		}, task, "Holds.func"},
		"a callback": {after, func(h *hangs) {
			h.l.Host().Once(scheduler.BeforeUpdate, h.wait)
			h.frames()
		}, "a callback", "hangs).wait"},
		"a callback in Slice": {shadow, func(h *hangs) {
			h.l.Host().Once(scheduler.AfterDraw, h.wait)
			h.frames()
		}, "a callback", "hangs).wait"},
		"a job": {after, func(h *hangs) {
			h.l.Pool().Go(deadline.Normal, h.wait)
			h.frames()
		}, "a job", "hangs).wait"},
		"Run's function": {after, func(h *hangs) { h.run(h.once()) }, "the host's own work", "hangs).run.func"},
		"a wrapped game": {after, func(h *hangs) {
			g := frame.Wrap[fakeFinal, fakeGeoM](&heldGame{h.once(), nothing}, h.l)
			for range 9 {
				g.Layout(1, 1)
				_ = g.Update()
				g.Draw(nil)
			}
		}, "the host's own work", "heldGame).Update"},
		"a wrapped game's drawing": {after, func(h *hangs) {
			g := frame.Wrap[fakeFinal, fakeGeoM](&heldGame{nothing, h.once()}, h.l)
			g.Layout(1, 1)
			_ = g.Update()
			g.Draw(nil)
		}, "the host's own work", "heldGame).Draw"},
		"own work": {after, func(h *hangs) {
			h.l.Begin()
			h.wait()
			h.l.End()
		}, "the host's own work", ""},
		"own work after Nest": {after, func(h *hangs) {
			h.l.Begin()
			h.l.Nest(h.frames)
			h.wait()
			h.l.End()
		}, "the host's own work", ""},
		"own work of a nested frame": {after, func(h *hangs) {
			h.l.Post(deadline.Normal, func() {
				h.l.Nest(func() {
					h.l.Begin()
					h.wait()
					h.l.End()
				})
			})
			h.frames()
		}, "the host's own work", ""},
		"Run's function in Nest": {after, func(h *hangs) {
			h.l.Post(deadline.Normal, func() {
				h.l.Nest(func() { h.run(h.once()) })
			})
			h.frames()
		}, "the host's own work", "hangs).run.func"},
		"a task of frames that have moved": {after, func(h *hangs) {
			h.l.Post(deadline.Normal, nothing)
			h.l.Begin()
			h.l.Slice()
			h.l.End()
			post(h)
			moved := make(chan struct{})
			go func() {
				defer close(moved)
				h.frames()
			}()
			<-moved
		}, task, "hangs).wait"},
		"a task of a nested frame": {after, func(h *hangs) {
			h.l.Post(deadline.Normal, func() {
				h.l.Nest(func() { post(h); h.run(nothing) })
			})
			h.frames()
		}, task, "hangs).wait"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.place == shadow {
				needsWorkers(t)
			}
			told := watched(t, frame.Options{Placement: c.place}, c.hang)
			if len(told) != 1 {
				t.Fatalf("told of %v", told)
			}
			s := told[0]
			if s.Holder != c.holder || !strings.Contains(s.Label, c.in) || c.in == "" && s.Label != "" {
				t.Errorf("told: %v", s)
			}
			if s.For.Round(time.Millisecond) != 10*time.Second {
				t.Errorf("told after %v", s.For)
			}
			if !strings.Contains(string(s.Stack), "hangs).waitFor(") {
				t.Errorf("the stack of something else:\n%s", s.Stack)
			}
		})
	}
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

// heldGame is a wrapped game.
type heldGame struct{ update, draw func() }

func (*heldGame) Layout(int, int) (int, int) { return 1, 1 }

func (g *heldGame) Update() error {
	g.update()
	return nil
}

func (g *heldGame) Draw(*fakeImage) { g.draw() }

// A job waits for a task, to which the frame that waits for the job does not come. If no worker has begun it, the wait
// runs it.
func TestTheWatchdogTellsOfACircleThroughThePool(t *testing.T) {
	needsWorkers(t)
	for _, c := range []struct {
		workers int
		holder  string
	}{{1, "the host's own work"}, {-1, "a job"}} {
		told := watched(t, frame.Options{Workers: workers.Options{Workers: c.workers}}, func(h *hangs) {
			n := 0
			h.run(func() {
				if n++; n == 3 {
					task := h.l.Go(deadline.Normal, func(*scheduler.Co) {})
					job := &workers.Job{Func: func(*workers.Worker) { h.waitFor(task.Done()) }}
					h.l.Pool().Submit(job)
					time.Sleep(time.Millisecond)
					_ = job.Wait(context.Background())
				}
			})
		})
		if len(told) != 1 || told[0].Holder != c.holder {
			t.Fatalf("%d workers: told of %v", c.workers, told)
		}
		for _, part := range []string{"workers.(*Job).Wait(", "frame.(*Loop).Run("} {
			if !strings.Contains(string(told[0].Stack), part) {
				t.Errorf("%v, without %s:\n%s", told[0], part, told[0].Stack)
			}
		}
	}
}

// The frames of a loop may be in a job.
func TestTheWatchdogOfALoopInAJob(t *testing.T) {
	told := watched(t, frame.Options{}, func(h *hangs) {
		pool := workers.New(workers.Options{Workers: -1})
		pool.Go(deadline.Normal, func() {
			h.l.Begin()
			h.wait()
			h.l.End()
		})
		pool.RunUntil(deadline.Deadline{})
		_ = pool.Close(context.Background())
	})
	if len(told) != 1 || told[0].Holder != "the host's own work" || told[0].Label != "" {
		t.Errorf("told of %v", told)
	}
}
