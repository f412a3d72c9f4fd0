package scheduler_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
)

// joining returns a task of each shape, whose first generation submits it into g, does what during says and continues
// for some slices, and whose second one only ends.
func joining(w *world, g *scheduler.Group, during func()) map[string]*scheduler.Task {
	tasks := map[string]*scheduler.Task{}
	add := func(name string) (*scheduler.Task, func() bool) {
		t, n := &scheduler.Task{}, 0
		tasks[name] = t
		return t, func() bool { // whether it is the first step of all
			n++
			if n == 1 {
				scheduler.SubmitTo(g, t)
				during()
				w.s.ShouldYield() // which reads the inbox
			}
			return n == 1
		}
	}
	f, first := add("function")
	f.Func = func() { first() }
	p, firstTick := add("periodic")
	p.Period = ms
	p.Func = func() {
		if !firstTick() {
			p.Period = 0
		}
	}
	s, firstStep := add("steps")
	s.Step = func() bool { time.Sleep(ms); return firstStep() }
	c, firstStretch := add("coroutine")
	c.Co = func(co *scheduler.Co) {
		if firstStretch() {
			co.NextFrame()
			co.Sleep(20 * ms)
		}
	}
	return tasks
}

func TestGroupWaitsForWhatJoinsItInItsOwnRun(t *testing.T) {
	for name := range joining(nil, nil, nil) {
		inWorld(t, scheduler.Options{}, func(w *world) {
			g := w.s.NewGroup("g")
			var done <-chan struct{}
			task := joining(w, g, func() { done = g.Done() })[name]
			w.s.Submit(task)
			for range 12 {
				w.frame(time.Microsecond)
				if ended := task.State() == scheduler.Done; done == nil || isDone(done) != ended {
					t.Errorf("%s: Done is closed: %v, it has ended: %v", name, isDone(done), ended)
				}
			}
			if done == nil || !isDone(done) {
				t.Errorf("%s: Done is not closed", name)
			}
			if n := scheduler.Coming(w.s); n != 0 {
				t.Errorf("%s: %d still come", name, n)
			}
		})
	}
}

// What was to join, and does not: it is canceled in the run, or while it is suspended, or then submitted elsewhere; or
// the scheduler closes.
func TestGroupDoesNotWaitForWhatDoesNotJoin(t *testing.T) {
	ways := map[string]func(w *world, task *scheduler.Task){
		"canceled": func(w *world, task *scheduler.Task) { task.Cancel() },
		"elsewhere": func(w *world, task *scheduler.Task) {
			task.Cancel()
			scheduler.SubmitTo(w.s.NewGroup("other"), task)
		},
		"nowhere": func(w *world, task *scheduler.Task) {
			task.Cancel()
			task.Group = nil
			w.s.Submit(task)
		},
		"closed": func(w *world, task *scheduler.Task) { w.s.Close() },
	}
	for way, does := range ways {
		for name := range joining(nil, nil, nil) {
			inWorld(t, scheduler.Options{}, func(w *world) {
				g := w.s.NewGroup("g")
				var task *scheduler.Task
				var done <-chan struct{}
				task = joining(w, g, func() {
					done = g.Done()
					w.s.ShouldYield()
					does(w, task)
				})[name]
				w.s.Submit(task)
				for range 12 {
					w.frame(time.Microsecond)
				}
				if n := scheduler.Members(g) + scheduler.Coming(w.s); done == nil || !isDone(done) || n != 0 {
					t.Errorf("%s, %s: the group has %d members, or Done is not closed", name, way, n)
				}
			})
		}
	}
	inWorld(t, scheduler.Options{}, func(w *world) {
		g := w.s.NewGroup("g")
		task := joining(w, g, func() {})["coroutine"]
		w.s.Submit(task)
		w.frame(ms)
		done := g.Done()
		w.frame(ms)
		if isDone(done) || !task.Cancel() {
			t.Error("it is not about to join")
		}
		w.frame(ms)
		w.frame(ms)
		canceled(t, task)
		if !isDone(done) {
			t.Error("Done is not closed")
		}
	})
}

func TestGroupIsKnownByWhatWasSubmitted(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		g := w.s.NewGroup("g")
		task, n := &scheduler.Task{}, 0
		task.Func = func() {
			if n++; n == 1 {
				scheduler.SubmitTo(g, task)
				task.Group = nil // its own field, in its own run: of the next Submit
			}
		}
		w.s.Submit(task)
		w.drain()
		if done := g.Done(); n != 2 || scheduler.Members(g) != 0 || w.drain().Ran != 0 || !isDone(done) {
			t.Errorf("%d runs; the group has %d members when all have ended", n, scheduler.Members(g))
		}
	})
}

func TestWaitForAGroupThatOneJoins(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		g := w.s.NewGroup("g")
		task, n := &scheduler.Task{Priority: deadline.UserBlocking}, 0
		task.Co = func(co *scheduler.Co) {
			if n++; n == 1 {
				scheduler.SubmitTo(g, task)
				testkit.Panics(t, "scheduler: a task that waits for its own group", func() { g.Wait(co) })
			}
		}
		w.s.Submit(task)
		w.drain()
		if n != 2 {
			t.Errorf("%d runs, want 2", n)
		}
	})
}

// A cancellation holds before it is read: here behind more messages than a slice without time reads.
func TestS20_ACancelHoldsBeforeItIsRead(t *testing.T) {
	s, now := virtual(t, scheduler.Options{})
	g := s.NewGroup("level")
	g.Post(deadline.Normal, func() { t.Error("a member of a canceled group has run") })
	s.ShouldYield() // reads the inbox
	s.Post(deadline.Immediate, nop)
	s.RunUntil(deadline.At(*now))
	for range 10_000 {
		s.Post(deadline.Low, nop)
	}
	g.Cancel()
	s.RunUntil(deadline.At(*now))
	s.RunUntil(deadline.Deadline{})
}

// What a function of Group.Notify asks of the scheduler does not have it read the inbox out of order.
func TestNotifyKeepsTheOrderOfPosts(t *testing.T) {
	s, _ := virtual(t, scheduler.Options{})
	g := s.NewGroup("g")
	var l log
	s.Post(deadline.Normal, func() {
		scheduler.OnEnd(g, func() {
			s.Post(deadline.Normal, l.add("second"))
			s.ShouldYield()
		})
		s.Post(deadline.Normal, l.add("first"))
		s.ShouldYield()
	})
	s.RunUntil(deadline.Deadline{})
	l.want(t, "first second")
}
