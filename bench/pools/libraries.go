package main

import (
	"github.com/alitto/pond/v2"
	"github.com/gammazero/workerpool"
	"github.com/panjf2000/ants/v2"
)

// antsPool is panjf2000's pool. Its documentation recommends preallocating the queue of workers. Purging is off,
// because it would end workers that a run needs again.
type antsPool struct{ p *ants.Pool }

func openAnts(n int) pool { return newAnts(n) }

func newAnts(n int, more ...ants.Option) *antsPool {
	p, err := ants.NewPool(n, append(more, ants.WithPreAlloc(true), ants.WithDisablePurge(true))...)
	if err != nil {
		panic(err)
	}
	return &antsPool{p}
}

func (a *antsPool) submit(f func()) {
	if err := a.p.Submit(f); err != nil {
		panic(err)
	}
}

func (a *antsPool) close() { a.p.Release() }

// antsForks does not block when all workers are busy, so that the caller does the fork itself, as its documentation
// says about nesting.
type antsForks struct{ *antsPool }

func openAntsForks(n int) pool { return antsForks{newAnts(n, ants.WithNonblocking(true))} }

func (a antsForks) accepts() acceptance { return refuses }
func (a antsForks) offer(f func()) bool { return a.p.Submit(f) == nil }

// pondPool is alitto's pool. Go is the way in that makes no future; the queue is unbounded by default.
type pondPool struct{ p pond.Pool }

func openPond(n int) pool { return &pondPool{pond.NewPool(n)} }

func (p *pondPool) submit(f func()) {
	if err := p.p.Go(f); err != nil {
		panic(err)
	}
}

func (p *pondPool) close() { p.p.StopAndWait() }

// pondForks has no queue and does not block, so that the caller does the fork itself when all workers are busy. With
// a queue workers could wait for forks behind them in the queue.
type pondForks struct{ *pondPool }

func openPondForks(n int) pool {
	return pondForks{&pondPool{pond.NewPool(n, pond.WithQueueSize(0), pond.WithNonBlocking(true))}}
}

func (p pondForks) accepts() acceptance { return refuses }
func (p pondForks) offer(f func()) bool { return p.p.Go(f) == nil }

// gammaPool is gammazero's pool. All jobs go through its dispatcher into an unbounded queue, and a worker cannot
// help. So it has no row for fib, where jobs wait for jobs.
type gammaPool struct{ p *workerpool.WorkerPool }

func openGamma(n int) pool { return &gammaPool{workerpool.New(n)} }

func (g *gammaPool) submit(f func())     { g.p.Submit(f) }
func (g *gammaPool) close()              { g.p.StopWait() }
func (g *gammaPool) accepts() acceptance { return queues }
func (g *gammaPool) offer(f func()) bool { g.p.Submit(f); return true }
