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

// What does not fit into the end of a slice that more urgent work has filled was not passed over in its turn: were that
// counted, Low work would get more of the time than UserBlocking work that is always there.
func TestPatienceIsForOnesTurn(t *testing.T) {
	for _, policy := range bothPolicies {
		s, now := virtual(t, scheduler.Options{Policy: policy})
		var urgent, low int
		for range 8 {
			costly(s, now, deadline.UserBlocking, ms, true, &urgent)
		}
		for range 100 {
			costly(s, now, deadline.Low, 3*ms, false, &low)
		}
		for range 100 {
			s.BeginFrame(*now)
			s.RunUntil(deadline.At(now.Add(3*ms + ms/2)))
			*now = now.Add(12 * ms)
		}
		if urgent != 300 || low != 0 {
			t.Errorf("%v: %d urgent runs and %d low ones, want 300 and none", policy, urgent, low)
		}
	}
}

// Work that is forced goes ahead of more urgent work in one frame of four, and not in each: a little urgent work does
// not wait for a hundred long tasks, and they get done all the same.
func TestForcedWorkLetsUrgentWorkPass(t *testing.T) {
	for _, policy := range bothPolicies {
		s, now := virtual(t, scheduler.Options{Policy: policy})
		var urgent, low, row int
		var worst time.Duration
		for range 100 {
			costly(s, now, deadline.Low, 3*ms, false, &low)
		}
		for frame := range 80 {
			begin := *now
			s.BeginFrame(begin)
			s.Submit(&scheduler.Task{Priority: deadline.UserBlocking, Cost: ms, Func: func() {
				*now = now.Add(ms)
				urgent++
				worst = max(worst, now.Sub(begin))
			}})
			before := low
			s.RunUntil(deadline.At(now.Add(3*ms + ms/2)))
			if row++; low > before {
				if frame > 4 && row != 4 {
					t.Errorf("%v: frame %d: a long task after %d frames, want 4", policy, frame, row)
				}
				row = 0
			}
			*now = begin.Add(16 * ms)
		}
		if worst > 20*ms || urgent < 79 || low < 18 {
			t.Errorf("%v: urgent work waited for %v, %d and %d ran", policy, worst, urgent, low)
		}
	}
}

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

func TestNothingRemainsOfWhatWasPassedOverAndCanceled(t *testing.T) {
	s, now := virtual(t, scheduler.Options{})
	big := func() { *now += deadline.Instant(6 * ms) }
	for range 4 { // its cost is learned
		s.Post(deadline.Normal, big)
		s.RunUntil(deadline.Deadline{})
	}
	var h scheduler.Handle
	left := -1
	s.Post(deadline.Normal, func() { h = s.Post(deadline.UserBlocking, big) })
	s.Post(deadline.Low, func() { h.Cancel() })
	s.Post(deadline.Idle, func() { left = scheduler.PassedOver(s) })
	if r := s.RunUntil(deadline.At(*now + deadline.Instant(4*ms))); r.Ran != 3 || r.Deferred != 1 || left != 0 {
		t.Errorf("%+v, %d remain, want 3 runs, 1 deferred, and none", r, left)
	}
}

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
	s, now := virtual(t, scheduler.Options{})
	scheduler.SetPatience(s, 2)
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
