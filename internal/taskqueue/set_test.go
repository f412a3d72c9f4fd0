package taskqueue_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/taskqueue"
)

// compareSets compares what Before and Len return.
func compareSets(
	t failer, step int, q *taskqueue.Queue[int], r *ref, qn []taskqueue.Node[int], sets []taskqueue.Set[int],
) {
	for i, n := range r.nodes {
		m := r.nodes[(i+1+step)%len(r.nodes)] // another one in each step
		if n != m && n.queued && m.queued && q.Before(&qn[n.id], &qn[m.id]) != r.less(n, m) {
			t.Fatalf("step %d: Before(%d, %d) = %v", step, n.id, m.id, !r.less(n, m))
		}
	}
	for i := range sets {
		n := 0
		for _, m := range r.nodes {
			if m.queued && m.set == i && i > 0 {
				n++
			}
		}
		if sets[i].Len() != n {
			t.Fatalf("step %d: %d nodes in set %d, want %d", step, sets[i].Len(), i, n)
		}
	}
}

func TestEnterTwiceIsEnteringOnce(t *testing.T) {
	var q taskqueue.Queue[int]
	var g, h taskqueue.Set[int]
	n := &taskqueue.Node[int]{}
	mustPanic(t, "taskqueue: invalid Priority(9)", func() { q.SetPriorityOf(&g, 9, 0) })
	q.Enter(&h, n)
	q.Enter(&g, n)
	q.Enter(&g, n)
	if h.Len() != 0 {
		t.Fatalf("%d nodes in the set that it has left", h.Len())
	}
	if g.Len() != 1 {
		t.Fatalf("%d nodes", g.Len())
	}
}

// A set costs no allocation once the heaps have grown.
func TestSetAllocatesNothing(t *testing.T) {
	var q taskqueue.Queue[int]
	var g taskqueue.Set[int]
	nodes := make([]taskqueue.Node[int], 64)
	run := func() {
		for i := range nodes {
			q.Enter(&g, &nodes[i])
			q.Push(&nodes[i], deadline.Priorities()[i%5], 0, time.Duration(i%3), 0)
		}
		q.SetPriorityOf(&g, deadline.Low, 0)
		for q.Pop(10) != nil {
		}
	}
	run()
	if n := testing.AllocsPerRun(10, run); n != 0 {
		t.Fatalf("%v allocations", n)
	}
}

// BenchmarkSetPriorityOf changes the priority of a set of n nodes: it takes as long for ten as for 100,000.
func BenchmarkSetPriorityOf(b *testing.B) {
	for _, delay := range []time.Duration{0, time.Second} {
		for _, n := range []int{10, 1000, 100_000} {
			b.Run(fmt.Sprintf("delay=%v/n=%d", delay, n), func(b *testing.B) {
				var q taskqueue.Queue[int]
				var g taskqueue.Set[int]
				rng := rand.New(rand.NewPCG(1, 1))
				nodes := make([]taskqueue.Node[int], n)
				for i := range nodes {
					q.Enter(&g, &nodes[i])
					d := delay
					if d > 0 {
						d += time.Duration(rng.IntN(1e9))
					}
					q.Push(&nodes[i], deadline.Priorities()[rng.IntN(5)], 0, d, 0)
				}
				q.SetPriorityOf(&g, deadline.Immediate, 0)
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					q.SetPriorityOf(&g, deadline.Priorities()[i%2+1], 0)
					i++
				}
			})
		}
	}
}

// BenchmarkSetPushPop is what being in a set costs: the same without is in BenchmarkQueue.
func BenchmarkSetPushPop(b *testing.B) {
	for _, sets := range []int{1, 100} {
		for _, n := range []int{1, 1000} {
			b.Run(fmt.Sprintf("sets=%d/n=%d", sets, n), func(b *testing.B) {
				var q taskqueue.Queue[int]
				g := make([]taskqueue.Set[int], sets)
				nodes := make([]taskqueue.Node[int], n*sets)
				now := deadline.Instant(0)
				for i := range nodes {
					nodes[i].Value = i % sets
					now++
					q.Enter(&g[i%sets], &nodes[i])
					q.Push(&nodes[i], deadline.Normal, now, 0, 0)
				}
				b.ReportAllocs()
				for b.Loop() {
					now++
					x := q.Pop(now)
					q.Enter(&g[x.Value], x)
					q.Push(x, deadline.Normal, now, 0, 0)
				}
			})
		}
	}
}
