package taskqueue_test

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/taskqueue"
)

// A rival is a queue under the same workload: ours, and what one writes first, container/heap.
type rival interface {
	push(i int, p deadline.Priority, now deadline.Instant, delay time.Duration)
	pop(now deadline.Instant) bool
	cancel(i int)
}

type ours struct {
	q     taskqueue.Queue[*int]
	nodes []taskqueue.Node[*int]
}

func (o *ours) push(i int, p deadline.Priority, now deadline.Instant, delay time.Duration) {
	o.q.Push(&o.nodes[i], p, now, delay, 0)
}
func (o *ours) pop(now deadline.Instant) bool { return o.q.Pop(now) != nil }
func (o *ours) cancel(i int)                  { o.q.Remove(&o.nodes[i]) }

type heapItem struct {
	start, exp deadline.Instant
	seq        uint64
	index      int
}

// heaps is React's design on container/heap: timers on their start, promoted when due, and tasks on
// expiration.
type heaps struct {
	timers, tasks heapSlice
	items         []heapItem
	seq           uint64
}

type heapSlice struct {
	items   []*heapItem
	byStart bool
}

func (h *heapSlice) Len() int { return len(h.items) }
func (h *heapSlice) Less(i, j int) bool {
	a, b := h.items[i], h.items[j]
	if h.byStart && a.start != b.start {
		return a.start < b.start
	}
	if !h.byStart && a.exp != b.exp {
		return a.exp < b.exp
	}
	return a.seq < b.seq
}
func (h *heapSlice) Swap(i, j int) {
	h.items[i], h.items[j] = h.items[j], h.items[i]
	h.items[i].index, h.items[j].index = i, j
}
func (h *heapSlice) Push(x any) {
	it := x.(*heapItem)
	it.index = len(h.items)
	h.items = append(h.items, it)
}
func (h *heapSlice) Pop() any {
	last := h.items[len(h.items)-1]
	h.items = h.items[:len(h.items)-1]
	return last
}

func (h *heaps) push(i int, p deadline.Priority, now deadline.Instant, delay time.Duration) {
	it := &h.items[i]
	h.seq++
	it.start = now.Add(delay)
	it.exp = it.start.Add(deadline.Timeouts{}.Of(p))
	it.seq = h.seq
	h.timers.byStart = true
	if delay > 0 {
		heap.Push(&h.timers, it)
		return
	}
	heap.Push(&h.tasks, it)
}

func (h *heaps) pop(now deadline.Instant) bool {
	for len(h.timers.items) > 0 && h.timers.items[0].start <= now {
		heap.Push(&h.tasks, heap.Pop(&h.timers))
	}
	if len(h.tasks.items) == 0 {
		return false
	}
	heap.Pop(&h.tasks)
	return true
}

func (h *heaps) cancel(i int) { heap.Remove(&h.tasks, h.items[i].index) }

// BenchmarkQueue runs React's cases. Figures are per unit of work: one push and what ends it.
func BenchmarkQueue(b *testing.B) {
	const n = 100_000
	rng := rand.New(rand.NewPCG(1, 2))
	prios := make([]deadline.Priority, n)
	delays := make([]time.Duration, n)
	order := rng.Perm(n)
	for i := range prios {
		prios[i] = deadline.Priorities()[rng.IntN(deadline.NumPriorities)]
		delays[i] = time.Duration(1+rng.IntN(1000)) * time.Millisecond
	}
	makers := []struct {
		name string
		make func() rival
	}{
		{"lanes", func() rival { return &ours{nodes: make([]taskqueue.Node[*int], n)} }},
		{"container-heap", func() rival { return &heaps{items: make([]heapItem, n)} }},
	}
	const far = deadline.Instant(time.Hour)
	cases := []struct {
		name string
		run  func(r rival, round int)
	}{
		{"normal", func(r rival, _ int) {
			for i := range n {
				r.push(i, deadline.Normal, far, 0)
			}
			for r.pop(far) {
			}
		}},
		{"normal-one-by-one", func(r rival, _ int) {
			for i := range n {
				r.push(i, deadline.Normal, far, 0)
				r.pop(far)
			}
		}},
		{"mixed", func(r rival, _ int) {
			for i := range n {
				r.push(i, prios[i], far, 0)
			}
			for r.pop(far) {
			}
		}},
		{"mixed-depth-1000", func(r rival, _ int) {
			for i := range n {
				r.push(i, prios[i], far, 0)
				if i >= 1000 {
					r.pop(far)
				}
			}
			for r.pop(far) {
			}
		}},
		{"cancel", func(r rival, _ int) {
			for i := range n {
				r.push(i, prios[i], far, 0)
			}
			for _, i := range order {
				r.cancel(i)
			}
		}},
		{"cancel-pair", func(r rival, _ int) {
			for i := range n {
				r.push(i, deadline.Normal, far, 0)
				r.cancel(i)
			}
		}},
		{"delayed", func(r rival, round int) {
			now := deadline.Instant(round) * far
			for i := range n {
				r.push(i, deadline.Normal, now, delays[i])
			}
			for now = now.Add(time.Second); r.pop(now); {
			}
		}},
		{"delayed-depth-1000", func(r rival, round int) {
			now := deadline.Instant(round) * far
			for i := 0; i < n; i += 1000 {
				for j := i; j < i+1000; j++ {
					r.push(j, deadline.Normal, now, delays[j])
				}
				for now = now.Add(time.Second); r.pop(now); {
				}
			}
		}},
		{"delayed-stepped", func(r rival, round int) {
			now := deadline.Instant(round) * far
			for i := range n {
				r.push(i, prios[i], now, delays[i])
			}
			for range 1000 {
				now = now.Add(time.Millisecond)
				for r.pop(now) {
				}
			}
		}},
	}
	for _, c := range cases {
		for _, m := range makers {
			b.Run(fmt.Sprintf("%s/%s", c.name, m.name), func(b *testing.B) {
				b.ReportAllocs()
				r := m.make()
				round := 0
				for b.Loop() {
					c.run(r, round)
					round++
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/task")
			})
		}
	}
}

func BenchmarkSetPriority(b *testing.B) {
	const n = 10_000
	for _, policy := range policies {
		b.Run(policy.String(), func(b *testing.B) {
			q := taskqueue.Queue[int]{Policy: policy}
			nodes := make([]taskqueue.Node[int], n)
			for i := range nodes {
				q.Push(&nodes[i], deadline.Priorities()[i%5], deadline.Instant(i), 0, 0)
			}
			rng := rand.New(rand.NewPCG(1, 1))
			for b.Loop() {
				r := rng.Uint32()
				q.SetPriority(&nodes[r%n], deadline.Priorities()[r>>16%5], n)
			}
		})
	}
}

// BenchmarkOwnTimeout measures work that goes to the tree, at a steady length.
func BenchmarkOwnTimeout(b *testing.B) {
	for _, n := range []int{1, 100, 10_000} {
		b.Run(fmt.Sprintf("queued=%d", n), func(b *testing.B) {
			var q taskqueue.Queue[int]
			nodes := make([]taskqueue.Node[int], n+1)
			rng := rand.New(rand.NewPCG(1, 1))
			now := deadline.Instant(0)
			free := &nodes[n]
			for i := range n {
				q.Push(&nodes[i], deadline.Normal, now, 0, time.Duration(1+rng.IntN(1e9)))
			}
			for b.Loop() {
				now++
				q.Push(free, deadline.Normal, now, 0, time.Duration(1+rng.IntN(1e9)))
				free = q.Pop(now)
			}
		})
	}
}

// BenchmarkContinue measures a task that yields, among peers.
func BenchmarkContinue(b *testing.B) {
	for _, policy := range policies {
		b.Run(policy.String(), func(b *testing.B) {
			q := taskqueue.Queue[int]{Policy: policy}
			nodes := make([]taskqueue.Node[int], 100)
			for i := range nodes {
				q.Push(&nodes[i], deadline.Normal, 1, 0, 0)
			}
			for b.Loop() {
				q.Continue(q.Pop(1))
			}
		})
	}
}
