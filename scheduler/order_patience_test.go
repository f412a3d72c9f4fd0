package scheduler_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// costly submits a task that takes as long as it says, and again at its end if it is to go on.
func costly(s *scheduler.Scheduler, now *deadline.Instant, p deadline.Priority, d time.Duration, again bool, ran *int) {
	t := &scheduler.Task{Priority: p, Cost: d}
	t.Func = func() {
		*now = now.Add(d)
		*ran++
		if again {
			s.Submit(t)
		}
	}
	s.Submit(t)
}

var bothPolicies = []deadline.Policy{deadline.ByExpiration, deadline.ByPriority}

// Idle work behind more Normal work than there is time for has its turn by a timeout: without one it waits until
// nothing else is ready, and with one it is overdue work, which each slice begins with.
func TestIdleWorkWithATimeoutDoesNotStarve(t *testing.T) {
	for _, policy := range bothPolicies {
		for _, timeout := range []time.Duration{0, 10 * time.Second} {
			o := scheduler.Options{Policy: policy}
			o.Timeouts.Idle = timeout
			s, now := virtual(t, o)
			var normal, idle int
			for range 8 {
				costly(s, now, deadline.Normal, ms, true, &normal)
			}
			costly(s, now, deadline.Idle, 6*ms, true, &idle) // fits into no slice
			for range 5000 {
				s.BeginFrame(*now)
				s.RunUntil(deadline.At(now.Add(4 * ms)))
			}
			if (idle > 0) != (timeout > 0) || idle > 5 {
				t.Errorf("%v, a timeout of %v: %d Idle runs beside %d", policy, timeout, idle, normal)
			}
		}
	}
}

// What was passed over and leaves the queue is nobody's business any more: its item may be another goroutine's
// before the slice ends, or be passed over again.

// A life that ends begins its patience anew, and so does the next one that has the item.
func TestPatienceIsOfOneLife(t *testing.T) {
	s, now := virtual(t, scheduler.Options{})
	ran := false
	big := &scheduler.Task{Priority: deadline.Low, Cost: 6 * ms, Func: func() { ran = true }}
	frame := func() {
		s.Post(deadline.Normal, func() { *now += deadline.Instant(ms) })
		s.RunUntil(deadline.At(*now + deadline.Instant(4*ms)))
	}
	s.Submit(big)
	frame()
	frame()
	big.Cancel()
	s.RunUntil(deadline.At(*now))
	s.Submit(big)
	for range 3 {
		if frame(); ran {
			t.Fatal("it ran before three frames had passed")
		}
	}
	if frame(); !ran {
		t.Error("it did not run in the fourth frame")
	}
}

// A frame in which it was passed over twice, in two lives, counts as one.
func TestAFrameCountsOnceForWhatIsPassedOver(t *testing.T) {
	s, now := virtual(t, scheduler.Options{Patience: 2})
	ran := false
	big := &scheduler.Task{Priority: deadline.UserBlocking, Cost: 6 * ms, Func: func() { ran = true }}
	small := func() { *now += deadline.Instant(100) }
	s.Submit(big)
	s.Post(deadline.Normal, func() {
		big.Cancel()
		s.Submit(big)
		small()
	})
	s.Post(deadline.Low, small)
	for frame := range 3 {
		s.RunUntil(deadline.At(*now + deadline.Instant(4*ms)))
		if ran != (frame == 2) {
			t.Fatalf("frame %d: it ran: %v", frame, ran)
		}
		s.Post(deadline.Low, small)
	}
}
