package scheduler_test

import (
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// An idle callback hands down the priority that it has, and not the one that it was submitted with.
func TestCurrentOfAnIdleCallback(t *testing.T) {
	var l log
	o := scheduler.Options{OnEvent: on(scheduler.Running, func(e scheduler.Event) { l.say("%v", e.Priority) })}
	s, now := virtual(t, o)
	idle := func(p deadline.Priority) *scheduler.Task {
		t := &scheduler.Task{Priority: p, Idle: func(scheduler.IdleTime) { l.say("%v", s.Current().Priority) }}
		s.Submit(t)
		return t
	}
	slice := func() { s.RunUntil(deadline.At(now.Add(5 * ms))) }
	idle(deadline.Low)
	slice()
	l.want(t, "low low")
	idle(deadline.Low).SetPriority(deadline.UserBlocking) // before it is read
	slice()
	l.want(t, "user-blocking user-blocking")
	k := idle(deadline.UserBlocking)
	s.Stats()
	s.RunPhase(scheduler.BeforeDraw) // reads the inbox
	k.SetPriority(deadline.Idle)
	slice()
	l.want(t, "idle idle")

	late := &scheduler.Task{Timeout: 10 * ms, Idle: func(i scheduler.IdleTime) {
		l.say("%v %v", i.TimedOut(), s.Current().Priority)
	}}
	s.Submit(late)
	s.RunPhase(scheduler.BeforeDraw)
	*now = now.Add(10 * ms)
	late.SetPriority(deadline.Low)
	slice()
	l.want(t, "low true low")
	s.Submit(late)
	slice()
	l.want(t, "normal false normal")

	g := s.NewGroup("scene")
	k = &scheduler.Task{Group: g, Idle: func(scheduler.IdleTime) { l.say("%v", s.Current().Priority) }}
	s.Submit(k)
	s.RunPhase(scheduler.BeforeDraw)
	g.SetPriority(deadline.Low)
	slice()
	l.want(t, "low low")

	k.Group = nil
	s.Submit(k)
	s.Go(deadline.Immediate, func(co *scheduler.Co) { co.Wait(k) })
	slice()
	l.want(t, "immediate immediate immediate immediate")
}

// What is cancelled before it is read has the priority that it was submitted with, or was given since.
func TestEventOfWhatWasNeverRead(t *testing.T) {
	var l log
	o := scheduler.Options{OnEvent: on(scheduler.Canceled, func(e scheduler.Event) { l.say("%v", e.Priority) })}
	s, _ := virtual(t, o)
	for range 3 {
		s.Post(deadline.Immediate, func() {}) // used again for what follows
	}
	s.RunUntil(deadline.Deadline{})
	s.Post(deadline.Low, func() {}).Cancel()
	s.Go(deadline.UserBlocking, func(*scheduler.Co) {}).Cancel()
	s.WhenIdle(ms, func(scheduler.IdleTime) {}).Cancel()
	h := s.Post(deadline.Low, func() {})
	h.SetPriority(deadline.Idle)
	h.Cancel()
	g := s.NewGroup("scene")
	g.Post(deadline.UserBlocking, func() {}).Cancel()
	s.RunUntil(deadline.Deadline{})
	l.want(t, "low user-blocking normal idle user-blocking")
}
