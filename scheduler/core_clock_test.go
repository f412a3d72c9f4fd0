package scheduler_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// In a bubble nothing takes any time but sleep, and that to the nanosecond.
func TestASliceInABubbleUsesWhatItSleeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler.New(scheduler.Options{})
		defer s.Close()
		for range 1000 {
			s.Post(deadline.Normal, func() { time.Sleep(time.Millisecond) })
		}
		before := time.Now()
		if r := s.RunUntil(deadline.Deadline{}); r.Used != time.Second || time.Since(before) != time.Second {
			t.Errorf("used %v, and %v passed; want 1s", r.Used, time.Since(before))
		}
	})
}

// A task reads messages in the middle of its run. After a jump of the clock their order is kept.
func TestAWaitAfterAJump(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		s := w.s
		s.Go(deadline.Normal, func(co *scheduler.Co) {
			s.Post(deadline.Normal, l.add("a"))
			s.ShouldYield()
			time.Sleep(time.Hour)
			s.Shift(time.Hour)
			s.Post(deadline.Normal, l.add("b"))
			co.Wait(s.Go(deadline.Normal, func(*scheduler.Co) {}))
		})
		w.drain()
		l.want(t, "a b")
	})
}

// Now does not go back: what the clock lost is added, once a slice has seen it.
func TestNowOfAClockThatGoesBack(t *testing.T) {
	now := deadline.Instant(time.Hour)
	s := scheduler.New(scheduler.Options{Clock: func() deadline.Instant { return now }})
	defer s.Close()
	s.RunUntil(deadline.Deadline{})
	start := s.Now()
	now -= deadline.Instant(time.Minute)
	s.RunUntil(deadline.Deadline{})
	if got := s.Now().Sub(start); got != 0 {
		t.Errorf("after a minute back it is %v later", got)
	}
	now += deadline.Instant(time.Second)
	if got := s.Now().Sub(start); got != time.Second {
		t.Errorf("a second later it is %v later", got)
	}
}

func TestClockOddFrames(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		n := 0
		task := w.s.Go(deadline.Normal, func(co *scheduler.Co) {
			for {
				co.NextFrame()
				n++
			}
		})
		w.drain()
		frames := 0
		for _, at := range []deadline.Instant{0, -1 << 63, deadline.Never, deadline.Never - 1, deadline.Now(), 5} {
			w.s.BeginFrame(at)
			w.drain()
			w.drain() // of the same frame
			frames++
			eq(t, "frames seen", n, frames)
		}
		w.s.BeginFrame(deadline.Now())
		w.s.BeginFrame(deadline.Now()) // a frame without a slice
		w.drain()
		eq(t, "frames seen", n, frames+1)
		task.Cancel()
	})
}

// A clock that jumps back, or stands still, does not stop tasks, and a delay does not start anew.
func TestClockGoesBackwards(t *testing.T) {
	c := &fakeClock{now: 1e12}
	s := scheduler.New(scheduler.Options{})
	scheduler.SetClock(s, c.read)
	defer s.Close()
	var l log
	s.Submit(&scheduler.Task{Func: l.add("delayed"), Delay: 10 * ms})
	s.RunUntil(deadline.Deadline{})
	c.now -= 5e11
	s.Post(deadline.Normal, l.add("posted"))
	s.RunUntil(deadline.Deadline{})
	l.want(t, "posted")
	c.now += deadline.Instant(10 * ms)
	s.RunUntil(deadline.Deadline{})
	l.want(t, "delayed")
	r := s.RunUntil(deadline.At(c.now + 1e6))
	eq(t, "ran", r.Ran, 0)
}
