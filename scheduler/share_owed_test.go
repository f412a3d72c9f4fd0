package scheduler_test

import (
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// Groups whose work gets only the minimum share divide that by their weights: it was all the first one's.
func TestTheMinimumShareIsDividedByWeights(t *testing.T) {
	for _, policy := range []deadline.Policy{deadline.ByExpiration, deadline.ByPriority} {
		s, now := virtual(t, scheduler.Options{Policy: policy})
		var normal int
		idle := make([]int, 3)
		flood := func(g *scheduler.Group, p deadline.Priority, n *int) {
			s.Submit(&scheduler.Task{Priority: p, Group: g, Cost: ms / 2, Step: func() bool {
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
