package main

import (
	"sync"
	"sync/atomic"
)

// An engine does the recursive workloads on a spawner. Forks are kept for reuse, with their functions, so that a fork
// allocates nothing in the long run. With a new closure for each we would measure the garbage collector.
type engine struct {
	p     spawner
	forks sync.Pool

	total atomic.Int64   // of spawnWalk
	left  sync.WaitGroup // forks of spawnWalk that have not ended
}

// A fork is a call that somebody else may make.
type fork struct {
	n   int  // the argument of fib
	x   node // the argument of walk
	r   int64
	run func()

	ended sync.WaitGroup // counts one whenever the fork is not in use
	done  atomic.Bool    // the same for a helper, which looks rather than waits
}

// newEngine returns an engine whose forks call f.
func newEngine(p spawner, f func(e *engine, k *fork)) *engine {
	e := &engine{p: p}
	_, helps := p.(helper)
	e.forks.New = func() any {
		k := &fork{}
		k.ended.Add(1)
		k.run = func() {
			f(e, k)
			if helps {
				k.done.Store(true)
			} else {
				k.ended.Done()
			}
		}
		return k
	}
	return e
}

// join waits for a fork, and makes it ready for the next use.
func (e *engine) join(k *fork) int64 {
	if h, ok := e.p.(helper); ok {
		h.help(&k.done)
		k.done.Store(false)
	} else {
		k.ended.Wait()
		k.ended.Add(1)
	}
	r := k.r
	e.forks.Put(k)
	return r
}

func spawnFib(p spawner) func(n int) int {
	return newEngine(p, func(e *engine, k *fork) { k.r = int64(e.fib(k.n)) }).fib
}

// fib offers one of its two calls to others, each time.
func (e *engine) fib(n int) int {
	if n < 2 {
		return n
	}
	k := e.forks.Get().(*fork)
	k.n = n - 1
	if !e.p.offer(k.run) {
		e.forks.Put(k)
		return e.fib(n-1) + e.fib(n-2)
	}
	r := e.fib(n - 2)
	return r + int(e.join(k))
}

func spawnWalk(p spawner) func(root node) int64 {
	if p.accepts() == refuses {
		return newEngine(p, func(e *engine, k *fork) { k.r = e.walk(k.x) }).walk
	}
	// Where all forks are accepted, one count for the whole tree is less work than a wait at every node. It also
	// serves a pool whose workers must not wait.
	e := &engine{p: p}
	e.forks.New = func() any {
		k := &fork{}
		k.run = func() {
			x := k.x
			e.forks.Put(k)
			e.total.Add(e.scatter(x))
			e.left.Done()
		}
		return k
	}
	return func(root node) int64 {
		e.total.Store(0)
		e.total.Add(e.scatter(root))
		e.left.Wait()
		return e.total.Load()
	}
}

// walk returns the sum of the tree at x.
func (e *engine) walk(x node) int64 {
	var kids [most]node
	var forks [most]*fork
	n, sum := expand(x, &kids)
	taken := 0
	for i := 1; i < n; i++ {
		k := e.forks.Get().(*fork)
		k.x = kids[i]
		if e.p.offer(k.run) {
			forks[taken] = k
			taken++
		} else {
			e.forks.Put(k)
			sum += e.walk(kids[i])
		}
	}
	if n > 0 {
		sum += e.walk(kids[0])
	}
	for i := taken - 1; i >= 0; i-- {
		sum += e.join(forks[i])
	}
	return sum
}

// scatter returns the part of the sum that is not left to forks.
func (e *engine) scatter(x node) (sum int64) {
	for {
		var kids [most]node
		n, own := expand(x, &kids)
		sum += own
		if n == 0 {
			return sum
		}
		e.left.Add(n - 1)
		for i := 1; i < n; i++ {
			k := e.forks.Get().(*fork)
			k.x = kids[i]
			e.p.offer(k.run)
		}
		x = kids[0]
	}
}
