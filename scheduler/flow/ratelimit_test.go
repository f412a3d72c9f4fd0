package flow_test

import (
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

// A clock that goes back stands still for that moment, for a RateLimit as for all else that waits.
func TestRateLimitOfAClockThatGoesBack(t *testing.T) {
	now := deadline.Instant(time.Hour)
	s := scheduler.New(scheduler.Options{Clock: func() deadline.Instant { return now }})
	defer s.Close()
	s.RunUntil(deadline.Deadline{})
	r := &flow.RateLimit{Every: time.Second, Scheduler: s}
	if !r.Allow() || r.Allow() {
		t.Fatal("one token a second")
	}
	now -= deadline.Instant(time.Minute)
	s.RunUntil(deadline.Deadline{})
	if r.Allow() {
		t.Error("a token although no time has passed")
	}
	now += deadline.Instant(time.Second)
	if !r.Allow() {
		t.Error("no token after a second")
	}
	ran := false
	if _, err := r.Post(deadline.Normal, func() { ran = true }); err != nil {
		t.Error(err)
	}
	s.RunUntil(deadline.Deadline{})
	now += deadline.Instant(time.Second)
	if s.RunUntil(deadline.Deadline{}); !ran {
		t.Error("what was queued did not run a second later")
	}
}

// A bucket is as deep as it says, however large the numbers: Burst tokens of a century each overflowed, and there was
// none.
func TestRateLimitOfHugeNumbers(t *testing.T) {
	const most = 1000
	for _, c := range []struct {
		every time.Duration
		burst int
		want  int
	}{
		{math.MaxInt64, 0, 1},
		{math.MaxInt64, 3, 3},
		{100 * 365 * 24 * time.Hour, 5, 5},
		{time.Hour, math.MaxInt, most},
		{math.MaxInt64, math.MaxInt, most},
		{time.Hour, most / 2, most / 2},
	} {
		r := flow.RateLimit{Every: c.every, Burst: c.burst}
		got := 0
		for range most {
			if r.Allow() {
				got++
			}
		}
		if got != c.want {
			t.Errorf("a token every %v, %d at most: %d of %d allowed, want %d", c.every, c.burst, got, most, c.want)
		}
	}
}

// A bucket that is filled step by step.
func TestRateLimitMatchesABucket(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		every, burst := rapid.IntRange(1, 7).Draw(rt, "every"), rapid.IntRange(1, 5).Draw(rt, "burst")
		wants := rapid.SliceOfN(rapid.IntRange(0, 3), 0, 80).Draw(rt, "wants")
		synctest.Test(t, func(*testing.T) {
			r := flow.RateLimit{Every: time.Duration(every) * ms, Burst: burst}
			tokens := burst * every // in parts of 1/every
			for now, n := range wants {
				for range n {
					want := tokens >= every
					if want {
						tokens -= every
					}
					if got := r.Allow(); got != want {
						rt.Fatalf("at %d: %v, want %v", now, got, want)
					}
				}
				time.Sleep(ms)
				tokens = min(tokens+1, burst*every)
			}
		})
	})
}

func TestRateLimitTimeline(t *testing.T) {
	inBubble(t, scheduler.Options{}, func(s *scheduler.Scheduler) {
		start, runs := time.Now(), log{}
		run := func(name string) func() {
			return func() { runs.add(fmt.Sprint(name, "@", time.Since(start).Milliseconds()))() }
		}
		r := &flow.RateLimit{Every: 10 * ms, Burst: 2, MaxDelay: 25 * ms, Scheduler: s}
		full := 0
		for range 5 {
			if _, err := r.Post(deadline.Normal, run("post")); err != nil {
				full++
			}
		}
		s.Go(deadline.Normal, func(co *scheduler.Co) {
			for range 2 {
				r.Wait(co)
				run("co")()
			}
		})
		frames(s, 8)
		runs.want(t, "post@0 post@0 post@16 post@24 co@32 co@40")
		if full != 1 {
			t.Error(full, "refused")
		}
		r.Every = time.Hour
		s.Close()
		if task, err := r.Post(deadline.Normal, run("late")); task != nil || err != scheduler.ErrClosed || !r.Allow() {
			t.Errorf("after Close: %v, %v, or the token is gone", task, err)
		}
	})
}

// frames are n frames of 8 ms, with slices of 4 ms.
func frames(s *scheduler.Scheduler, n int) {
	for range n {
		begin := time.Now()
		s.BeginFrame(deadline.Now())
		s.RunUntil(deadline.In(4 * ms))
		time.Sleep(8*ms - time.Since(begin))
	}
}

// The coroutine's group may be fast: the limit is that of the server.
func TestRateLimitOfACoroutineInAFastGroup(t *testing.T) {
	now := deadline.Instant(1)
	s := scheduler.New(scheduler.Options{Clock: func() deadline.Instant { return now }})
	defer s.Close()
	g := s.NewGroup("level")
	g.SetSpeed(4)
	r := flow.RateLimit{Every: 100 * time.Millisecond, Scheduler: s}
	var at []deadline.Instant
	g.Go(deadline.Normal, func(co *scheduler.Co) {
		for range 4 {
			r.Wait(co)
			at = append(at, now)
		}
	})
	for range 400 {
		s.RunUntil(deadline.Deadline{})
		now = now.Add(time.Millisecond)
	}
	if len(at) != 4 {
		t.Fatalf("%d of 4 waits have ended", len(at))
	}
	for i, a := range at[1:] {
		if gap := a.Sub(at[i]); gap < r.Every || gap > r.Every+2*time.Millisecond {
			t.Errorf("%v between two tokens", gap)
		}
	}
}
