package scheduler

import "github.com/frameslice/frameslice/deadline"

// Current is what the running task hands down to the tasks that it submits. It is a value: it may be changed
// (a child of a lower priority), kept, passed to another goroutine (a callback of a job) and used there, also
// when the task has ended.
type Current struct {
	// Scheduler is where the methods submit.
	Scheduler *Scheduler
	// Priority is the task's present priority; Normal outside of tasks.
	Priority deadline.Priority
	// Group is the task's group; nil if it has none.
	Group *Group
	// Label is the Label of the task; empty if it has none. It names the kind of a task for cost estimates:
	// give a child its own if it costs something else.
	Label string
}

// Current returns what a child of the running task inherits: its priority, group and label. In a coroutine
// that is the same before and after it was suspended, whatever it waited for, but for a priority that was
// changed meanwhile. Between tasks nothing is inherited. Frame goroutine, or a task. It takes some 5 ns, and
// what is posted or submitted past it inherits nothing and pays nothing.
func (s *Scheduler) Current() Current {
	c := Current{Scheduler: s}
	it := s.current
	if it == nil {
		return c
	}
	if it.word.Load()&laneMask>>laneShift >= phaseLane {
		return c // a callback or a microtask: it has no priority, and belongs to no task
	}
	c.Priority = s.present(it)
	if m := s.memberOf(it); m != nil {
		c.Group = m.g
	}
	if it.task != nil {
		c.Label = it.task.Label
	}
	return c
}

// present returns the priority of the item that runs, with what was asked for in the run itself, by a SetPriority that
// has not been read yet.
func (s *Scheduler) present(it *item) deadline.Priority {
	m := s.memberOf(it)
	if it.word.Load()&flagPrio != 0 || m != nil && m.g != nil && m.g.asked.Load() != m.stamp {
		s.drain(s.lastRead)
	}
	return s.priorityOf(it)
}

// Post is Scheduler.Post, with the priority and the group of c. A posted function has no label.
func (c Current) Post(f func()) Handle {
	c.mustBeOf()
	if c.Group != nil {
		return c.Group.Post(c.Priority, f)
	}
	return c.Scheduler.Post(c.Priority, f)
}

// Go is Scheduler.Go, with the priority, the group and the label of c.
func (c Current) Go(f func(co *Co)) *Task {
	c.mustBeOf()
	mustBeBody(f)
	t := &Task{Co: f}
	c.Submit(t)
	return t
}

// Submit gives t the priority, the group and the label of c, each if t has the zero value there, and submits
// it. A child that is to have the zero value says so by a change of c.
func (c Current) Submit(t *Task) {
	c.mustBeOf()
	if t == nil {
		panic("scheduler: Submit of nil")
	}
	p, g := t.Priority, t.Group
	if p == deadline.Normal {
		p = c.Priority
	}
	if g == nil {
		g = c.Group
	}
	c.Scheduler.mustTake(t, p, g)
	t.Priority, t.Group = p, g
	if t.Label == "" {
		t.Label = c.Label
	}
	c.Scheduler.Submit(t)
}

// mustBeOf panics if c is the zero value, which has no scheduler.
func (c Current) mustBeOf() {
	if c.Scheduler == nil {
		panic("scheduler: a Current without a Scheduler")
	}
}
