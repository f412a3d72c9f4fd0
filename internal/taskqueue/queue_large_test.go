package taskqueue_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/taskqueue"
)

// Queues so large that heaps and trees are deep, against the naive reference and against the order of
// submission.

// TestQueueMatchesSortedSliceLarge covers deep heaps and trees, and lanes with many misfits.
func TestQueueMatchesSortedSliceLarge(t *testing.T) {
	for i := range 2 * len(policies) {
		policy, begin := policies[i%2], int64(i/2)*bubble
		rng := rand.New(rand.NewPCG(1, uint64(policy)))
		q := taskqueue.Queue[int]{Policy: policy}
		r := ref{policy: policy}
		nodes := make([]taskqueue.Node[int], 3000)
		queued := make([]*refNode, 0, len(nodes))
		for i := range nodes {
			nodes[i].Value = i
			r.nodes = append(r.nodes, &refNode{id: i})
		}
		now := begin + 1e9
		for i, m := range r.nodes {
			p := deadline.Priorities()[rng.IntN(5)]
			stamp := now - rng.Int64N(1e9) // far out of order
			var delay, own time.Duration
			if rng.IntN(3) == 0 {
				delay = time.Duration(rng.Int64N(5e9))
			}
			if rng.IntN(3) == 0 {
				own = time.Duration(rng.Int64N(20e9))
			}
			q.Push(&nodes[i], p, deadline.Instant(stamp), delay, own)
			r.push(m, p, stamp, delay, own)
		}
		for i := range nodes[:1500] {
			switch m := r.nodes[i]; rng.IntN(3) {
			case 0:
				q.Remove(&nodes[i])
				m.queued = false
			case 1:
				p := deadline.Priorities()[rng.IntN(5)]
				q.SetPriority(&nodes[i], p, deadline.Instant(now))
				if p != m.prio {
					m.prio, m.own, m.exp = p, false, m.start+refTimeouts[p]
				}
			}
		}
		if err := q.Check(); err != nil {
			t.Fatal(err)
		}
		if q.HeapLen() < 500 {
			t.Fatalf("only %d nodes in heaps: the test misses its subject", q.HeapLen())
		}
		for ; now < begin+7e9; now += 1e8 {
			r.clock = now
			queued = queued[:0]
			for _, m := range r.nodes {
				if r.ready(m) {
					queued = append(queued, m)
				}
			}
			slices.SortFunc(queued, func(a, b *refNode) int {
				if r.less(a, b) {
					return -1
				}
				return 1
			})
			for i, want := range queued {
				if i%3 == 2 {
					break // leave some for later
				}
				if got := q.Pop(deadline.Instant(now)); id(got) != want.id {
					t.Fatalf("%v at %d: Pop = %d, want %d", policy, now, id(got), want.id)
				}
				want.queued = false
			}
			if err := q.Check(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestTreeHoldsOwnTimeoutsOnly checks that the expensive structure is left as soon as it can be.
func TestTreeHoldsOwnTimeoutsOnly(t *testing.T) {
	var q queue
	a, b := &node{}, &node{}
	q.Push(a, deadline.Normal, 0, 0, 7)
	q.Push(b, deadline.Normal, 0, 3, 7)
	if q.TreeLen() != 2 {
		t.Errorf("%d nodes in the tree, want 2", q.TreeLen())
	}
	q.Remove(a)
	q.Push(a, deadline.Normal, 0, 0, 0)
	q.Defer(a)
	q.Recall()
	q.SetPriority(b, deadline.Low, 0)
	if q.TreeLen() != 0 {
		t.Errorf("%d nodes in the tree after their timeouts became ordinary, want 0", q.TreeLen())
	}
}
