package scheduler_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// An idle callback that looked overdue, because its group was paused, still has its turn in idle time.
func TestS15_AnIdleCallbackAfterAPause(t *testing.T) {
	s, now := virtual(t, scheduler.Options{})
	g := s.NewGroup("level")
	ran, late := false, false
	s.Submit(&scheduler.Task{Group: g, Timeout: 10 * time.Second, Idle: func(_ deadline.Deadline, timedOut bool) {
		ran, late = true, timedOut
	}})
	s.Post(deadline.Normal, func() { *now = now.Add(3 * ms) })
	s.RunPhase(scheduler.BeforeUpdate) // reads both
	g.Pause()
	*now = now.Add(time.Hour)
	g.Resume()
	s.Post(deadline.Normal, nop)
	for range 3 {
		s.RunUntil(deadline.At(now.Add(4 * ms)))
		*now = now.Add(16 * ms)
	}
	eq(t, "ran", ran, true)
	eq(t, "late", late, false)
	eq(t, "idle", s.Stats().Idle, 0)
}

// A pause keeps the order of timers that were due before it.
func TestS44_ManyTimersBeforeAPause(t *testing.T) {
	s, now := virtual(t, scheduler.Options{})
	g := s.NewGroup("level")
	var got []int
	for i := range 600 {
		f := func() { got = append(got, i) }
		s.Submit(&scheduler.Task{Group: g, Delay: time.Duration(600-i) * ms, Func: f})
	}
	run := func() { s.RunUntil(deadline.Deadline{}) }
	run()
	*now = now.Add(time.Second)
	g.Pause()
	g.Resume()
	run()
	if len(got) != 600 || !slices.IsSortedFunc(got, func(a, b int) int { return b - a }) {
		t.Errorf("%d of 600 ran: %v", len(got), got)
	}
}

// A request to a group around counts before the inbox is read.
func TestPriorityOfTheGroupAround(t *testing.T) {
	s, _ := virtual(t, scheduler.Options{})
	outer := s.NewGroup("outer")
	inner := outer.NewGroup("middle").NewGroup("inner")
	var got deadline.Priority
	inner.Go(deadline.Low, func(co *scheduler.Co) {
		outer.SetPriority(deadline.UserBlocking)
		got = co.Priority()
	})
	s.RunUntil(deadline.Deadline{})
	eq(t, "priority", got, deadline.UserBlocking)
}

// A change of speed looks at no group within.
func TestASpeedDoesNotLookAtGroupsWithin(t *testing.T) {
	s, _ := virtual(t, scheduler.Options{})
	g := s.NewGroup("level")
	for range 10_000 {
		s.Submit(&scheduler.Task{Group: g.NewGroup("entity"), Delay: time.Hour, Func: nop})
	}
	s.RunUntil(deadline.Deadline{})
	speeds := func(g *scheduler.Group) time.Duration {
		best := time.Hour
		for range 5 {
			from := time.Now()
			for i := range 10 {
				g.SetSpeed(0.5 + float64(i)/20)
			}
			best = min(best, time.Since(from))
		}
		return best
	}
	if alone, many := speeds(s.NewGroup("alone")), speeds(g); many > 20*alone+50*time.Microsecond {
		t.Errorf("%v for ten changes of speed, and %v alone", many, alone)
	}
}

// Whatever changes the speed between a jump of the clock and its Shift, the delays leave the jump out (S49).
func TestS49_DelaysLeaveTheJumpOut(t *testing.T) {
	for name, change := range map[string]func(outer, g *scheduler.Group){
		"nothing":          func(_, g *scheduler.Group) {},
		"Pause and Resume": func(_, g *scheduler.Group) { g.Pause(); g.Resume() },
		"two speeds":       func(_, g *scheduler.Group) { g.SetSpeed(2); g.SetSpeed(1) },
		"both groups":      func(outer, g *scheduler.Group) { outer.SetSpeed(2); g.Pause(); g.SetSpeed(3); g.Resume() },
		"Resume later":     func(_, g *scheduler.Group) { g.Pause() },
		"outer group":      func(outer, _ *scheduler.Group) { outer.Pause() },
		"both pause":       func(outer, g *scheduler.Group) { outer.Pause(); g.Pause() },
		"inner first": func(outer, g *scheduler.Group) {
			g.SetSpeed(2)
			g.SetSpeed(1)
			outer.SetSpeed(3)
			outer.SetSpeed(1)
		},
	} {
		s, now := virtual(t, scheduler.Options{})
		outer := s.NewGroup("outer")
		g := outer.NewGroup("level")
		begin, got := g.Now(), ""
		note := func() { got += fmt.Sprint(g.Now().Sub(begin), " ") }
		for _, d := range []time.Duration{2 * time.Second, 11 * time.Second} {
			s.Submit(&scheduler.Task{Group: g, Delay: d, Func: note})
		}
		g.Go(deadline.Normal, func(co *scheduler.Co) {
			scheduler.AwaitTimeout(co, neverEnds{}, 3*time.Second)
			note()
			co.Sleep(9 * time.Second)
			note()
		})
		s.RunUntil(deadline.Deadline{})
		*now = now.Add(10 * time.Second)
		change(outer, g)
		s.Shift(10 * time.Second)
		eq(t, name+": the time of the group", g.Now().Sub(begin), 0)
		s.RunUntil(deadline.Deadline{})
		for _, x := range []*scheduler.Group{outer, g} {
			x.Resume()
			x.SetSpeed(1)
		}
		for range 50 {
			s.RunUntil(deadline.Deadline{})
			*now = now.Add(500 * ms)
		}
		eq(t, name, got, "2s 3s 11s 12s ")
	}
}

// A group that is paused before a jump, and resumed between the jump and the Shift, counts its delays from the Shift.
func TestS49_APauseThatEndsAfterTheJump(t *testing.T) {
	s, now := virtual(t, scheduler.Options{})
	g := s.NewGroup("level")
	ran := false
	g.After(deadline.Normal, time.Second, func() { ran = true })
	s.RunUntil(deadline.Deadline{})
	g.Pause()
	s.RunUntil(deadline.Deadline{})
	*now = now.Add(10 * time.Second)
	g.Resume()
	s.Shift(10 * time.Second)
	*now = now.Add(time.Second)
	s.RunUntil(deadline.Deadline{})
	if !ran {
		t.Error("a delay of a second has not ended after a second")
	}
}

// Members that were ready before a jump are ready after it, in their order, whatever their group did meanwhile.
func TestS49_ReadyMembersLeaveTheJumpOut(t *testing.T) {
	for name, c := range map[string]struct{ before, after func(g *scheduler.Group) }{
		"paused before":        {(*scheduler.Group).Pause, func(g *scheduler.Group) { g.SetSpeed(2) }},
		"paused after":         {func(*scheduler.Group) {}, (*scheduler.Group).Pause},
		"paused over the jump": {(*scheduler.Group).Pause, (*scheduler.Group).Resume},
		"given back before": {
			func(g *scheduler.Group) { g.Pause(); g.Resume() }, func(g *scheduler.Group) { g.SetSpeed(2) },
		},
	} {
		for _, jump := range []time.Duration{10 * time.Second, 150 * ms} { // the second is less than some have waited
			s, now := virtual(t, scheduler.Options{})
			g := s.NewGroup("level")
			got := ""
			s.Post(deadline.Immediate, func() {
				for i := range 3 {
					group := g
					if i == 1 {
						group = nil
					}
					s.Submit(&scheduler.Task{Group: group, Func: func() { got += fmt.Sprint(i) }})
					s.ShouldYield() // reads the inbox
					*now = now.Add(100 * ms)
				}
				c.before(g)
			})
			s.RunUntil(deadline.At(now.Add(250 * ms))) // the first task takes longer
			*now = now.Add(jump)
			c.after(g)
			s.Shift(jump)
			g.Resume()
			s.RunUntil(deadline.Deadline{})
			eq(t, name, got, "012")
		}
	}
}

// Overdue members that are set aside, because fresh work has its share of the slice, are parked as others are.
func TestS45_MembersThatAreSetAsideArePaused(t *testing.T) {
	s, now := virtual(t, scheduler.Options{})
	g := s.NewGroup("level")
	ran := 0
	for range 3 {
		s.Submit(&scheduler.Task{Group: g, Timeout: -ms, Func: func() { *now = now.Add(5 * ms); ran++ }})
	}
	s.Post(deadline.Normal, g.Pause)
	s.RunUntil(deadline.At(now.Add(20 * ms)))
	s.RunUntil(deadline.Deadline{})
	eq(t, "members that ran", ran, 2)
}

// A coroutine that was canceled unwinds, although its group is paused before its turn comes.
func TestS45_AMemberUnwindsInAPause(t *testing.T) {
	s, _ := virtual(t, scheduler.Options{})
	g := s.NewGroup("level")
	task := g.Go(deadline.Normal, func(co *scheduler.Co) { co.Sleep(time.Hour) })
	s.RunUntil(deadline.Deadline{})
	s.Post(deadline.Immediate, func() {
		task.Cancel()
		s.ShouldYield() // reads the inbox
		g.Pause()
	})
	s.RunUntil(deadline.Deadline{})
	eq(t, "the state", task.State(), scheduler.Canceled)
}

// A frame that was slow is shortened, too. A change after the jump in it counts from the Shift.
func TestS49_AChangeInASlowFrame(t *testing.T) {
	s, now := virtual(t, scheduler.Options{})
	g := s.NewGroup("level")
	s.BeginFrame(*now)
	begin := g.Now()
	*now = now.Add(100 * ms)
	g.SetSpeed(2)
	*now = now.Add(200 * ms)
	s.Shift(284 * ms)
	eq(t, "the time of the group", g.Now().Sub(begin), 16*ms)
}

// After a Shift, a member that is due does not bring along what other groups have delayed for later.
func TestS44_AShiftTakesAllGroupsBack(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		outer := w.s.NewGroup("outer")
		inner, other := outer.NewGroup("inner"), w.s.NewGroup("other")
		var log []string
		after := func(g *scheduler.Group, d time.Duration, name string) {
			g.After(deadline.Normal, d, func() { log = append(log, name) })
		}
		after(outer, 10*ms, "before")
		time.Sleep(10 * ms)
		w.drain()
		w.s.Shift(10 * ms)
		after(outer, 2*ms, "first")
		after(inner, 5*ms, "second")
		after(other, 5*ms, "third")
		w.drain()
		for _, want := range []string{"[before first]", "[before first second third]"} {
			time.Sleep(3 * ms)
			w.drain()
			if got := fmt.Sprint(log); got != want {
				t.Errorf("ran %s, want %s", got, want)
			}
		}
	})
}

// A member that has slept since it was given back is like other work at a Shift, and keeps its place.
func TestS49_AMemberThatSleptSinceTheJump(t *testing.T) {
	s, now := virtual(t, scheduler.Options{})
	g := s.NewGroup("level")
	got := ""
	sleeper := func(name string) func(*scheduler.Co) {
		return func(co *scheduler.Co) {
			co.Sleep(ms)
			got += name
		}
	}
	s.BeginFrame(*now)
	g.Pause()
	s.Submit(&scheduler.Task{Delay: 9 * time.Second, Co: sleeper("A")})
	s.Submit(&scheduler.Task{Group: g, Co: sleeper("B")})
	s.RunUntil(deadline.Deadline{}) // reads the inbox
	*now = now.Add(10 * time.Second)
	g.Resume()
	s.RunUntil(deadline.Deadline{})
	*now = now.Add(ms)
	s.Next() // both sleeps have ended
	s.Shift(10 * time.Second)
	*now = now.Add(10 * time.Second)
	s.RunUntil(deadline.Deadline{})
	eq(t, "order", got, "AB")
}
