package scheduler_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// afterAJump has a group wait for something that takes five seconds. After 0.1 s the clock jumps by ten seconds. Then
// Shift takes the jump out, and what happens next does something to the group, in the given order. It returns how long
// after the jump the wait ends.
func afterAJump(t *testing.T, order, kind string, next func(g *scheduler.Group, since time.Duration)) time.Duration {
	s, now := virtual(t, scheduler.Options{})
	outer := s.NewGroup("outer")
	g := outer.NewGroup("g")
	var ended deadline.Instant
	end := func() { ended = *now }
	const wait = 5 * time.Second
	switch kind {
	case "Sleep":
		g.Go(deadline.Normal, func(co *scheduler.Co) {
			co.Sleep(wait)
			end()
		})
	case "AwaitTimeout":
		g.Go(deadline.Normal, func(co *scheduler.Co) {
			_, _ = scheduler.AwaitTimeout[int](co, &future{}, wait)
			end()
		})
	case "After":
		g.After(deadline.Normal, wait, end)
	case "Every":
		var task *scheduler.Task
		task = g.Every(deadline.Normal, wait, func() {
			end()
			task.Cancel()
		})
	}
	frame := func() {
		s.BeginFrame(*now)
		s.RunUntil(deadline.At(now.Add(4 * ms)))
		*now = now.Add(16 * ms)
	}
	for range 6 {
		frame()
	}
	const jump = 10 * time.Second
	*now = now.Add(jump)
	from := *now
	switch order {
	case "Shift, change":
		s.BeginFrame(*now)
		s.Shift(jump)
		next(g, 0)
	case "change, Shift":
		s.BeginFrame(*now)
		next(g, 0)
		s.Shift(jump)
	case "Next, Shift, change":
		s.Next()
		s.BeginFrame(*now)
		s.Shift(jump)
		next(g, 0)
	case "outer change, Shift, change":
		s.BeginFrame(*now)
		outer.SetSpeed(2)
		outer.SetSpeed(1)
		s.Shift(jump)
		next(g, 0)
	}
	for range 4000 {
		if ended != 0 {
			return ended.Sub(from)
		}
		frame()
		next(g, now.Sub(from))
	}
	t.Errorf("%s, %s: no end", order, kind)
	return 0
}

// Whether a group is paused or slowed down before Shift takes a jump out or after that, and whether the host has asked
// Next in between: the group's waits end at the same time.
func TestAJumpIsTakenOutInAnyOrder(t *testing.T) {
	at := func(since, when time.Duration) bool { return since >= when && since < when+16*ms }
	for what, c := range map[string]struct {
		next func(g *scheduler.Group, since time.Duration)
		want time.Duration // 96 ms of the wait have passed before the jump
	}{
		"nothing": {func(*scheduler.Group, time.Duration) {}, 4904 * ms},
		"a pause of 20 s": {func(g *scheduler.Group, since time.Duration) {
			if since == 0 {
				g.Pause()
			} else if at(since, 20*time.Second) {
				g.Resume()
			}
		}, 24904 * ms},
		"a pause of 1 s, later": {func(g *scheduler.Group, since time.Duration) {
			if at(since, 2*time.Second) {
				g.Pause()
			} else if at(since, 3*time.Second) {
				g.Resume()
			}
		}, 5904 * ms},
		"half speed": {func(g *scheduler.Group, since time.Duration) {
			if since == 0 {
				g.SetSpeed(0.5)
			}
		}, 9808 * ms},
		"a pause of 1 s, and half speed": {func(g *scheduler.Group, since time.Duration) {
			if since == 0 {
				g.Pause()
			} else if at(since, time.Second) {
				g.SetSpeed(0.5)
				g.Resume()
			}
		}, 10808 * ms},
	} {
		for _, kind := range []string{"Sleep", "AwaitTimeout", "After", "Every"} {
			for _, order := range []string{
				"Shift, change", "change, Shift", "Next, Shift, change", "outer change, Shift, change",
			} {
				t.Run(fmt.Sprint(what, "/", kind, "/", order), func(t *testing.T) {
					got := afterAJump(t, order, kind, c.next)
					if got < c.want || got >= c.want+32*ms {
						t.Errorf("ends %v after the jump, want %v", got, c.want)
					}
				})
			}
		}
	}
}

// A pause has set a member aside before the jump, and Resume gives the member back after the jump. Then it has the age
// that it had. This also holds for an idle callback, and for a task that was passed over in the slice with the Shift.
func TestWhatIsGivenBackAfterAJumpIsNoOlder(t *testing.T) {
	const jump = 10 * time.Second
	t.Run("idle callback", func(t *testing.T) {
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
	})
	t.Run("passed over", func(t *testing.T) {
		s, now := virtual(t, scheduler.Options{})
		g := s.NewGroup("g")
		s.BeginFrame(*now)
		g.Pause()
		ran := false
		s.Submit(&scheduler.Task{
			Priority: deadline.UserBlocking, Cost: 5 * ms, Group: g, Func: func() { ran = true },
		})
		s.RunUntil(deadline.At(now.Add(2 * ms)))
		*now = now.Add(jump)
		s.BeginFrame(*now)
		s.Post(deadline.Immediate, g.Resume)
		s.Post(deadline.Normal, func() { s.Shift(jump) })
		s.RunUntil(deadline.At(now.Add(2 * ms)))
		*now = now.Add(16 * ms)
		s.BeginFrame(*now)
		s.RunUntil(deadline.At(now.Add(10 * ms)))
		if !ran {
			t.Error("the task waits for another jump")
		}
	})
}

// A slice has passed over a member that the jump has made due, when a task of the same slice takes the jump out. The
// member waits for the time of its group again.
func TestAMemberThatWasPassedOverIsDelayedAgain(t *testing.T) {
	s, now := virtual(t, scheduler.Options{})
	g := s.NewGroup("g")
	var ran deadline.Instant
	s.Submit(&scheduler.Task{
		Delay: 5 * time.Second, Timeout: 7 * time.Second, Cost: 5 * ms, Group: g, Func: func() { ran = *now },
	})
	s.BeginFrame(*now)
	s.RunUntil(deadline.At(*now))
	*now = now.Add(10 * time.Second)
	from := *now
	s.BeginFrame(*now)
	s.Post(deadline.Immediate, func() {})
	shifted := false
	s.Post(deadline.Low, func() {
		shifted = true
		s.Shift(10 * time.Second)
		g.SetSpeed(0.5)
	})
	s.RunUntil(deadline.At(now.Add(2 * ms)))
	if !shifted || ran != 0 {
		t.Fatalf("shifted %v, ran %v", shifted, ran)
	}
	for i := 0; ran == 0 && i < 1000; i++ {
		*now = now.Add(16 * ms)
		s.BeginFrame(*now)
		s.RunUntil(deadline.At(now.Add(10 * ms)))
	}
	if d := ran.Sub(from); d < 10*time.Second || d > 10*time.Second+32*ms {
		t.Errorf("it ran %v after the jump, want 10 s", d)
	}
}
