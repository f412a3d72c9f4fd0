package flow

import (
	"context"
	"sync/atomic"

	"github.com/frameslice/frameslice/scheduler"
)

// credits count who is in. To take one and to give it back is one compare-and-swap or addition; only who
// waits for one uses a channel.
//
// S22. No credit is given back unseen by who waits. Of those that wait, one at a time has the turn. It
// announces itself, then tries to take a credit, and if there is none receives from freed, and tries again.
// Who gives one back does so first, and looks whether somebody waits afterwards; if so it puts a token into
// freed, which holds one. Let the credit be back after the waiter's last try, which failed: the waiter had
// announced itself before, so it is seen, and a token is in freed, be it this one or an older one that was
// not received yet: the waiter tries again. (A token may be old, and then the try fails: a detour, no
// harm.) Those without the turn wait for nothing but the turn, which is a channel of one, so who has it
// gives it to the next.
type credits struct {
	limit   int64
	used    atomic.Int64
	waiting atomic.Bool   // somebody has the turn and may receive from freed
	freed   chan struct{} // of one
	turn    chan struct{} // of one
}

func (c *credits) init(limit int) {
	c.limit = int64(limit)
	c.freed = make(chan struct{}, 1)
	c.turn = make(chan struct{}, 1)
}

// take takes a credit if there is one.
func (c *credits) take() bool {
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

// give gives one back. It never blocks.
func (c *credits) give() {
	c.used.Add(-1)
	if c.waiting.Load() {
		select {
		case c.freed <- struct{}{}:
		default:
		}
	}
}

// wait takes a credit when there is one.
func (c *credits) wait(ctx context.Context, closed <-chan struct{}) error {
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
