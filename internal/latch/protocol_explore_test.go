//go:build explore

package latch

import (
	"context"
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
	"github.com/frameslice/frameslice/internal/park"
)

// canceled is a context that is done as soon as done says so.
type canceled struct {
	context.Context
	done func() bool
}

func (c *canceled) Err() error {
	if c.done() {
		return context.Canceled
	}
	return nil
}

// What is waited for changes so many times. Each waiter waits for every change in turn. Some changes have a channel
// that nobody closes, as the latch wakes first. In the last case another goroutine cancels the first wait of each
// waiter. A goroutine that sleeps for good is a deadlock.
func TestExploreNobodySleepsOverAChange(t *testing.T) {
	for _, c := range []struct {
		waiters, changes, preemptions int
		cancels                       bool
	}{{2, 1, 4, false}, {3, 1, 2, false}, {2, 2, 3, false}, {1, 2, 4, true}, {2, 1, 2, true}} {
		name := fmt.Sprint(c.waiters, " waiters, ", c.changes, " changes")
		if c.cancels {
			name += ", one cancels"
		}
		t.Run(name, func(t *testing.T) {
			explore.Explore(t, c.preemptions, func(p *explore.Program) {
				var l Latch
				var now atomic.Int32
				var cancel atomic.Bool
				ctx := &canceled{t.Context(), cancel.Load}
				reached := func(change int32) func() (Verdict, park.Event) {
					return func() (Verdict, park.Event) {
						if now.Load() >= change {
							return WaitOver, park.Event{}
						}
						return MustSleep, park.Event{}
					}
				}
				p.Go("changer", func() {
					for range c.changes {
						now.Add(1)
						l.Wake()
					}
				})
				for i := range c.waiters {
					p.Go(fmt.Sprint("waiter", i), func() {
						slept := 0
						before := func() { slept++ }
						after := func() { slept-- }
						if c.cancels {
							_ = l.Await(ctx, reached(1), before, after)
						}
						for change := range int32(c.changes) {
							if err := l.Await(nil, reached(change+1), before, after); err != nil || slept != 0 {
								p.Fail("error %v, %d sleeps have not ended", err, slept)
							}
						}
					})
				}
				if c.cancels {
					p.Go("canceler", func() { cancel.Store(true) })
				}
			})
		})
	}
}
