package scheduler_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// busy submits a task that takes a millisecond, which it declares, and submits itself again.
func busy(s *scheduler.Scheduler, now *deadline.Instant, p deadline.Priority, f func()) {
	t := &scheduler.Task{Priority: p, Cost: ms}
	t.Func = func() {
		f()
		*now += deadline.Instant(ms)
		s.Submit(t)
	}
	s.Submit(t)
}

// Idle work behind more Normal work than there is time for gets nothing for a second, and a twentieth then.
func TestIdleWorkGetsItsShare(t *testing.T) {
	s, now := virtual(t, scheduler.Options{})
	for range 8 {
		busy(s, now, deadline.Normal, nop)
	}
	idle, began := 0, deadline.Never
	busy(s, now, deadline.Idle, func() { idle++; began = min(began, *now) })
	for range 1000 {
		s.RunUntil(deadline.At(now.Add(4 * ms)))
	}
	if first := time.Duration(began); first < time.Second || first > 1010*ms || idle < 140 || idle > 155 {
		t.Errorf("%d of 4000 runs, the first after %v", idle, first)
	}
}

// Without a share strict orders are strict, and with one Immediate work is not behind Idle work.
func TestNoShareAndUrgentWork(t *testing.T) {
	for _, c := range []struct {
		share  float64
		urgent deadline.Priority
		most   int // idle runs in 100 slices of 4
		least  int
	}{{-1, deadline.Low, 0, 0}, {1, deadline.Immediate, 0, 0}, {1, deadline.Low, 100, 60}} { // 1 counts as 1/4
		s, now := virtual(t, scheduler.Options{Policy: deadline.ByPriority, MinShare: c.share})
		scheduler.SetGrace(s, 40*ms)
		for range 8 {
			busy(s, now, c.urgent, nop)
		}
		idle := 0
		busy(s, now, deadline.Idle, func() { idle++ })
		for range 100 {
			s.RunUntil(deadline.At(now.Add(4 * ms)))
		}
		if idle < c.least || idle > c.most {
			t.Errorf("share %v beside %v work: %d idle runs, want %d to %d", c.share, c.urgent, idle, c.least, c.most)
		}
	}
}

// TestStarvationModel holds the bound of S28 against random loads.
func TestStarvationModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		policy := rapid.SampledFrom([]deadline.Policy{deadline.ByExpiration, deadline.ByPriority}).Draw(t, "policy")
		share := rapid.SampledFrom([]float64{0, 0.01, 0.1, 0.25}).Draw(t, "share")
		const grace = 50 * ms
		s, now := virtual(t, scheduler.Options{Policy: policy, MinShare: share})
		scheduler.SetGrace(s, grace)
		if share == 0 {
			share = 0.05
		}
		p := deadline.Idle
		if policy == deadline.ByPriority && rapid.Bool().Draw(t, "low") {
			p = deadline.Low
		}
		load := rapid.IntRange(1, 8).Draw(t, "load")
		var urgent func()
		var others time.Duration // used by urgent work
		cost := time.Duration(rapid.IntRange(1, 3000).Draw(t, "cost")) * time.Microsecond
		urgent = func() {
			others += cost
			*now += deadline.Instant(cost)
			s.Post(deadline.UserBlocking, urgent)
		}
		for range load {
			s.Post(deadline.UserBlocking, urgent)
		}
		var ahead time.Duration // W
		k := rapid.IntRange(0, 5).Draw(t, "ahead")
		for range k {
			c := time.Duration(rapid.IntRange(1, 2000).Draw(t, "cost")) * time.Microsecond
			ahead += c
			s.Post(p, func() { *now += deadline.Instant(c) })
		}
		started := false
		s.Post(p, func() { started = true })
		most := deadline.Instant(0) // what others use in the slices that do not count
		bound := grace + time.Duration(float64(ahead)/share)
		for !started {
			before := others
			s.RunUntil(deadline.At(now.Add(time.Duration(rapid.IntRange(4, 9).Draw(t, "slice")) * ms)))
			most = max(most, deadline.Instant(others-before))
			if limit := bound + time.Duration(k+2)*time.Duration(most); others > limit {
				t.Fatalf("%v %v: others have used %v, want at most %v", policy, p, others, limit)
			}
		}
	})
}
