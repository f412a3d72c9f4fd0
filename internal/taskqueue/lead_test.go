package taskqueue_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/taskqueue"
)

// TestHeadAndLeads: Head is Peek, and what it calls not expired is not; Leads foretells what Continue and Pop
// would do.
func TestHeadAndLeads(t *testing.T) {
	for _, policy := range policies {
		leads := 0
		for seed := range uint64(300) {
			leads += playLeads(t, policy, rand.New(rand.NewPCG(seed, 7)))
		}
		if (leads > 0) != (policy == deadline.ByExpiration) {
			t.Errorf("%v: Leads was true %d times", policy, leads)
		}
	}
}

func playLeads(t *testing.T, policy deadline.Policy, rng *rand.Rand) (leads int) {
	q := &taskqueue.Queue[int]{Policy: policy}
	nodes := make([]taskqueue.Node[int], 6)
	priorities := 1 + rng.IntN(deadline.NumPriorities)
	now := deadline.Instant(0)
	for range 60 {
		now = now.Add(time.Duration(rng.Int64N(3)) * []time.Duration{1, ms, time.Second}[rng.IntN(3)])
		if n := &nodes[rng.IntN(len(nodes))]; !n.Queued() {
			delay, own := time.Duration(rng.IntN(3))*ms, time.Duration(rng.IntN(3)/2)*time.Second
			q.Push(n, deadline.Priorities()[rng.IntN(priorities)], now, delay, own)
		}
		if rng.IntN(20) == 0 {
			q.Shift(time.Second)
		}
		n, expired := q.Head(now)
		if n != q.Peek(now) || n != nil && !expired && q.Expired(n, now) {
			t.Fatalf("Head = %d, %v; Peek = %d", id(n), expired, id(q.Peek(now)))
		}
		if n = q.Pop(now); n == nil {
			continue
		}
		if rng.IntN(2) == 0 {
			now = now.Add(6 * time.Second)
		}
		lead := q.Leads(n, now)
		q.Continue(n)
		if got := q.Peek(now) == n; got != lead && policy == deadline.ByExpiration || lead && !got {
			t.Fatalf("Leads(%d) = %v, then Peek = %d", id(n), lead, id(q.Peek(now)))
		}
		if lead {
			leads++
		}
		if rng.IntN(2) == 0 {
			q.Remove(n)
		}
	}
	return leads
}
