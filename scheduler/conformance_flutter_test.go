package scheduler_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// Flutter's SchedulerBinding: transient callbacks are Once with BeforeUpdate, persistent ones Each with
// BeforeDraw, post-frame ones Once with AfterDraw, and scheduleTask is Post.

func TestFlutterPhasesOfAFrame(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		w.s.Each(scheduler.BeforeDraw, l.add("persistent"))
		w.s.Once(scheduler.AfterDraw, l.add("post"))
		w.s.Once(scheduler.BeforeUpdate, func() {
			l.say("transient")
			w.s.Microtask(l.add("micro"))
		})
		w.draw()
		w.draw()
		l.want(t, "transient micro persistent post persistent")
	})
}

func TestFlutterPersistentCallbackAddedDuringThePhaseRunsInTheNextFrame(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		added := false
		w.s.Each(scheduler.BeforeDraw, func() {
			l.say("first")
			if !added {
				added = true
				w.s.Each(scheduler.BeforeDraw, l.add("second"))
			}
		})
		w.draw()
		l.want(t, "first")
		w.draw()
		w.draw()
		l.want(t, "first second first second")
	})
}

// A persistent callback does not ask for frames, a transient one does, and a post-frame one does too, which
// Flutter's does not.
func TestFlutterWhatRequestsAFrame(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		asks := func() bool {
			w.s.RunUntil(deadline.In(0)) // reads the inbox
			return w.s.DrawRequested()
		}
		w.draw() // this host runs its phases by itself
		w.s.Each(scheduler.BeforeDraw, func() {})
		eq(t, "persistent", asks(), false)
		for p, name := range map[scheduler.Phase]string{
			scheduler.BeforeUpdate: "transient", scheduler.AfterDraw: "post-frame",
		} {
			w.s.Once(p, func() {})
			eq(t, name, asks(), true)
			w.draw()
			eq(t, name+", after the frame", asks(), false)
		}
	})
}

func TestFlutterPostFrameCallbackAddedByOneRunsInTheNextFrame(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		w.s.Once(scheduler.AfterDraw, func() {
			l.say("1")
			w.s.Once(scheduler.AfterDraw, l.add("2"))
		})
		w.draw()
		l.want(t, "1")
		w.draw()
		l.want(t, "2")
	})
}

// endOfFrame: a coroutine that waits for the frame, and by that asks for one.
func TestFlutterEndOfFrame(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		w.draw()
		w.s.Go(deadline.Normal, func(co *scheduler.Co) {
			l.say("asked")
			co.AfterDraw()
			l.say("drawn")
		})
		w.drain()
		eq(t, "DrawRequested", w.s.DrawRequested(), true)
		w.drain()
		l.want(t, "asked")
		w.draw()
		w.drain()
		l.want(t, "drawn")
	})
}

// Their own test cannot tell the order of equals; ours is that of submission. The scheduling strategy, a
// gate by priority, is a group here, or the order of things: while animations are pressing nothing is left.
func TestFlutterTasksRunByPriorityThenBySubmission(t *testing.T) {
	inWeb(t, func(w *world) {
		var l log
		for _, x := range []struct {
			name string
			p    deadline.Priority
		}{
			{"n1", deadline.Normal}, {"t1", deadline.Immediate}, {"t2", deadline.Immediate},
			{"a1", deadline.UserBlocking}, {"i1", deadline.Idle}, {"n2", deadline.Normal},
		} {
			w.s.Post(x.p, l.add(x.name))
		}
		w.turns(2)
		l.want(t, "t1 t2")
		w.s.Post(deadline.UserBlocking, l.add("a2"))
		w.s.Post(deadline.Immediate, l.add("t3"))
		w.turns(3)
		l.want(t, "t3 a1 a2")
		w.drain()
		l.want(t, "n1 n2 i1")
	})
}

// A spinner on the screen starves Flutter's idle tasks though the frame is mostly free.
func TestFlutterAnAnimationDoesNotStarveIdleWork(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var spin func()
		frames := 0
		spin = func() {
			frames++
			w.s.Once(scheduler.BeforeUpdate, spin)
		}
		w.s.Once(scheduler.BeforeUpdate, spin)
		idle := 0
		for range 10 {
			w.s.Post(deadline.Idle, func() { idle++ })
			w.s.WhenIdle(0, func(scheduler.IdleTime) { idle++ })
		}
		for range 10 {
			w.draw()
			w.s.RunUntil(deadline.In(4 * ms))
			time.Sleep(8 * ms)
		}
		eq(t, "frames", frames, 10)
		eq(t, "idle work done", idle, 20)
	})
}

// A callback that is removed is removed: later in the same frame, and before it.
func TestFlutterRemovedCallbacks(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		var second scheduler.Handle
		w.s.Each(scheduler.BeforeDraw, func() {
			l.say("first")
			second.Cancel()
		})
		second = w.s.Each(scheduler.BeforeDraw, l.add("second"))
		var self scheduler.Handle
		self = w.s.Each(scheduler.BeforeDraw, func() {
			l.say("self")
			self.Cancel()
		})
		w.s.Each(scheduler.BeforeDraw, l.add("last"))
		w.draw()
		w.draw()
		l.want(t, "first self last first last")
	})
}

// A warm-up frame, before the display asks for the first one: the same calls, without a slice; tasks wait.
func TestFlutterWarmUpFrame(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		w.s.Post(deadline.Immediate, l.add("task"))
		w.s.Each(scheduler.BeforeDraw, l.add("draw"))
		w.draw()
		l.want(t, "draw")
		w.draw()
		w.drain()
		l.want(t, "draw task")
	})
}
