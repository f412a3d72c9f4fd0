package main

import (
	"sync"
	"sync/atomic"

	"github.com/frameslice/frameslice/bench/report"
)

// A system is what we measure. A new pool is opened for each run of a workload.
type system struct {
	name string
	open func(workers int) pool

	// Where a family of workloads needs the system in another configuration.
	openForks  func(workers int) pool
	openLoop   func(workers int) pool
	openWake   func(workers int) pool
	openUrgent func(workers int) urgencer

	yardstick bool // for loops and pairs only
}

// systems are those in Go.
var systems = []system{
	{name: report.Ours, open: openOurs, openLoop: openOursLoop, openWake: openOursWake, openUrgent: openOursUrgent},
	{name: "goroutines", open: openGoroutines},
	{name: "errgroup", open: openErrGroup},
	{name: "ants", open: openAnts, openForks: openAntsForks},
	{name: "pond", open: openPond, openForks: openPondForks},
	{name: "conc", open: openConc},
	{name: "workerpool", open: openGamma},
	{name: "channel", open: openChannel},
	{name: "serial", open: openAlone, yardstick: true},
}

func (s system) forks(workers int) pool {
	if s.openForks != nil {
		return s.openForks(workers)
	}
	return s.open(workers)
}

func (s system) wakes(workers int) pool {
	if s.openWake != nil {
		return s.openWake(workers)
	}
	return s.open(workers)
}

// A pool is a system in Go at work. What its workers can do beyond submit is in the interfaces below.
type pool interface {
	// submit has f run by a worker. Any goroutine. It may block while the pool is full.
	submit(f func())
	// close waits for the workers to end.
	close()
}

// A spawner takes forks from within its own jobs, and never blocks there. offer returns false if it refuses f. Then the
// caller runs f itself.
type spawner interface {
	offer(f func()) bool
	accepts() acceptance
}

// acceptance says what a spawner does with forks.
type acceptance int

const (
	queues  acceptance = iota // takes all, into a queue: a worker must not wait for another fork
	starts                    // takes all and starts them: a fork may wait for another
	refuses                   // takes what it can start, or what others help with while they wait
)

// A helper is a spawner whose workers run others' forks while they wait.
type helper interface{ help(done *atomic.Bool) }

// A recurser does recursive workloads in a way of its own: its methods prepare one, and return what runs it.
type recurser interface {
	fibber() func(n int) int
	walker() func(root node) int64
}

// A looper has a parallel-for of its own.
type looper interface {
	loop(n int, body func(lo, hi int))
}

// A framer knows frames: pair runs two functions at once within one, on the caller and on a worker.
type framer interface {
	frame(begin bool)
	pair(f, g func())
}

// A tripper has a way of its own to submit f and to wait for its end.
type tripper interface{ trip(f func()) }

// An urgencer keeps urgent work out of the queue of background work.
type urgencer interface {
	background(f func())
	urgent(f func())
	close()
}

// two are two pools of a system that knows no priorities: one worker for what is urgent, and all of them for the
// rest. Its users keep urgent work out of the queue of other work in this way.
type two struct{ slow, fast pool }

func (s system) twice(workers int) urgencer {
	if s.openUrgent != nil {
		return s.openUrgent(workers)
	}
	return two{s.open(workers), s.open(1)}
}

func (t two) background(f func()) { t.slow.submit(f) }
func (t two) urgent(f func())     { t.fast.submit(f) }
func (t two) close()              { t.slow.close(); t.fast.close() }

// chunked calls body for chunks of [0, size) on the caller and on helpers of the pool. All take the next chunk from one
// counter. The documentation of every pool recommends such batching for small items.
func chunked(p pool, workers, size int, body func(lo, hi int)) {
	grain := max(1, size/(workers*8))
	var next atomic.Int64
	take := func() {
		for {
			hi := int(next.Add(int64(grain)))
			lo := hi - grain
			if lo >= size {
				return
			}
			body(lo, min(hi, size))
		}
	}
	var wg sync.WaitGroup
	for range workers - 1 {
		wg.Add(1)
		p.submit(func() { take(); wg.Done() })
	}
	take()
	wg.Wait()
}
