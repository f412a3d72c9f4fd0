package taskqueue_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/taskqueue"
)

// bench is a queue with its nodes.
type bench struct {
	q     taskqueue.Queue[*int]
	nodes []taskqueue.Node[*int]
}

func (r *bench) push(i int, p deadline.Priority, now deadline.Instant, delay time.Duration) {
	r.q.Push(&r.nodes[i], p, now, delay, 0)
}
func (r *bench) pop(now deadline.Instant) bool { return r.q.Pop(now) != nil }
func (r *bench) cancel(i int)                  { r.q.Remove(&r.nodes[i]) }

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
	const far = deadline.Instant(time.Hour)
	cases := []struct {
		name string
		run  func(r *bench, round int)
	}{
		{"normal", func(r *bench, _ int) {
			for i := range n {
				r.push(i, deadline.Normal, far, 0)
			}
			for r.pop(far) {
			}
		}},
		{"normal-one-by-one", func(r *bench, _ int) {
			for i := range n {
				r.push(i, deadline.Normal, far, 0)
				r.pop(far)
			}
		}},
		{"mixed", func(r *bench, _ int) {
			for i := range n {
				r.push(i, prios[i], far, 0)
			}
			for r.pop(far) {
			}
		}},
		{"mixed-depth-1000", func(r *bench, _ int) {
			for i := range n {
				r.push(i, prios[i], far, 0)
				if i >= 1000 {
					r.pop(far)
				}
			}
			for r.pop(far) {
			}
		}},
		{"cancel", func(r *bench, _ int) {
			for i := range n {
				r.push(i, prios[i], far, 0)
			}
			for _, i := range order {
				r.cancel(i)
			}
		}},
		{"cancel-pair", func(r *bench, _ int) {
			for i := range n {
				r.push(i, deadline.Normal, far, 0)
				r.cancel(i)
			}
		}},
		{"delayed", func(r *bench, round int) {
			now := deadline.Instant(round) * far
			for i := range n {
				r.push(i, deadline.Normal, now, delays[i])
			}
			for now = now.Add(time.Second); r.pop(now); {
			}
		}},
		{"delayed-depth-1000", func(r *bench, round int) {
			now := deadline.Instant(round) * far
			for i := 0; i < n; i += 1000 {
				for j := i; j < i+1000; j++ {
					r.push(j, deadline.Normal, now, delays[j])
				}
				for now = now.Add(time.Second); r.pop(now); {
				}
			}
		}},
		{"delayed-stepped", func(r *bench, round int) {
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
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			r := &bench{nodes: make([]taskqueue.Node[*int], n)}
			round := 0
			for b.Loop() {
				c.run(r, round)
				round++
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/task")
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
