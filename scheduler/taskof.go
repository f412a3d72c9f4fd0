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
	kept  *kept[T] // for whom the present life is waited for, or nil; frame goroutine
}

// kept is what the function returned in one life, for those who wait for that: when they go on, the task may have been
// submitted again, and the next life may have written its own.
type kept[T any] struct {
	life  uint32
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
		if k := t.kept; k != nil && k.life == lifeOf(t.item.word.Load()) {
			k.value, k.err, t.kept = t.value, t.err, nil
		}
	}
	t.Wraps(f)
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

// Wait is Co.Wait, and then what the function returned, in the life that was waited for: the task may have been
// submitted again meanwhile, by its own run for example. It allocates if it suspends the coroutine.
func (t *TaskOf[T]) Wait(co *Co) (T, error) {
	return t.wait(co, func(c *coroutine) error { return c.wait() })
}

// WaitTimeout is Co.WaitTimeout, and then as Wait.
func (t *TaskOf[T]) WaitTimeout(co *Co, d time.Duration) (T, error) {
	return t.wait(co, func(c *coroutine) error { return c.waitTimeout(d) })
}

func (t *TaskOf[T]) wait(co *Co, wait func(c *coroutine) error) (T, error) {
	c := co.begin()
	for !c.turnTo(&t.Task) {
		w := t.item.word.Load()
		switch how := ended(w); {
		case w&phaseMask != phaseIdle: // submitted just now
		case how == endDone:
			return t.value, t.err
		case how == endNone:
			return t.Result() // never submitted
		default:
			var zero T
			return zero, t.errOf(how)
		}
	}
	k := t.kept
	if k == nil || k.life != t.waitLife {
		k = &kept[T]{life: t.waitLife}
		t.kept = k
	}
	if err := wait(c); err != nil {
		var zero T
		return zero, err
	}
	return k.value, k.err
}
