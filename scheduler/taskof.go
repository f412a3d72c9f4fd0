package scheduler

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// TaskOf is a task with a result. Its methods Cancel, SetPriority, State, Err and Done are those of the Task
// inside. It must not be copied.
type TaskOf[T any] struct {
	// Task is submitted by Call. Its Err does not tell what the function returned: Result does.
	Task

	value T
	err   error
}

// Call queues a coroutine that has a result: f runs on the frame goroutine's turn. Any goroutine. It panics
// if f is nil or p invalid.
//
// A coroutine waits for the result with Wait or WaitTimeout, other goroutines with Done and Result.
func Call[T any](s *Scheduler, p deadline.Priority, f func(co *Co) (T, error)) *TaskOf[T] {
	return CallIn(Current{Scheduler: s, Priority: p}, f)
}

// CallIn is Call with the priority, the group and the label of c: those of the running task, for example, if
// c is what Scheduler.Current returned.
func CallIn[T any](c Current, f func(co *Co) (T, error)) *TaskOf[T] {
	if f == nil {
		panic("scheduler: Call of a nil function")
	}
	c.mustBeOf()
	t := &TaskOf[T]{}
	t.Co = func(co *Co) {
		var zero T
		t.value, t.err = zero, nil // if it is submitted again
		t.value, t.err = f(co)
	}
	t.Task.Priority, t.Task.Group, t.Task.Label = c.Priority, c.Group, c.Label
	c.Scheduler.Submit(&t.Task)
	return t
}

// Result returns what the function returned, or the zero value and Err if it did not. It panics if the task
// has not ended. Any goroutine.
func (t *TaskOf[T]) Result() (T, error) {
	switch t.State() {
	case Done:
		return t.value, t.err
	case Failed, Canceled:
		var zero T
		return zero, t.Err()
	}
	panic("scheduler: Result of a task that has not ended")
}

// Wait is Co.Wait, and then Result.
func (t *TaskOf[T]) Wait(co *Co) (T, error) { return t.resultIf(co.Wait(&t.Task)) }

// WaitTimeout is Co.WaitTimeout, and then Result.
func (t *TaskOf[T]) WaitTimeout(co *Co, d time.Duration) (T, error) {
	return t.resultIf(co.WaitTimeout(&t.Task, d))
}

func (t *TaskOf[T]) resultIf(err error) (T, error) {
	if err != nil {
		var zero T
		return zero, err
	}
	return t.Result()
}
