package scheduler_test

import (
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

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
