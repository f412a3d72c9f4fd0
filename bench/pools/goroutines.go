package main

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/sourcegraph/conc"
	concpool "github.com/sourcegraph/conc/pool"
	"golang.org/x/sync/errgroup"
)

// goroutines is Go itself: a goroutine for each job. There are as many at once as the workload submits, which is how
// Go is meant, and faster than with a limit.
type goroutines struct{}

func openGoroutines(int) pool { return goroutines{} }

func (goroutines) submit(f func())     { go f() }
func (goroutines) close()              {}
func (goroutines) accepts() acceptance { return starts }
func (goroutines) offer(f func()) bool { go f(); return true }

// errGroup is x/sync's Group with a limit, which makes it a pool. Go blocks while the limit is reached. TryGo reports
// the limit, and the caller does the work itself: in that way forks nest without a deadlock.
type errGroup struct{ g errgroup.Group }

func openErrGroup(n int) pool {
	e := &errGroup{}
	e.g.SetLimit(n)
	return e
}

func (e *errGroup) submit(f func())     { e.g.Go(func() error { f(); return nil }) }
func (e *errGroup) close()              { e.g.Wait() }
func (e *errGroup) accepts() acceptance { return refuses }
func (e *errGroup) offer(f func()) bool { return e.g.TryGo(func() error { f(); return nil }) }

// concPool is sourcegraph's pool with a bound on its goroutines, which it reuses. The pool has no way to try. Forks
// may wait for one another, so they take the WaitGroup of the same module.
type concPool struct {
	p     *concpool.Pool
	forks conc.WaitGroup
}

func openConc(n int) pool { return &concPool{p: concpool.New().WithMaxGoroutines(n)} }

func (c *concPool) submit(f func())     { c.p.Go(f) }
func (c *concPool) accepts() acceptance { return starts }
func (c *concPool) offer(f func()) bool { c.forks.Go(f); return true }

func (c *concPool) close() {
	c.forks.Wait()
	c.p.Wait()
}

// channelPool is what Go programmers write themselves: workers that range over a channel with a buffer.
type channelPool struct {
	c       chan func()
	workers sync.WaitGroup
}

// A buffer of 1024 is enough for the submitter to be ahead, and what it holds stays in the cache.
func openChannel(n int) pool {
	p := &channelPool{c: make(chan func(), 1024)}
	for range n {
		p.workers.Go(func() {
			for f := range p.c {
				f()
			}
		})
	}
	return p
}

func (p *channelPool) submit(f func()) { p.c <- f }

func (p *channelPool) close() {
	close(p.c)
	p.workers.Wait()
}

// The channel pool's forks: if the channel is full, the caller runs the fork. A goroutine that waits for a fork runs
// others meanwhile. A pool without a queue for each worker can do no more.

func (p *channelPool) accepts() acceptance { return refuses }

func (p *channelPool) offer(f func()) bool {
	select {
	case p.c <- f:
		return true
	default:
		return false
	}
}

func (p *channelPool) help(done *atomic.Bool) {
	for !done.Load() {
		select {
		case f := <-p.c:
			f()
		default:
			runtime.Gosched()
		}
	}
}
