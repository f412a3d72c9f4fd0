package scheduler_test

import (
	"errors"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// The web's scheduler.postTask, under the policy that is its order. A TaskController is a Group.

// inWeb is a world with the order of postTask.
func inWeb(t *testing.T, f func(w *world)) {
	t.Helper()
	inWorld(t, scheduler.Options{Policy: deadline.ByPriority}, f)
}

func TestPostTaskRunOrderIsByPriorityThenBySubmission(t *testing.T) {
	inWeb(t, func(w *world) {
		var l log
		for _, n := range []string{"1", "2"} {
			w.s.Post(deadline.Low, l.add("background"+n))
			w.s.Post(deadline.Normal, l.add("visible"+n))
			w.s.Post(deadline.UserBlocking, l.add("blocking"+n))
		}
		w.s.Submit(&scheduler.Task{Func: l.add("default")})
		w.drain()
		l.want(t, "blocking1 blocking2 visible1 visible2 default background1 background2")
	})
}

// However long it has waited: the order is strict.
func TestPostTaskPriorityIsStrict(t *testing.T) {
	inWeb(t, func(w *world) {
		var l log
		w.s.Post(deadline.Normal, l.add("old"))
		w.s.Post(deadline.Normal, l.add("old"))
		w.s.RunPhase(scheduler.BeforeDraw)
		time.Sleep(4900 * ms)
		w.s.Post(deadline.UserBlocking, l.add("urgent"))
		w.drain()
		l.want(t, "urgent old old")
	})
}

func TestPostTaskDelays(t *testing.T) {
	inWeb(t, func(w *world) {
		var l log
		begin := time.Now()
		w.submit(deadline.Normal, 10*ms, func() { l.say("%v", time.Since(begin)) })
		w.submit(deadline.Normal, 20*ms, func() { l.say("%v", time.Since(begin)) })
		for range 6 {
			w.drain()
			time.Sleep(5 * ms)
		}
		l.want(t, "10ms 20ms")

		// What is delayed queues when its delay has passed: behind what was posted until then.
		w.submit(deadline.Normal, 10*ms, l.add("delayed"))
		w.drain()
		time.Sleep(5 * ms)
		w.s.Post(deadline.Normal, l.add("posted"))
		w.s.RunPhase(scheduler.BeforeDraw)
		time.Sleep(5 * ms)
		w.drain()
		l.want(t, "posted delayed")

		// Equal delays keep the order of submission; the priority goes first when all are due.
		w.submit(deadline.Low, 10*ms, l.add("background"))
		w.submit(deadline.Normal, 10*ms, l.add("first"))
		w.submit(deadline.Normal, 10*ms, l.add("second"))
		w.submit(deadline.UserBlocking, 10*ms, l.add("blocking"))
		time.Sleep(10 * ms)
		w.drain()
		l.want(t, "blocking first second background")
	})
}

func TestPostTaskSetPriorityMovesAllTasksOfItsSignal(t *testing.T) {
	inWeb(t, func(w *world) {
		var l log
		back, front := w.s.NewGroup("back"), w.s.NewGroup("front")
		for _, n := range []string{"1", "2", "3"} {
			back.Post(deadline.Low, l.add("back"+n))
			w.s.Post(deadline.Normal, l.add("fixed"+n))
			front.Post(deadline.UserBlocking, l.add("front"+n))
		}
		back.SetPriority(deadline.UserBlocking) // they were submitted in turns with front's
		w.drain()
		l.want(t, "back1 front1 back2 front2 back3 front3 fixed1 fixed2 fixed3")
	})
}

// Naive queues give a moved task a new place each time.
func TestPostTaskRepeatedSetPriorityKeepsTheOrder(t *testing.T) {
	inWeb(t, func(w *world) {
		var l log
		tasks := make([]*scheduler.Task, 3)
		for i, n := range []string{"0", "1", "2"} {
			tasks[i] = w.submit(deadline.Normal, 0, l.add(n))
		}
		for range 3 {
			for _, p := range []deadline.Priority{deadline.Low, deadline.UserBlocking, deadline.Normal} {
				tasks[1].SetPriority(p)
				w.s.RunPhase(scheduler.BeforeDraw) // reads each change by itself
			}
		}
		w.drain()
		l.want(t, "0 1 2")
		for i, n := range []string{"0", "1", "2"} {
			tasks[i] = w.submit(deadline.Low, 0, l.add(n))
		}
		for i := range tasks {
			tasks[2-i].SetPriority(deadline.UserBlocking)
			w.s.RunPhase(scheduler.BeforeDraw)
		}
		w.drain()
		l.want(t, "0 1 2")
	})
}

func TestPostTaskSetPriorityOfADelayedTask(t *testing.T) {
	inWeb(t, func(w *world) {
		var l log
		moved := w.submit(deadline.Low, 10*ms, l.add("moved"))
		w.submit(deadline.Normal, 10*ms, l.add("normal"))
		w.drain()
		moved.SetPriority(deadline.UserBlocking)
		w.drain()
		l.want(t, "")
		time.Sleep(10 * ms)
		w.drain()
		l.want(t, "moved normal")
	})
}

// From within a task it holds for the next choice.
func TestPostTaskSetPriorityWithinATask(t *testing.T) {
	inWeb(t, func(w *world) {
		var l log
		late := &scheduler.Task{Priority: deadline.Low, Func: l.add("late")}
		w.s.Post(deadline.Normal, func() {
			l.say("first")
			eq(t, "SetPriority", late.SetPriority(deadline.Immediate), true)
		})
		w.s.Post(deadline.Normal, l.add("second"))
		w.s.Submit(late)
		w.drain()
		l.want(t, "first late second")
		eq(t, "SetPriority of what has ended", late.SetPriority(deadline.Low), false)
	})
}

// Abort in each state: queued, delayed, running, between two runs, done.
func TestPostTaskAbortInEachState(t *testing.T) {
	inWeb(t, func(w *world) {
		var l log
		g := w.s.NewGroup("signal")
		queued := g.Go(deadline.Normal, func(*scheduler.Co) { l.say("queued") })
		delayed := &scheduler.Task{Delay: ms, Func: l.add("delayed"), Group: g}
		w.s.Submit(delayed)
		waiting := g.Go(deadline.UserBlocking, func(co *scheduler.Co) {
			defer l.say("unwound")
			co.Sleep(time.Hour)
			l.say("woken")
		})
		done := &scheduler.Task{Priority: deadline.UserBlocking, Func: l.add("done"), Group: g}
		w.s.Submit(done)
		running := &scheduler.Task{Priority: deadline.Immediate, Group: g}
		running.Func = func() { l.say("running") }
		w.turn() // waiting
		w.turn() // done
		running.Func = func() {
			g.Cancel()
			l.say("goes-on")
		}
		w.s.Submit(running)
		w.drain()
		time.Sleep(ms)
		w.drain()
		l.want(t, "done goes-on unwound")
		for name, task := range map[string]*scheduler.Task{"queued": queued, "delayed": delayed, "waiting": waiting} {
			eq(t, name, task.State(), scheduler.Canceled)
			eq(t, name+" is ErrCanceled", errors.Is(task.Err(), scheduler.ErrCanceled), true)
		}
		eq(t, "done", done.State(), scheduler.Done)
		eq(t, "running", running.State(), scheduler.Done)

		// A signal that is aborted already.
		late := g.Go(deadline.Normal, func(*scheduler.Co) { l.say("late") })
		w.drain()
		l.want(t, "")
		eq(t, "late", late.State(), scheduler.Canceled)
	})
}

func TestPostTaskResults(t *testing.T) {
	inWeb(t, func(w *world) {
		oops := errors.New("oops")
		good := scheduler.Call(w.s, deadline.Normal, func(*scheduler.Co) (int, error) { return 42, nil })
		bad := scheduler.Call(w.s, deadline.Normal, func(*scheduler.Co) (int, error) { return 0, oops })
		w.drain()
		v, err := good.Result()
		eq(t, "value", v, 42)
		eq(t, "error", err, nil)
		_, err = bad.Result()
		eq(t, "error", err, oops)
	})
}
