package scheduler_test

import (
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// A Task that is submitted a thousand times a second has 2^32 lives behind it in 50 days. The one after is like any
// other.
func TestATaskOf4BillionLives(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	runs := 0
	task := &scheduler.Task{Func: func() { runs++ }}
	if task.Done() != nil {
		t.Error("Done of a task that was never submitted is not nil")
	}
	s.Submit(task)
	s.RunUntil(deadline.Deadline{})
	scheduler.Age(task)
	s.Submit(task)
	done := task.Done()
	select {
	case <-done:
		t.Error("done before it has run")
	default:
	}
	waited := false
	s.Go(deadline.Immediate, func(co *scheduler.Co) {
		if err := co.Wait(task); err != nil {
			t.Error(err)
		}
		waited = true
	})
	s.RunUntil(deadline.Deadline{})
	<-done
	if runs != 2 || !waited || task.State() != scheduler.Done {
		t.Errorf("%d runs, waited %v, %v", runs, waited, task.State())
	}
	if c := task.Done(); c == nil {
		t.Error("Done is nil after the end")
	} else {
		<-c
	}
	scheduler.Age(task)
	s.Submit(task)
	if !task.Cancel() || task.Err() != scheduler.ErrCanceled {
		t.Errorf("not canceled: %v", task.Err())
	}
	s.RunUntil(deadline.Deadline{})
	if c := task.Done(); c == nil {
		t.Error("Done is nil after Cancel")
	} else {
		<-c
	}
}
