package scheduler_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
)

// What is paused does not ask the running task to yield, and what becomes due by the time of a group does.
func TestShouldYieldForAMember(t *testing.T) {
	s, now := virtual(t, scheduler.Options{})
	g := s.NewGroup("g")
	var got []bool
	s.Post(deadline.Low, func() {
		ask := func() { got = append(got, s.ShouldYield()) }
		g.Pause()
		g.Post(deadline.Immediate, nop)
		s.Submit(&scheduler.Task{Group: g, Priority: deadline.Immediate, Delay: ms, Func: nop})
		ask()
		*now = now.Add(2 * ms)
		ask()
		g.Resume()
		ask()
	})
	s.Post(deadline.Low, func() {
		g.SetSpeed(2)
		s.Submit(&scheduler.Task{Group: g, Priority: deadline.Immediate, Delay: 2 * ms, Func: nop})
		got = append(got, s.ShouldYield())
		*now = now.Add(ms)
		got = append(got, s.ShouldYield())
	})
	s.RunUntil(deadline.Deadline{})
	eq(t, "ShouldYield", fmt.Sprint(got), "[false false true false true]")
}

// S48: a group is among the children of its parent also while a task is about to become its first member.
func TestS48_TheOuterGroupWaitsForWhatJoinsTheInner(t *testing.T) {
	s, _ := virtual(t, scheduler.Options{})
	outer := s.NewGroup("outer")
	inner := outer.NewGroup("inner")
	var done <-chan struct{}
	runs := 0
	task := &scheduler.Task{}
	task.Func = func() {
		if runs++; runs > 1 {
			return
		}
		task.Group = inner
		s.Submit(task)
		done = outer.Done()
		s.ShouldYield() // reads the inbox
		if isDone(done) {
			t.Error("the outer group has ended before the task")
		}
	}
	s.Submit(task)
	s.RunUntil(deadline.Deadline{})
	if runs != 2 || !isDone(done) {
		t.Errorf("%d runs, ended: %v", runs, isDone(done))
	}
}

// What ends a group ends it in a pause too, and nobody waits for a Resume.
func TestAPausedGroupEnds(t *testing.T) {
	for what, end := range map[string]func(s *scheduler.Scheduler, g *scheduler.Group){
		"Cancel":           func(_ *scheduler.Scheduler, g *scheduler.Group) { g.Cancel() },
		"Close":            func(s *scheduler.Scheduler, _ *scheduler.Group) { s.Close() },
		"Cancel of a task": nil,
	} {
		s, now := virtual(t, scheduler.Options{})
		outer := s.NewGroup("outer")
		g := outer.NewGroup("g")
		unwound := 0
		tasks := []*scheduler.Task{
			g.Go(deadline.Normal, func(co *scheduler.Co) { defer func() { unwound++ }(); co.Sleep(time.Hour) }),
			g.Go(deadline.Normal, func(co *scheduler.Co) { defer func() { unwound++ }(); co.NextFrame() }),
			g.Go(deadline.Normal, func(co *scheduler.Co) {
				defer func() { unwound++ }()
				scheduler.AwaitTimeout[int](co, neverEnds{}, time.Hour)
			}),
			{Group: g, Func: never(t), Delay: time.Second},
			{Group: g, Func: never(t)},
			{Group: g, Idle: func(deadline.Deadline, bool) { t.Error("idle") }, Timeout: ms},
		}
		s.Submit(tasks[3])
		s.BeginFrame(*now)
		s.RunUntil(deadline.Deadline{})
		outer.Pause()
		s.Submit(tasks[4])
		s.Submit(tasks[5])
		s.BeginFrame(*now)
		*now = now.Add(time.Minute)
		s.RunUntil(deadline.Deadline{})
		done := outer.Done()
		var werr error
		if what != "Close" {
			s.Go(deadline.Normal, func(co *scheduler.Co) { werr = outer.Wait(co) })
		}
		s.RunUntil(deadline.Deadline{})
		if isDone(done) {
			t.Errorf("%s: ended before", what)
		}
		if end == nil {
			for _, x := range tasks {
				x.Cancel()
			}
		} else {
			end(s, g)
		}
		s.RunUntil(deadline.Deadline{})
		for i, x := range tasks {
			if x.State() != scheduler.Canceled {
				t.Errorf("%s: task %d is %v: %s", what, i, x.State(), x.Why())
			}
		}
		st := s.Stats()
		if unwound != 3 || !isDone(done) || werr != nil || st.Paused != 0 || st.Delayed != none || st.Idle != 0 {
			t.Errorf("%s: %d unwound, done: %v, %v, %+v", what, unwound, isDone(done), werr, st)
		}
		if n := scheduler.Kept(s); n != 0 {
			t.Errorf("%s: %d groups are kept", what, n)
		}
	}
}

// Groups within a group: cancelled, waited for and given another priority with it.
func TestGroupsWithinAGroup(t *testing.T) {
	inWorld(t, scheduler.Options{OnPanic: func(*scheduler.PanicError) {}}, func(w *world) {
		scene := w.s.NewGroup("scene")
		enemies := scene.NewGroup("enemies")
		archers := enemies.NewGroup("archers")
		bad := archers.Go(deadline.Normal, func(co *scheduler.Co) { panic("arrow") })
		low := &scheduler.Task{Group: archers, Delay: time.Hour, Func: nop}
		w.s.Submit(low)
		done := scene.Done()
		var prio deadline.Priority
		archers.Go(deadline.Low, func(co *scheduler.Co) {
			testkit.Panics(t, "scheduler: a task that waits for its own group", func() { scene.Wait(co) })
			co.NextFrame()
			prio = co.Priority()
		})
		w.drain()
		if bad.Err() == nil || scene.Err() != bad.Err() || isDone(done) {
			t.Errorf("the outer group says %v, %v", scene.Err(), isDone(done))
		}
		scene.SetPriority(deadline.UserBlocking)
		w.frame(ms)
		eq(t, "priority", prio, deadline.UserBlocking)
		scene.Cancel()
		eq(t, "Err within a cancelled group", scene.NewGroup("late").Err(), scheduler.ErrCanceled)
		if archers.Go(deadline.Normal, func(*scheduler.Co) { t.Error("it ran") }).State() != scheduler.Canceled {
			t.Error("a group within a cancelled one takes tasks")
		}
		w.drain()
		canceled(t, low)
		if !isDone(done) {
			t.Error("the outer group waits for nothing")
		}
	})
}
