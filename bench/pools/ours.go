package main

import (
	"context"
	"sync"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// maxWorkers is how many workers a pool of ours has at most.
const maxWorkers = 64

// ours is package workers. Functions go in by Pool.Go; forks are jobs that each worker keeps (oursfork.go).
type ours struct {
	p       *workers.Pool
	workers int
}

func openOurs(n int) pool { return newOurs(workers.Options{Workers: n}, n) }

func newOurs(o workers.Options, n int) *ours { return &ours{p: workers.New(o), workers: n} }

func (o *ours) submit(f func()) { o.p.Go(deadline.Normal, f) }

// trip waits as a frame goroutine does: it runs the job itself if no worker has begun it.
func (o *ours) trip(f func()) {
	j := workers.Job{Func: func(*workers.Worker) { f() }}
	o.p.Submit(&j)
	if err := j.Wait(context.Background()); err != nil {
		panic(err)
	}
}

func (o *ours) close() {
	if err := o.p.Close(context.Background()); err != nil {
		panic(err)
	}
}

func (o *ours) frame(begin bool) {
	if begin {
		o.p.BeginFrame()
	} else {
		o.p.EndFrame()
	}
}

// pair is what a frame does with two systems that are independent: ParallelFor with a piece for each.
func (o *ours) pair(f, g func()) {
	o.p.ParallelFor(2, 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if i == 0 {
				f()
			} else {
				g()
			}
		}
	})
}

// openOursWake has what the package advises where a job is to begin soon after a pause (workers.PinThread). Each
// worker has a thread and a P of its own, and there is one less than there are processors, as by default.
func openOursWake(n int) pool {
	return newOurs(workers.Options{Workers: max(n-1, 1), Pin: workers.PinThread, RaiseProcs: true}, n)
}

// openOursUrgent has the configuration that the package advises for a program with a frame: an ordinary worker
// for each processor but one, and background workers at the lowest priority of the system.
func openOursUrgent(n int) urgencer {
	return &oursUrgent{newOurs(workers.Options{Background: n, RaiseProcs: true}, n)}
}

type oursUrgent struct{ *ours }

func (o *oursUrgent) background(f func()) { o.p.Go(deadline.Low, f) }
func (o *oursUrgent) urgent(f func())     { o.p.Go(deadline.Immediate, f) }

// oursLoop has the caller as one of the workers, so its pool is one smaller. It is within a frame, where a worker
// without work looks for more for up to 200 µs.
type oursLoop struct{ *ours }

func openOursLoop(n int) pool {
	if n == 1 {
		return oursLoop{newOurs(workers.Options{Workers: -1}, 1)}
	}
	o := oursLoop{newOurs(workers.Options{Workers: n - 1}, n-1)}
	o.frame(true)
	return o
}

func (o oursLoop) loop(n int, body func(lo, hi int)) { o.p.ParallelFor(n, 0, body) }

// run runs f on a worker and waits without helping, so that f stays there.
func (o *ours) run(f func(w *workers.Worker)) {
	var wg sync.WaitGroup
	wg.Add(1)
	o.p.Submit(&workers.Job{Priority: deadline.UserBlocking, Func: func(w *workers.Worker) { f(w); wg.Done() }})
	wg.Wait()
}
