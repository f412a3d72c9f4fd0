package scheduler_test

import (
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// A Task goes from one scheduler to another when the first has done with it, and not before: Submit panics then, and
// changes nothing.
func TestATaskChangesTheScheduler(t *testing.T) {
	const early = "scheduler: Submit of a Task that another scheduler has not done with"
	end := deadline.Deadline{}
	for name, state := range map[string]func(a *scheduler.Scheduler, task *scheduler.Task, try func()){
		"unread": func(a *scheduler.Scheduler, task *scheduler.Task, try func()) {
			a.Submit(task)
			try()
			task.Cancel()
		},
		"queued": func(a *scheduler.Scheduler, task *scheduler.Task, try func()) {
			a.Submit(task)
			a.RunPhase(scheduler.BeforeUpdate)
			try()
			task.Cancel()
		},
		"delayed, cancelled": func(a *scheduler.Scheduler, task *scheduler.Task, try func()) {
			task.Delay = ms
			a.Submit(task)
			a.RunUntil(end)
			task.Cancel()
			try() // it is still in the queue of a
		},
		"relayed": func(a *scheduler.Scheduler, task *scheduler.Task, try func()) {
			a.Submit(task)
			task.Cancel()
			a.Submit(task)
			task.Cancel()
			try()
		},
		"running": func(a *scheduler.Scheduler, task *scheduler.Task, try func()) {
			f := task.Func
			task.Func = try
			a.Submit(task)
			a.RunUntil(end)
			task.Func = f
		},
		"suspended": func(a *scheduler.Scheduler, task *scheduler.Task, try func()) {
			f := task.Func
			task.Func, task.Co = nil, func(co *scheduler.Co) { co.NextFrame() }
			a.BeginFrame(deadline.Now())
			a.Submit(task)
			a.RunUntil(end)
			try()
			a.BeginFrame(deadline.Now())
			a.RunUntil(end)
			task.Func, task.Co = f, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, nowA := virtual(t, scheduler.Options{})
			b, _ := virtual(t, scheduler.Options{})
			var l log
			for range 3 { // neighbours in the queue
				a.Submit(&scheduler.Task{Delay: ms, Func: l.add("a")})
			}
			task := &scheduler.Task{Func: l.add("task")}
			state(a, task, func() { mustPanic(t, early, func() { b.Submit(task) }) })
			a.RunUntil(end) // now it has done with it
			l = nil
			task.Delay = 0
			b.Submit(task)
			b.RunUntil(end)
			l.want(t, "task")
			*nowA += deadline.Instant(ms)
			a.RunUntil(end)
			l.want(t, "a a a")
			a.Submit(task)
			a.Close()
			b.Submit(task)
			b.RunUntil(end)
			l.want(t, "task")
		})
	}
}
