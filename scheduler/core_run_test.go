package scheduler_test

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// Where a slice ends, whatever runs in it and whatever its clock says.

// costs is a task that takes as long as it says.
func (w *world) costs(name string, p deadline.Priority, d time.Duration) {
	w.s.Submit(&scheduler.Task{Label: name, Priority: p, Cost: d, Func: w.work(name, d)})
}

// What is left of a slice does not wrap around, where its deadline is as long ago as can be, or as far away.
func TestADeadlineAsFarAwayAsCanBe(t *testing.T) {
	const last = deadline.Never - 1
	for _, at := range []deadline.Instant{math.MinInt64, math.MinInt64 + 1, math.MinInt64 / 2, -1, last} {
		for _, now := range []deadline.Instant{math.MinInt64, 0, 1, deadline.Never / 2, last} {
			s := scheduler.New(scheduler.Options{Clock: func() deadline.Instant { return now }})
			s.RunUntil(deadline.At(at))
			for range 3 {
				s.Post(deadline.Normal, func() {})
			}
			r := s.RunUntil(deadline.At(at))
			if at < now && r.Ran != 1 || at == last && 0 <= now && now < last && r.Ran != 3 {
				t.Errorf("%d runs at %d until %d, want 1 if late, else 3", r.Ran, now, at)
			}
			s.Close()
		}
	}
}

func TestContinuationsWithoutADeadlineDoNotStarvePeersEither(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		n, stop := 0, false
		w.s.Go(deadline.Normal, func(co *scheduler.Co) {
			for !stop {
				n++
				co.Yield() // takes no time: only the count bounds it
			}
		})
		w.s.Post(deadline.Normal, func() { stop = true })
		w.drain()
		if n != scheduler.ContSteps {
			t.Errorf("%d steps ahead of the peer, want %d", n, scheduler.ContSteps)
		}
	})
}

// fakeClock drives a scheduler outside a bubble.
type fakeClock struct{ now deadline.Instant }

func (c *fakeClock) read() deadline.Instant { return c.now }

func TestOddClocks(t *testing.T) {
	for name, tick := range map[string]func(c *fakeClock, i int){
		"flat":      func(c *fakeClock, i int) {},
		"backward":  func(c *fakeClock, i int) { c.now -= 1000 },
		"saw":       func(c *fakeClock, i int) { c.now += deadline.Instant(i%7*1000) - 3000 },
		"jumps":     func(c *fakeClock, i int) { c.now += deadline.Instant(i%100/99) * 1e15 },
		"way back":  func(c *fakeClock, i int) { c.now -= deadline.Instant(i%100/99) * 1e15 },
		"coarse":    func(c *fakeClock, i int) { c.now += deadline.Instant(i%500/499) * 15_600_000 },
		"to Never-": func(c *fakeClock, i int) { c.now += (deadline.Never - 1 - c.now) / 1000 },
	} {
		c := &fakeClock{now: 1e9}
		s := scheduler.New(scheduler.Options{})
		scheduler.SetClock(s, c.read)
		var l []int
		ran := 0
		var again func()
		again = func() { ran++; tick(c, ran); s.Post(deadline.Normal, again) }
		s.Post(deadline.Normal, again)
		for i := range 2000 {
			s.Post(deadline.Normal, func() { tick(c, i); l = append(l, i) })
		}
		slices := 0
		for ; len(l) < 2000 && slices < 5000; slices++ {
			s.BeginFrame(c.now)
			r := s.RunUntil(deadline.At(c.now.Add(ms)))
			if r.Ran == 0 {
				t.Fatalf("%s: no progress: %+v", name, r)
			}
			if r.Ran > scheduler.FlatLimit+2000 {
				t.Fatalf("%s: %d runs in a slice", name, r.Ran)
			}
		}
		for i, n := range l {
			if i != n {
				t.Fatalf("%s: order is broken at %d: %d", name, i, n)
			}
		}
		if len(l) != 2000 {
			t.Errorf("%s: %d of 2000 ran in %d slices", name, len(l), slices)
		}
		s.Close()
	}
}

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

// A periodic task that its own run submits again begins a new series, from that moment on. The grid of one series is
// that of the reference.
func TestPeriodicTaskBeginsAgain(t *testing.T) {
	s, now := virtual(t, scheduler.Options{})
	var at []deadline.Instant
	task := &scheduler.Task{Period: 2 * ms, Delay: 5 * ms}
	task.Func = func() {
		at = append(at, *now/deadline.Instant(ms))
		if task.Delay > 0 {
			task.Delay = 0
			s.Submit(task)
		}
	}
	s.Submit(task)
	for range 10 {
		s.RunUntil(deadline.Deadline{})
		*now = now.Add(ms)
	}
	want := []deadline.Instant{5, 5, 7, 9}
	for i := range max(len(at), len(want)) {
		if i >= len(at) || i >= len(want) || at[i] != want[i] {
			t.Fatalf("ran at %v, want %v", at, want)
		}
	}
}
