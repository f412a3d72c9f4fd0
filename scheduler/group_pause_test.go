package scheduler_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
)

// The menu opens: what the level does by itself stands still, and the rest continues.
func TestPauseStopsTheMembersAndNothingElse(t *testing.T) {
	s, now := virtual(t, scheduler.Options{})
	var l log
	frame := func(n int) {
		for range n {
			*now = now.Add(10 * ms)
			s.BeginFrame(*now)
			s.RunUntil(deadline.At(now.Add(4 * ms)))
		}
	}
	level, menu := s.NewGroup("level"), s.NewGroup("menu")
	steps := 0
	level.Go(deadline.Normal, func(co *scheduler.Co) {
		for {
			l.say("frame")
			co.NextFrame()
		}
	})
	step := &scheduler.Task{Group: level, Step: func() bool {
		steps++
		l.say("step")
		if steps == 2 {
			level.Pause() // in the midst of a slice, by a member
			l.say("paused")
			s.Microtask(l.add("microtask"))
		}
		return steps < 4
	}}
	s.Submit(step)
	idle := &scheduler.Task{Group: level, Idle: func(deadline.Deadline, bool) { l.say("idle") }}
	frame(1)
	l.want(t, "frame step step paused microtask")
	s.Submit(idle)
	post := level.Post(deadline.Immediate, l.add("post"))
	menu.Go(deadline.Low, func(co *scheduler.Co) {
		co.Sleep(10 * ms)
		l.say("menu")
	})
	frame(5)
	l.want(t, "menu")
	for what, why := range map[string]string{"step": step.Why(), "idle": idle.Why(), "post": post.Why()} {
		if why != "the group level is paused" {
			t.Errorf("%s: why %q", what, why)
		}
	}
	if st := s.Stats(); st.Paused != 4 || st.Ready != none || st.Idle != 0 {
		t.Errorf("%+v: want 4 paused, and none ready", st)
	}
	if at, ok := s.Next(); ok {
		t.Errorf("Next: %v", at)
	}
	level.Resume()
	s.RunUntil(deadline.At(now.Add(4 * ms)))
	l.want(t, "post step step frame idle")
	if st := s.Stats(); st.Paused != 0 {
		t.Errorf("%+v", st)
	}
}

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

// A timeout of an idle callback counts what is no pause, wherever the pause is.
func TestS46_IdleTimeoutsInPauses(t *testing.T) {
	s, now := virtual(t, scheduler.Options{})
	level := s.NewGroup("level")
	pause := func() {
		level.Pause()
		*now = now.Add(time.Minute)
		s.RunUntil(deadline.At(now.Add(5 * ms))) // their timeouts would have passed
		*now = now.Add(59 * time.Minute)
		level.Resume()
	}
	pause() // before it is submitted
	var ran []time.Duration
	begun := *now
	for _, timeout := range []time.Duration{50 * ms, time.Second} {
		s.Submit(&scheduler.Task{Group: level, Timeout: timeout, Idle: func(_ deadline.Deadline, timedOut bool) {
			if ran = append(ran, now.Sub(begun)); !timedOut {
				t.Error("there was idle time")
			}
		}})
	}
	var busy func()
	busy = func() { *now = now.Add(10 * ms); s.Post(deadline.Normal, busy) }
	s.Post(deadline.Normal, busy)
	for i := range 300 {
		s.RunUntil(deadline.At(now.Add(5 * ms)))
		if i == 10 {
			pause() // the second one waits
		}
	}
	if len(ran) != 2 || ran[0] > 100*ms || ran[1] < time.Hour+time.Second || ran[1] > time.Hour+1100*ms {
		t.Errorf("ran after %v", ran)
	}
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
