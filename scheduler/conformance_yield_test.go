package scheduler_test

import (
	"errors"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// The web's scheduler.yield: continuations, what they inherit, and how they are aborted.

func TestYieldContinuationsComeBeforePeersAndAfterTheMoreUrgent(t *testing.T) {
	for policy, want := range map[deadline.Policy]string{
		deadline.ByPriority:   "y0 urgent y1 y2 peer low",
		deadline.ByExpiration: "y0 urgent y1 y2 peer low",
	} {
		inWorld(t, scheduler.Options{Policy: policy}, func(w *world) {
			var l log
			w.s.Go(deadline.Normal, func(co *scheduler.Co) {
				l.say("y0")
				w.s.Post(deadline.Low, l.add("low"))
				w.s.Post(deadline.Normal, l.add("peer"))
				w.s.Post(deadline.UserBlocking, l.add("urgent"))
				co.Yield()
				l.say("y1")
				co.Yield()
				l.say("y2")
			})
			w.drain()
			l.want(t, want)
		})
	}
}

// Under ByPriority those that wait take turns; under ByExpiration the first one keeps its place and is finished.
func TestYieldOrderAmongContinuations(t *testing.T) {
	for _, policy := range []deadline.Policy{deadline.ByExpiration, deadline.ByPriority} {
		inWorld(t, scheduler.Options{Policy: policy}, func(w *world) {
			var l log
			for _, n := range []string{"a", "b"} {
				w.s.Go(deadline.Normal, func(co *scheduler.Co) {
					l.say("%s1", n)
					co.Yield()
					l.say("%s2", n)
					co.Yield()
					l.say("%s3", n)
				})
			}
			w.drain()
			l.want(t, "a1 a2 a3 b1 b2 b3") // b has not begun: it is a peer
		})
	}
	for policy, want := range map[deadline.Policy]string{
		deadline.ByPriority:   "a1 b1 urgent a2 b2 a3 b3",
		deadline.ByExpiration: "a1 b1 urgent a2 a3 b2 b3",
	} {
		inWorld(t, scheduler.Options{Policy: policy}, func(w *world) {
			var l log
			tasks := map[string]*scheduler.Task{}
			for _, n := range []string{"a", "b"} {
				tasks[n] = w.s.Go(deadline.UserBlocking, func(co *scheduler.Co) {
					l.say("%s1", n)
					tasks[n].SetPriority(deadline.Normal) // lets the other one begin
					co.Yield()
					l.say("%s2", n)
					co.Yield()
					l.say("%s3", n)
				})
			}
			w.s.Post(deadline.UserBlocking, l.add("urgent"))
			w.drain()
			l.want(t, want)
		})
	}
}

func TestYieldInheritsPriorityGroupAndLabel(t *testing.T) {
	inWeb(t, func(w *world) {
		var l log
		g := w.s.NewGroup("scene")
		say := func() {
			c := w.s.Current()
			name := "none"
			if c.Group != nil {
				name = c.Group.Label()
			}
			l.say("%v/%s/%s", c.Priority, name, c.Label)
		}
		parent := &scheduler.Task{Label: "load", Priority: deadline.UserBlocking, Group: g}
		parent.Co = func(co *scheduler.Co) {
			say()
			co.Yield()
			say()
			co.Sleep(ms)
			say()
			co.NextFrame()
			child := w.s.Current().Go(func(co *scheduler.Co) { say() })
			if err := co.Wait(child); err != nil {
				t.Error(err)
			}
			say()
		}
		w.s.Submit(parent)
		w.drain()
		w.s.Post(deadline.Low, say) // another task inherits nothing
		for range 3 {
			time.Sleep(ms)
			w.s.BeginFrame(deadline.Now())
			w.drain()
		}
		l.want(t, "user-blocking/scene/load user-blocking/scene/load user-blocking/scene/load low/none/ "+
			"user-blocking/scene/load user-blocking/scene/load")
		say() // nor does what is outside of tasks
		l.want(t, "normal/none/")
	})
}

func TestYieldFollowsAChangeOfPriority(t *testing.T) {
	inWeb(t, func(w *world) {
		var l log
		var task *scheduler.Task
		task = w.s.Go(deadline.UserBlocking, func(co *scheduler.Co) {
			w.s.Post(deadline.Normal, l.add("normal"))
			l.say("%v", co.Priority())
			task.SetPriority(deadline.Low)
			co.Yield()
			l.say("%v", co.Priority())
		})
		w.drain()
		l.want(t, "user-blocking normal low")
	})
}

func TestYieldIsAborted(t *testing.T) {
	inWeb(t, func(w *world) {
		var l log
		g := w.s.NewGroup("signal")
		before := g.Go(deadline.Normal, func(co *scheduler.Co) { // aborted before it yields
			defer l.say("unwound1")
			g.Cancel()
			l.say("goes-on")
			co.Yield()
			l.say("never")
		})
		w.drain()
		l.want(t, "goes-on unwound1")
		eq(t, "state", before.State(), scheduler.Canceled)

		g = w.s.NewGroup("signal")
		meanwhile := g.Go(deadline.Normal, func(co *scheduler.Co) { // aborted by another task, while it yields
			defer l.say("unwound2")
			w.s.Post(deadline.UserBlocking, func() { g.Cancel() })
			co.Yield()
			l.say("never")
		})
		w.drain()
		l.want(t, "unwound2")
		eq(t, "state", meanwhile.State(), scheduler.Canceled)

		// One that has returned is not aborted any more.
		done := g.Go(deadline.Normal, func(*scheduler.Co) {})
		eq(t, "submitted into what is canceled", errors.Is(done.Err(), scheduler.ErrCanceled), true)
	})
}

// A child's failure or cancellation is its own; the parent is told by Wait.
func TestYieldWaitTellsOfTheChild(t *testing.T) {
	inWorld(t, scheduler.Options{OnPanic: func(*scheduler.PanicError) {}}, func(w *world) {
		var l log
		w.s.Go(deadline.Normal, func(co *scheduler.Co) {
			bad := w.s.Go(deadline.Low, func(*scheduler.Co) { panic("oops") })
			slow := w.s.Go(deadline.Low, func(co *scheduler.Co) { co.Sleep(time.Hour) })
			var p *scheduler.PanicError
			l.say("%v", errors.As(co.Wait(bad), &p) && p.Value == "oops")
			w.s.Post(deadline.Normal, func() { slow.Cancel() })
			l.say("%v", errors.Is(co.Wait(slow), scheduler.ErrCanceled))
		})
		w.drain()
		l.want(t, "true true")
	})
}

// Nobody offers it: a yield loop does not starve its peers, and does not lose the frame either.
func TestYieldLoopStarvesNobody(t *testing.T) {
	for _, policy := range []deadline.Policy{deadline.ByExpiration, deadline.ByPriority} {
		inWorld(t, scheduler.Options{Policy: policy}, func(w *world) {
			loops := 0
			task := w.s.Go(deadline.Normal, func(co *scheduler.Co) {
				for {
					time.Sleep(ms / 10)
					loops++
					co.Yield()
				}
			})
			for frame := range 10 {
				ran := false
				w.s.Post(deadline.Normal, func() { ran = true })
				w.frame(4 * ms)
				if !ran {
					t.Errorf("%v: the peer did not run in frame %d", policy, frame)
				}
			}
			if loops < 300 {
				t.Errorf("%v: %d loops in ten slices of 4 ms, want nearly 400", policy, loops)
			}
			task.Cancel()
		})
	}
}
