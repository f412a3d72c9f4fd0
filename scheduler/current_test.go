package scheduler_test

import (
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// A change of priority that a task makes holds for what it hands down in the same run: its own, and its group's.
func TestCurrentAfterAChangeInTheSameRun(t *testing.T) {
	s, _ := virtual(t, scheduler.Options{})
	g := s.NewGroup("scene")
	var l log
	say := func() { l.say("%v", s.Current().Priority) }
	var own, step, co, member *scheduler.Task
	own = &scheduler.Task{Func: func() {
		own.SetPriority(deadline.Low)
		say()
		s.Current().Go(func(co *scheduler.Co) { l.say("child:%v", co.Priority()) })
	}}
	step = &scheduler.Task{Step: func() bool { step.SetPriority(deadline.UserBlocking); say(); return false }}
	s.Submit(own)
	s.Submit(step)
	s.RunUntil(deadline.Deadline{})
	l.want(t, "low user-blocking child:low")
	co = s.Go(deadline.Low, func(c *scheduler.Co) {
		co.SetPriority(deadline.Idle)
		co.SetPriority(deadline.Immediate)
		l.say("%v", c.Priority())
		c.Yield()
		l.say("%v", c.Priority())
	})
	s.RunUntil(deadline.Deadline{})
	l.want(t, "immediate immediate")
	member = &scheduler.Task{Func: func() {
		g.SetPriority(deadline.Low)
		say()
		member.SetPriority(deadline.Idle)
		say()
		g.SetPriority(deadline.UserBlocking)
		say()
	}}
	g.Submit(member)
	g.Post(deadline.Normal, func() { say(); g.SetPriority(deadline.Immediate); say() })
	s.RunUntil(deadline.Deadline{})
	l.want(t, "low idle user-blocking user-blocking immediate")
}
