package taskqueue_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/taskqueue"
)

// TestASlotIsSortedHoweverItsTimersLie: in one slot, spread evenly, all within one portion of it and in the
// worst order, at one instant, and in two heaps far apart; as many as there may be, and few.
func TestASlotIsSortedHoweverItsTimersLie(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	spreads := map[string]func(i, n int) int{
		"even":      func(i, n int) int { return rng.IntN(1 << 22) },
		"backwards": func(i, n int) int { return n - i },
		"one":       func(i, n int) int { return 1000 },
		"two heaps": func(i, n int) int { return i%2*3_900_000 + rng.IntN(500) },
		"forwards":  func(i, n int) int { return 100 * i },
	}
	for name, at := range spreads {
		for _, n := range []int{2, 3, 8, 9, 10, 64, 100, 1023, 1025, 1200} {
			var q taskqueue.Queue[int]
			q.UseWheels()
			nodes := make([]taskqueue.Node[int], n)
			want := make([]int, n)
			starts := make([]int, n)
			for i := range nodes {
				nodes[i].Value, want[i], starts[i] = i, i, at(i, n)
				q.Push(&nodes[i], deadline.Normal, 0, 4<<22+time.Duration(starts[i]), 0)
				if got := nodes[i].Order(); got != uint64(i+1) {
					t.Fatalf("push %d has the number %d", i+1, got)
				}
			}
			slices.SortStableFunc(want, func(a, b int) int { return cmp.Compare(starts[a], starts[b]) })
			pop := func(want []int) {
				for i, id := range want {
					if got := q.Pop(deadline.Never); got == nil || got.Value != id {
						t.Fatalf("%s, %d: place %d of %v", name, n, i, want)
					}
				}
				if err := q.Check(); err != nil {
					t.Fatalf("%s, %d: %v", name, n, err)
				}
			}
			pop(want[:n/2])
			q.Remove(&nodes[want[n-1]]) // one of those that are sorted leaves
			pop(want[n/2 : n-1])
			if q.Len() != 0 {
				t.Errorf("%s, %d: %d are left", name, n, q.Len())
			}
		}
	}
}
