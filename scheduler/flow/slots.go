package flow

import (
	"context"
	"sync/atomic"

	"github.com/frameslice/frameslice/scheduler"
)

// slots count what is in, up to a limit. take and give are one atomic step each; only wait uses channels.
//
// S22. A goroutine that waits sees every slot that is given back. One of them at a time has the turn. It sets waiting,
// tries to take a slot, and if there is none receives from freed and tries again. give first gives the slot back and
// then looks at waiting; if that is set it puts a token into freed, which holds one.
//
// Suppose that a slot comes back after the goroutine's last try, which failed. The goroutine had set waiting before
// that try, so give sees waiting, and freed has a token: this one, or an older one that was not received yet. So the
// goroutine tries again. (An old token may cause a try that fails, which does no harm.) The others wait for the turn
// only, which is a channel of one, so the turn goes to the next.
type slots struct {
	limit   int64
	used    atomic.Int64
	waiting atomic.Bool   // a goroutine has the turn and may receive from freed
	freed   chan struct{} // of one
	turn    chan struct{} // of one
}

func (c *slots) init(limit int) {
	c.limit = int64(limit)
	c.freed = make(chan struct{}, 1)
	c.turn = make(chan struct{}, 1)
}

// take takes a slot if there is one.
func (c *slots) take() bool {
	for {
		n := c.used.Load()
		if n >= c.limit {
			return false
		}
		if c.used.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// give gives a slot back. It never blocks.
func (c *slots) give() {
	c.used.Add(-1)
	if c.waiting.Load() {
		select {
		case c.freed <- struct{}{}:
		default:
		}
	}
}

// wait takes a slot when there is one.
func (c *slots) wait(ctx context.Context, closed <-chan struct{}) error {
	select {
	case c.turn <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-closed:
		return scheduler.ErrClosed
	}
	defer func() {
		c.waiting.Store(false)
		<-c.turn
	}()
	c.waiting.Store(true)
	for !c.take() {
		select {
		case <-c.freed:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-closed:
			return scheduler.ErrClosed
		}
	}
	return nil
}
