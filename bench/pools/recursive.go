package main

import (
	"fmt"

	"github.com/frameslice/frameslice/bench/report"
)

// recursive are the workloads in which work makes more work. Every call offers all but one of its calls to others, at
// any depth.
func recursive(z sizes) []workload {
	fib := recursion{
		prepare: func(p pool) func(int) int64 {
			f := fibOf(p)
			return func(n int) int64 { return int64(f(n)) }
		},
		size: z.fib, warm: max(2, z.fib-8), metric: "ns/fork",
		want: func(n int) (int64, int) { return int64(serialFib(n)), forksOf(n) },
	}
	queens := walking(queensRoot)
	queens.size, queens.warm, queens.metric = z.queens, z.queens-2, "ns/task"
	tree := walking(branchRoot)
	tree.size, tree.warm, tree.metric = z.nodes, z.nodes/10, "ns/node"
	return []workload{
		{name: "fib", about: fmt.Sprintf("fib(%d) without a cut-off, a fork for each call", z.fib),
			numbers: []int{fib.size, fib.warm}, run: fib.run,
			has: func(s system) bool { return recurses(s, true) }},
		{name: "nqueens", about: fmt.Sprintf("nqueens(%d), a task for each placement", z.queens),
			numbers: []int{queens.size, queens.warm}, run: queens.run,
			has: func(s system) bool { return recurses(s, false) }},
		{name: "tree", about: fmt.Sprintf("an unbalanced tree of %d nodes, a task for each", z.nodes),
			numbers: []int{tree.size, tree.warm}, run: tree.run,
			has: func(s system) bool { return recurses(s, false) }},
	}
}

// A recursion is a recursive workload. prepare returns a function that computes it on the pool for a size. want
// returns the right result, and the number of items to divide the time by.
type recursion struct {
	prepare    func(p pool) func(size int) int64
	size, warm int
	metric     string
	want       func(size int) (result int64, items int)
}

func walking(root func(size int) node) recursion {
	return recursion{
		prepare: func(p pool) func(int) int64 {
			f := walkOf(p)
			return func(size int) int64 { return f(root(size)) }
		},
		want: func(size int) (int64, int) { return serialWalk(root(size)), serialNodes(root(size)) },
	}
}

func (r recursion) run(s system, workers int) ([]report.Value, error) {
	want, items := r.want(r.size)
	p := s.forks(workers)
	defer p.close()
	f := r.prepare(p)
	f(r.warm)
	t0 := now()
	got := f(r.size)
	took := since(t0)
	if got != want {
		return nil, fmt.Errorf("result %d, not %d", got, want)
	}
	return ns(r.metric, took, items), nil
}

func fibOf(p pool) func(n int) int {
	if r, ok := p.(recurser); ok {
		return r.fibber()
	}
	return spawnFib(p.(spawner))
}

func walkOf(p pool) func(root node) int64 {
	if r, ok := p.(recurser); ok {
		return r.walker()
	}
	return spawnWalk(p.(spawner))
}

// recurses reports whether a system can do recursive workloads, and those where jobs wait for jobs.
func recurses(s system, waits bool) bool {
	p := s.forks(1)
	defer p.close()
	if _, ok := p.(recurser); ok {
		return true
	}
	sp, ok := p.(spawner)
	return ok && !(waits && sp.accepts() == queues)
}
