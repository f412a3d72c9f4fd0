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
		s, now := virtual(t, scheduler.Options{Policy: policy, MinShare: -1})
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

// The minimum share is that, also where nothing fits into what others leave at the end of each slice.
func TestMinShareIsNotExceededByPatience(t *testing.T) {
	for _, policy := range bothPolicies {
		s, now := virtual(t, scheduler.Options{Policy: policy})
		var normal, idle int
		costly(s, now, deadline.Normal, ms, true, &normal)
		costly(s, now, deadline.Idle, ms, true, &idle)
		for range 3000 {
			s.BeginFrame(*now)
			s.RunUntil(deadline.At(now.Add(3*ms + ms/2)))
		}
		if share := float64(idle) / float64(normal+idle); share < 0.03 || share > 0.06 {
			t.Errorf("%v: Idle work got %.3f of the time, want a twentieth", policy, share)
		}
	}
}

// Work that is forced goes ahead of more urgent work in one frame of four, and not in each: a little urgent work does
// not wait for a hundred long tasks, and they get done all the same.
func TestForcedWorkLetsUrgentWorkPass(t *testing.T) {
	for _, policy := range bothPolicies {
		s, now := virtual(t, scheduler.Options{Policy: policy, MinShare: -1})
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

// A task to which a share is owed, and that fits into no slice, has its turn by patience all the same.
func TestOwedWorkThatNeverFitsRuns(t *testing.T) {
	for _, policy := range bothPolicies {
		s, now := virtual(t, scheduler.Options{Policy: policy})
		var normal, idle int
		costly(s, now, deadline.Normal, ms, true, &normal)
		costly(s, now, deadline.Idle, 6*ms, false, &idle)
		for range 1000 {
			s.BeginFrame(*now)
			s.RunUntil(deadline.At(now.Add(3*ms + ms/2)))
		}
		if idle != 1 {
			t.Errorf("%v: after %d runs of others Idle work has not run", policy, normal)
		}
	}
}
