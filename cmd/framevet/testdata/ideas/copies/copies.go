// Package copies has tasks and jobs that are copied, or submitted again.
package copies

import (
	"context"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

type level struct {
	tasks []scheduler.Task
	job   workers.Job
	send  workers.Job
}

func (l *level) start(loop *frameslice.Loop) {
	s, p := loop.Scheduler(), loop.Pool()
	for _, t := range l.tasks { // want "range var t copies a value"
		s.Submit(&t)
	}
	submit(s, l.tasks[0])        // want "call of submit copies a value"
	jobs := []workers.Job{l.job} // want "literal copies a value"
	for range 3 {
		p.Submit(&jobs[0])
	}
	for range 3 {
		p.Submit(&l.job) // want "submitted again"
	}
	for range 3 {
		p.Submit(&l.send)
		l.send.Wait(context.Background())
	}
	for range 3 {
		j := &workers.Job{}
		p.Submit(j)
	}
	if loop.Closing() {
		p.Submit(&l.send)
	} else {
		p.Submit(&l.send)
	}
	t := &scheduler.Task{}
	t.Func = func() { s.Submit(t) }
	s.Submit(t)
	<-t.Done()
	s.Submit(t)
	t = &scheduler.Task{}
	s.Submit(t)
	loop.Each(frameslice.AfterDraw, func() {
		if l.send.Finished() {
			p.Submit(&l.send)
		}
	})
}

func submit(s *scheduler.Scheduler, t scheduler.Task) { // want "passes a copy"
	s.Submit(&t)
}
