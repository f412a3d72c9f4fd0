package taskqueue_test

import (
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/taskqueue"
)

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
	if raceEnabled {
		changes /= 20
	}
	for _, policy := range policies {
		q := taskqueue.Queue[int]{Policy: policy}
		nodes := make([]taskqueue.Node[int], n)
		for i := range nodes {
			q.Push(&nodes[i], deadline.Priorities()[i%5], deadline.Instant(i), 0, 0)
		}
		rng := rand.New(rand.NewPCG(1, 1))
		for range changes {
			q.SetPriority(&nodes[rng.IntN(n)], deadline.Priorities()[rng.IntN(5)], n)
		}
		if err := q.Check(); err != nil {
			t.Fatal(err)
		}
		last := deadline.Never
		for m := q.Pop(n); m != nil; m = q.Pop(n) {
			if policy == deadline.ByExpiration && last != deadline.Never && q.Expiration(m) < last {
				t.Fatalf("%v: out of order", policy)
			}
			last = q.Expiration(m)
		}
	}
}

func TestQueueDoesNotAllocate(t *testing.T) {
	for _, policy := range policies {
		q := taskqueue.Queue[int]{Policy: policy}
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
				q.Push(&nodes[i], deadline.Priorities()[i%5], now-deadline.Instant(i%7), delay, own)
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
		if allocs := testing.AllocsPerRun(20, round); allocs != 0 {
			t.Errorf("%v: %v allocations per round", policy, allocs)
		}
		if q.Len() != 0 {
			t.Errorf("%v: %d nodes left", policy, q.Len())
		}
	}
	var b deadline.Budget
	var sink bool
	if allocs := testing.AllocsPerRun(100, func() {
		now := deadline.Now()
		sink = b.Slice(now, now, ms).Exceeded()
	}); allocs != 0 || sink {
		t.Errorf("Slice: %v allocations, exceeded %v", allocs, sink)
	}
}
