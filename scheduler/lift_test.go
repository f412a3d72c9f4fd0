package scheduler_test

import (
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

func TestWaitLiftsWhatIsWaitedFor(t *testing.T) {
	for _, policy := range []deadline.Policy{deadline.ByExpiration, deadline.ByPriority} {
		inWorld(t, scheduler.Options{Policy: policy}, func(w *world) {
			var l log
			// The menu waits for the icons, which wait for the file: each lower than the one before.
			file := w.s.Go(deadline.Idle, func(co *scheduler.Co) { l.add("file")() })
			icons := w.s.Go(deadline.Low, func(co *scheduler.Co) { co.Wait(file); l.add("icons")() })
			w.s.RunUntil(deadline.In(0))
			if icons.State() != scheduler.Suspended {
				t.Errorf("the icons are %v", icons.State())
			}
			w.s.Post(deadline.Normal, l.add("normal"))
			w.s.Go(deadline.UserBlocking, func(co *scheduler.Co) { co.Wait(icons); l.add("menu")() })
			w.drain()
			l.want(t, "file icons menu normal")
		})
	}
}

func TestARaisedWaiterLiftsToo(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		file := w.s.Go(deadline.Idle, func(co *scheduler.Co) { l.add("file")() })
		menu := w.s.Go(deadline.Low, func(co *scheduler.Co) { co.Wait(file); l.add("menu")() })
		w.s.RunUntil(deadline.In(0))
		w.s.Post(deadline.Normal, l.add("normal"))
		menu.SetPriority(deadline.Immediate)
		w.drain()
		l.want(t, "file menu normal")
	})
}

func TestLiftOfWhatIsUnreadOrDueSooner(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		w.s.Post(deadline.Normal, l.add("normal"))
		w.s.Go(deadline.UserBlocking, func(co *scheduler.Co) {
			child := w.s.Go(deadline.Low, func(*scheduler.Co) { l.add("child")() })
			co.Wait(child)
		})
		// Its own timeout is shorter than that of its waiter's priority, and stays.
		soon := &scheduler.Task{Priority: deadline.Low, Timeout: ms, Func: l.add("soon")}
		w.s.Submit(soon)
		w.s.Go(deadline.Immediate, func(co *scheduler.Co) {
			other := w.s.Go(deadline.UserBlocking, func(co *scheduler.Co) { co.Wait(soon) })
			_ = other
		})
		w.drain()
		l.want(t, "soon child normal")
	})
}

func TestACircleOfWaitersIsLiftedOnce(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var a, b *scheduler.Task
		a = w.s.Go(deadline.Low, func(co *scheduler.Co) { co.Wait(b) })
		b = w.s.Go(deadline.Idle, func(co *scheduler.Co) { co.Wait(a) })
		w.drain()
		a.SetPriority(deadline.Immediate)
		w.drain()
		if a.State() != scheduler.Suspended || b.State() != scheduler.Suspended {
			t.Errorf("%v, %v", a.State(), b.State())
		}
		a.Cancel()
		w.drain()
		if b.State() != scheduler.Done {
			t.Errorf("b is %v", b.State())
		}
	})
}
