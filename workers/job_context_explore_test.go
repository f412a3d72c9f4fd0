//go:build explore

package workers

import (
	"context"
	"errors"
	"testing"

	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
)

// A job is canceled while it runs and asks for its context. Another goroutine asks, too. In one case the job runs until
// it has been canceled. In the other case it may end before, or without having asked (JC1 to JC3).
func TestExploreEveryContextEnds(t *testing.T) {
	for _, c := range []struct {
		name        string
		asks, waits bool
	}{{"asks", true, false}, {"asks and waits", true, true}, {"asks nothing", false, false}} {
		t.Run(c.name, func(t *testing.T) {
			explore.Explore(t, 3, func(p *explore.Program) {
				ctx, pool := new(jobContext), bare()
				pool.lives.init()
				ctx.job.pool = pool
				ctx.job.set(active)
				var canceled atomic.Bool
				var dones [2]<-chan struct{}
				ask := func(i int) {
					before := ctx.Err()
					if dones[i] = ctx.Done(); before != nil && !isClosed(dones[i]) {
						p.Fail("Err is %v, and the context has not ended", before)
					}
				}
				p.Go("function", func() {
					if c.asks {
						ask(0)
					}
					for c.waits && !canceled.Load() {
						canceled.Await()
					}
					if cause := context.Cause(ctx.seen()); c.waits && (cause != ErrCanceled || ctx.Err() == nil) {
						p.Fail("a job that was canceled sees %v, %v", cause, ctx.Err())
					}
					ctx.endRun()
				})
				p.Go("canceler", func() {
					ctx.cancelRun()
					canceled.Store(true)
				})
				p.Go("another", func() { ask(1) })
				p.End(func() error {
					if n := pool.lives.asked.Load(); n != 0 || ctx.Err() == nil {
						return errors.New("a context is left")
					}
					for _, done := range dones {
						if done != nil && (!isClosed(done) || done != ctx.Done()) {
							return errors.New("a context does not end")
						}
					}
					return nil
				})
			})
		})
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
