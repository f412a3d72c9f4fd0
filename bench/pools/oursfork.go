package main

import "github.com/frameslice/frameslice/workers"

// forkStacks has a stack of forks for each worker. A fork ends before the call that made it, so forks are used like the
// frames of calls, and nothing is allocated. Package workers recommends this way.
type forkStacks struct {
	_  [128]byte // every worker reads the beginning (to check for nil), so no worker writes there
	of [maxWorkers]forkStack
}

type forkStack struct {
	forks []*ourFork
	top   int
	_     [96]byte // keep workers' stacks on cache lines of their own
}

type ourFork struct {
	workers.Job
	n int
	x node
	r int64
}

// newForkStacks makes stacks whose forks call f.
func newForkStacks(size int, f func(w *workers.Worker, k *ourFork)) *forkStacks {
	s := &forkStacks{}
	for i := range size {
		st := &s.of[i]
		st.forks = make([]*ourFork, 4096)
		for j := range st.forks {
			st.forks[j] = newOurFork(f)
		}
	}
	return s
}

func newOurFork(f func(w *workers.Worker, k *ourFork)) *ourFork {
	k := &ourFork{}
	k.Func = func(w *workers.Worker) { f(w, k) }
	return k
}

type fibber struct{ *forkStacks }

func (o *ours) fibber() func(n int) int {
	f := &fibber{}
	f.forkStacks = newForkStacks(o.workers, func(w *workers.Worker, k *ourFork) { k.r = int64(f.fib(w, k.n)) })
	return func(n int) (r int) {
		o.run(func(w *workers.Worker) { r = f.fib(w, n) })
		return r
	}
}

func (f *fibber) fib(w *workers.Worker, n int) int {
	if n < 2 {
		return n
	}
	s := &f.of[w.Index()]
	k := s.forks[s.top]
	s.top++
	k.n = n - 1
	w.Fork(&k.Job)
	r := f.fib(w, n-2)
	s.top--
	if w.Unfork(&k.Job) {
		return r + f.fib(w, n-1)
	}
	s.top++ // k is in use until it is joined
	w.Join(&k.Job)
	s.top--
	return r + int(k.r)
}

type walker struct{ *forkStacks }

func (o *ours) walker() func(root node) int64 {
	f := &walker{}
	f.forkStacks = newForkStacks(o.workers, func(w *workers.Worker, k *ourFork) { k.r = f.walk(w, k.x) })
	return func(root node) (r int64) {
		o.run(func(w *workers.Worker) { r = f.walk(w, root) })
		return r
	}
}

func (f *walker) walk(w *workers.Worker, x node) int64 {
	var kids [most]node
	n, sum := expand(x, &kids)
	if n == 0 {
		return sum
	}
	s := &f.of[w.Index()]
	base := s.top
	s.top += n - 1
	for i := 1; i < n; i++ {
		k := s.forks[base+i-1]
		k.x = kids[i]
		w.Fork(&k.Job)
	}
	sum += f.walk(w, kids[0])
	for i := n - 1; i > 0; i-- {
		k := s.forks[base+i-1]
		if w.Unfork(&k.Job) {
			s.top--
			sum += f.walk(w, kids[i])
			continue
		}
		w.Join(&k.Job)
		s.top--
		sum += k.r
	}
	return sum
}
