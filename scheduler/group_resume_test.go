package scheduler_test

import (
	"fmt"
	"strings"
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

// Whatever changes the speed between a jump of the clock and its Shift, and whether the host has asked Next in between:
// the delays leave the jump out (S49), and a pause afterwards too.
func TestS49_DelaysLeaveTheJumpOut(t *testing.T) {
	for name, change := range map[string]func(outer, g *scheduler.Group){
		"nothing":          func(_, g *scheduler.Group) {},
		"Next":             func(_, g *scheduler.Group) {},
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
		if strings.HasPrefix(name, "Next") {
			s.Next() // makes ready what the jump has made due
			s.BeginFrame(*now)
		}
		change(outer, g)
		s.Shift(10 * time.Second)
		eq(t, name+": the time of the group", g.Now().Sub(begin), 0)
		g.Pause() // which counts for all of them
		*now = now.Add(5 * time.Second)
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

// A pause has set an idle callback aside before the jump, and Resume gives it back after the jump. Its timeout leaves
// the jump out.
func TestS49_AnIdleCallbackThatIsGivenBackAfterAJump(t *testing.T) {
	const jump = 10 * time.Second
	s, now := virtual(t, scheduler.Options{})
	g := s.NewGroup("g")
	s.BeginFrame(*now)
	g.Pause()
	var ran deadline.Instant
	s.Submit(&scheduler.Task{
		Timeout: time.Second, Group: g, Idle: func(deadline.Deadline, bool) { ran = *now },
	})
	s.RunUntil(deadline.At(*now))
	*now = now.Add(jump)
	from := *now
	s.BeginFrame(*now)
	g.Resume()
	s.Shift(jump)
	for i := 0; ran == 0 && i < 1000; i++ {
		s.RunUntil(deadline.At(*now)) // no idle time
		*now = now.Add(16 * ms)
		s.BeginFrame(*now)
	}
	if d := ran.Sub(from); d < time.Second || d > time.Second+32*ms {
		t.Errorf("timed out %v after the jump, want 1 s", d)
	}
}
