package scheduler_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// Groups whose work gets only the minimum share divide that by their weights: it was all the first one's.
func TestTheMinimumShareIsDividedByWeights(t *testing.T) {
	for i := range 4 {
		policy, cost := deadline.Policy(i&1), ms/2*time.Duration(i>>1) // declared or learned
		s, now := virtual(t, scheduler.Options{Policy: policy})
		var normal int
		idle := make([]int, 3)
		flood := func(g *scheduler.Group, p deadline.Priority, n *int) {
			s.Submit(&scheduler.Task{Priority: p, Label: "f", Group: g, Cost: cost, Step: func() bool {
				*now = now.Add(ms / 2)
				*n++
				return true
			}})
		}
		flood(nil, deadline.Normal, &normal)
		for i, weight := range []int{3, 1, 0} {
			g := s.NewGroup("")
			g.SetWeight(weight)
			flood(g, deadline.Idle, &idle[i])
		}
		for range 6000 {
			s.BeginFrame(*now)
			s.RunUntil(deadline.At(now.Add(4 * ms)))
		}
		sum := idle[0] + idle[1] + idle[2]
		if share := float64(sum) / float64(normal+sum); share < 0.03 || share > 0.06 {
			t.Errorf("%v: Idle work got %.3f of the time, want a twentieth", policy, share)
		}
		for i, want := range []int{3, 1, 1} {
			if off := idle[i]*5 - want*sum; off < -sum/4 || off > sum/4 {
				t.Errorf("%v: %v of Idle work, want 3 to 1 to 1", policy, idle)
				break
			}
		}
	}
}

// What does not fit into the end of a slice does not change the shares: where costs are learned, 3 to 1 was 3 to 2.
func TestWeightsWhereNothingFitsIntoTheEndOfASlice(t *testing.T) {
	for _, cost := range []time.Duration{0, ms / 2} {
		s, now := virtual(t, scheduler.Options{})
		ran := make([]int, 3)
		for i, weight := range []int{3, 1, 0} {
			g := s.NewGroup("")
			g.SetWeight(weight)
			for range 4 {
				task := &scheduler.Task{Label: "f", Group: g, Cost: cost}
				task.Func = func() {
					*now = now.Add(ms / 2)
					ran[i]++
					s.Submit(task)
				}
				s.Submit(task)
			}
		}
		for range 1000 {
			s.BeginFrame(*now)
			s.RunUntil(deadline.At(now.Add(4 * ms)))
		}
		sum := ran[0] + ran[1] + ran[2]
		for i, want := range []int{3, 1, 1} {
			if off := ran[i]*5 - want*sum; off < -sum/10 || off > sum/10 {
				t.Errorf("cost %v: %v runs, want 3 to 1 to 1", cost, ran)
				break
			}
		}
	}
}
