package taskqueue_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/race"
	"github.com/frameslice/frameslice/internal/taskqueue"
	"github.com/frameslice/frameslice/internal/testkit"
)

// What a Queue hands out and when, by examples. The random scripts are in model_test.go.

type (
	node  = taskqueue.Node[string]
	queue = taskqueue.Queue[string]
)

func TestLenReadyStopsCountingAtItsLimit(t *testing.T) {
	var q taskqueue.Queue[int]
	nodes := make([]taskqueue.Node[int], 300) // a hundred ready, delayed, and with a timeout too
	for i := range nodes {
		delay, timeout := time.Duration(0), time.Duration(0)
		if i%3 > 0 {
			delay = 5
		}
		if i%3 == 2 {
			timeout = time.Duration(i)
		}
		q.Push(&nodes[i], deadline.Normal, 0, delay, timeout)
	}
	for _, c := range []struct {
		now         deadline.Instant
		limit, want int
	}{
		{0, math.MaxInt, 100}, {10, math.MaxInt, 300}, // all counted
		{10, 0, 200}, {10, 60, 260}, // none or some of those that have come due, all with a timeout
	} {
		if got := q.LenReady(deadline.Normal, c.now, c.limit); got != c.want {
			t.Errorf("LenReady at %d, limit %d: %d, want %d", c.now, c.limit, got, c.want)
		}
	}
}

// Queues so large that heaps and trees are deep, against the naive reference and against the order of
// submission.

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

// What a queue costs: memory, allocations, and how the time grows.

func TestNodeFillsOneCacheLine(t *testing.T) {
	if size := unsafe.Sizeof(taskqueue.Node[*int]{}); size > 64 {
		t.Errorf("a Node takes %d bytes, want at most 64", size)
	}
}

// TestSetPriorityStaysCheap changes priorities a million times with ten thousand nodes queued. If one change
// walked a lane this would take 10^10 steps and run into the test's timeout.
func TestSetPriorityStaysCheap(t *testing.T) {
	const n = 10_000
	changes := 1_000_000
	if race.Enabled {
		changes /= 20
	}
	for _, byPriority := range policies {
		q := taskqueue.Queue[int]{ByPriority: byPriority}
		nodes := make([]taskqueue.Node[int], n)
		for i := range nodes {
			q.Push(&nodes[i], deadline.Priorities()[i%deadline.NumPriorities], deadline.Instant(i), 0, 0)
		}
		rng := rand.New(rand.NewPCG(1, 1))
		for range changes {
			q.SetPriority(&nodes[rng.IntN(n)], deadline.Priorities()[rng.IntN(deadline.NumPriorities)], n)
		}
		if err := q.Check(); err != nil {
			t.Fatal(err)
		}
		last := deadline.Never
		for m := q.Pop(n); m != nil; m = q.Pop(n) {
			if !byPriority && last != deadline.Never && q.Expiration(m) < last {
				t.Fatalf("by priority %v: out of order", byPriority)
			}
			last = q.Expiration(m)
		}
	}
}

func TestQueueDoesNotAllocate(t *testing.T) {
	for _, byPriority := range policies {
		q := taskqueue.Queue[int]{ByPriority: byPriority}
		nodes := make([]taskqueue.Node[int], 500)
		now := deadline.Instant(0)
		round := func() {
			now = now.Add(time.Minute)
			for i := range nodes {
				var delay, own time.Duration
				if i%3 == 1 {
					delay = time.Duration(i)
				}
				if i%5 == 1 {
					own = time.Duration(i)
				}
				p := deadline.Priorities()[i%deadline.NumPriorities]
				q.Push(&nodes[i], p, now-deadline.Instant(i%7), delay, own)
			}
			for i := range nodes {
				switch i % 11 {
				case 0:
					q.Remove(&nodes[i])
				case 1:
					q.SetPriority(&nodes[i], deadline.Low, now)
				case 2:
					q.Defer(&nodes[i])
				}
			}
			q.Next(now)
			q.Overdue(now)
			q.LenReady(deadline.Normal, now, 100)
			q.Shift(time.Second)
			q.Recall()
			once := true
			for n := q.Pop(now.Add(2 * time.Second)); n != nil; n = q.Pop(now.Add(2 * time.Second)) {
				if once {
					q.Continue(n)
				}
				once = !once
			}
		}
		round()
		testkit.NoAllocs(t, round)
		if q.Len() != 0 {
			t.Errorf("by priority %v: %d nodes left", byPriority, q.Len())
		}
	}
}

const ms = time.Millisecond
