package flow_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

// However many goroutines post a key, also while it begins, there is room for it if no other key waits.
func TestStressLatestOfOneKey(t *testing.T) {
	const posters, rounds = 4, 100_000
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	ran := [posters]int{}
	l := flow.NewLatest(s, flow.LatestOptions{Keys: 1}, func(_ int, v [2]int) {
		if v[1] <= ran[v[0]] {
			t.Errorf("value %d of poster %d comes after %d", v[1], v[0], ran[v[0]])
		}
		ran[v[0]] = v[1]
	})
	var g sync.WaitGroup
	for i := range posters {
		g.Go(func() {
			for n := range rounds {
				if err := l.Post(1, [2]int{i, n + 1}); err != nil {
					t.Errorf("post %d: %v", n, err)
					return
				}
			}
		})
	}
	runWhile(s, &g, func() {})
	if n := l.Len(); n != 0 {
		t.Errorf("%d keys wait in the end", n)
	}
	if slices.Max(ran[:]) != rounds {
		t.Errorf("what ran last are %v, want %d for one of them at least", ran, rounds)
	}
}
