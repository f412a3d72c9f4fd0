package scheduler

import (
	"runtime"

	"github.com/frameslice/frameslice/internal/fault"
)

// guarded does the job. It returns unless the job called Goexit.
func (c *coroutine) guarded() {
	returned := false
	defer func() {
		if !returned {
			c.caught(recover())
		}
	}()
	switch c.job {
	case jobPlain:
		first := c.first
		c.first = nil // it may be a Task that nobody else keeps
		c.s.runPlain(first)
	case jobCo:
		t := c.it.task
		if c.s.keepsRuns() {
			c.s.kinds.of(c.it).Tag(taskTag)
		}
		t.co.t = t
		t.Co(&t.co)
		c.s.stepped(c.it)
		c.ended(endDone)
	case jobReport:
		c.s.onPanic(c.report)
	case jobPhase:
		first := c.first
		c.first = nil
		if c.s.keepsRuns() {
			(*kind)(nil).Tag(taskTag)
		}
		c.s.runCallbacks(first)
	}
	returned = true
}

// unwinding is the panic value that unwinds a cancelled coroutine.
type unwinding struct{ c *coroutine }

func (unwinding) String() string { return "scheduler: the task was canceled" }

// caught deals with a job that did not return. The faulty frames are still on the stack. v is nil if the job called
// Goexit.
func (c *coroutine) caught(v any) {
	s := c.s
	if c.job == jobReport {
		if v != nil {
			complain(fault.Capture("OnPanic", v))
		}
	} else {
		it := s.current
		if c.job == jobCo {
			it = c.it
		}
		s.stepped(it)
		if c.job == jobPlain {
			s.row.End()
		}
		u, ok := v.(unwinding)
		switch {
		case ok && u.c == c || v == nil && c.quits > 1:
			c.ended(endDone) // end turns this into endCanceled
		default:
			c.failed(it, v)
		}
	}
}

// ended ends the coroutine's task and frees the coroutine from it.
func (c *coroutine) ended(how word) {
	s, it := c.s, c.it
	c.detach()
	s.endGeneration(it, how)
}

// detach separates the coroutine from its task.
func (c *coroutine) detach() {
	s, it := c.s, c.it
	if c.timer != nil {
		c.stopTimer()
	}
	last := len(s.live) - 1
	s.live[c.place] = s.live[last]
	s.live[c.place].place = c.place
	s.live[last] = nil
	s.live = s.live[:last]
	it.task.c, it.task.co.t, it.fatal = nil, nil, false
	c.it, c.quits, c.waitErr = nil, 0, nil
	c.dropWaker()
}

// quit unwinds the task that runs on c, because the task was cancelled: with a panic, so that the coroutine lives on.
// If the task swallowed the panic and suspends itself again, quit uses a Goexit, which nothing swallows.
func (c *coroutine) quit() {
	c.quits++
	if c.quits > 1 {
		runtime.Goexit()
	}
	panic(unwinding{c})
}

// failed ends a task that panicked with v, or called Goexit if v is nil.
func (c *coroutine) failed(it *item, v any) {
	s := c.s
	label := nameOf(it.name())
	var pe *PanicError
	var err error
	if v == nil {
		pe = fault.Capture(label, ErrGoexit)
		err = ErrGoexit
	} else {
		pe = fault.Capture(label, v)
		err = pe
	}
	if t := it.task; t != nil {
		t.failure.Store(&err)
	}
	for g := s.groupOf(it); g != nil; g = g.parent {
		g.failure.CompareAndSwap(nil, &err)
	}
	s.failures.add(pe)
	if c.job == jobCo {
		c.ended(endFailed)
	} else {
		s.endGeneration(it, endFailed)
	}
}
