package scheduler_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// A call in the name of the running task has its priority, group and label, and a result.
func TestCallInInherits(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	g := s.NewGroup("scene")
	var got string
	task := &scheduler.Task{Label: "parent", Priority: deadline.Low, Group: g, Co: func(co *scheduler.Co) {
		child := scheduler.CallIn(s.Current(), func(co *scheduler.Co) (string, error) {
			c := s.Current()
			return fmt.Sprint(c.Label, " ", c.Priority, " ", c.Group.Label()), errors.ErrUnsupported
		})
		v, err := child.Wait(co)
		got = fmt.Sprint(v, " ", err)
	}}
	s.Submit(task)
	s.RunUntil(deadline.Deadline{})
	if want := "parent low scene unsupported operation"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	mustPanic(t, "scheduler: Call of a nil function", func() { scheduler.CallIn[int](s.Current(), nil) })
}

// A task that is cancelled while it runs is told so before anything else, and Current().Post is the parent's
// child in its group.
func TestACancelledTaskIsToldSo(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	g := s.NewGroup("scene")
	task := &scheduler.Task{Group: g}
	var reason scheduler.YieldReason
	var child scheduler.Handle
	task.Step = func() bool {
		child = s.Current().Post(func() {})
		s.RequestDraw()
		g.Cancel()
		task.Cancel()
		reason = s.YieldReason()
		return true
	}
	s.Submit(task)
	s.RunUntil(deadline.Deadline{})
	s.RunUntil(deadline.Deadline{})
	if reason != scheduler.YieldCanceled || task.State() != scheduler.Canceled || child.State() != scheduler.Canceled {
		t.Errorf("reason %v, task %v, child %v", reason, task.State(), child.State())
	}
}

// The names of all constants, and of what is none.
func TestNamesOfConstants(t *testing.T) {
	got := fmt.Sprint(scheduler.Unsubmitted, scheduler.Queued, scheduler.Running, scheduler.Suspended, scheduler.Done,
		scheduler.Failed, scheduler.Canceled, scheduler.State(77))
	got += fmt.Sprint("; ", scheduler.BeforeUpdate, scheduler.BeforeDraw, scheduler.AfterDraw, scheduler.Phase(77))
	got += fmt.Sprint("; ", scheduler.YieldNo, scheduler.YieldUrgent, scheduler.YieldDraw, scheduler.YieldBudget,
		scheduler.YieldCanceled, scheduler.YieldReason(77))
	const want = "unsubmitted queued running suspended done failed canceled State(77)" +
		"; before update before draw after draw invalid phase; no urgent draw budget canceled invalid reason"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
