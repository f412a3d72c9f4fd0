//go:build explore

package flow

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/internal/explore"
	"github.com/frameslice/frameslice/internal/park"
	"github.com/frameslice/frameslice/scheduler"
)

// A host runs the slices of a scheduler on one goroutine of a program.
type host struct {
	s    *scheduler.Scheduler
	wake park.Token
	now  *atomic.Int64 // the scheduler's clock
}

// newHost returns the host of a new scheduler, whose clock stands at 1.
func newHost(p *explore.Program) *host {
	h := &host{wake: park.NewToken(), now: new(atomic.Int64)}
	h.now.Store(1)
	clock := func() deadline.Instant { return deadline.Instant(h.now.Load()) }
	h.s = scheduler.New(scheduler.Options{Wake: h.wake.Post, Clock: clock})
	p.Cleanup(func() { bridge.Of(h.s).Discard() })
	return h
}

// run runs slices until over says so after one. It sleeps where nothing is to do, and moves the clock to where there
// will be.
func (h *host) run(over func() bool) {
	for !over() {
		at, more := h.s.Next()
		if !more {
			h.wake.Wait()
			continue
		}
		if int64(at) > h.now.Load() {
			h.now.Store(int64(at))
		}
		h.slice()
	}
}

func (h *host) slice() { h.s.RunUntil(deadline.Deadline{}) }

// Two goroutines raise a signal twice each (S25).
func TestExploreEachSignalIsHeard(t *testing.T) {
	explore.Explore(t, 2, func(p *explore.Program) {
		h := newHost(p)
		var b signal
		heard := uint32(0)
		b.task = scheduler.Task{Func: func() { heard |= b.answer() }}
		for i := range 2 {
			p.Go(fmt.Sprint("raiser", i), func() {
				for k := range 2 {
					b.raise(h.s, func(w uint32) uint32 { return w | 1<<(2*i+k) })
				}
			})
		}
		p.Go("host", func() { h.run(func() bool { return heard == 15 }) })
	})
}
