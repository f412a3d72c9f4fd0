package scheduler_test

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// Of a group's priority and a member's own the later one counts.
func TestTheLaterPriorityOfAMemberCounts(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		g := w.s.NewGroup("g")
		task := &scheduler.Task{Group: g, Func: l.add("member")}
		w.s.Submit(task)
		w.drainNothing()
		g.SetPriority(deadline.Immediate)
		task.SetPriority(deadline.Low)
		w.s.Post(deadline.Normal, l.add("peer"))
		w.drain()
		l.want(t, "peer member")
	})
}

// Of the groups that a running task is submitted to the last one counts.
func TestTheLastGroupOfARunCounts(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		g, n := w.s.NewGroup("g"), 0
		task := &scheduler.Task{}
		task.Func = func() {
			if n++; n == 1 {
				task.Group = g
				w.s.Submit(task)
				task.Cancel()
				task.Group = nil
				w.s.Submit(task)
			}
		}
		w.s.Submit(task)
		w.drain()
		done := g.Done()
		w.drain()
		if n != 2 || scheduler.Members(g) != 0 || !isDone(done) {
			t.Errorf("%d runs, %d members", n, scheduler.Members(g))
		}
	})
}

// A coroutine that recovers what unwinds it can read why.
func TestWhatUnwindsHasAText(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var text string
		co := w.s.Go(deadline.Normal, func(co *scheduler.Co) {
			defer func() { text = fmt.Sprint(recover()) }()
			co.NextFrame()
		})
		w.frame(ms)
		co.Cancel()
		w.frame(ms)
		eq(t, "text", text, "scheduler: the task was canceled")
	})
}
