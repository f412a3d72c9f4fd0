//go:build explore

package workers

import (
	"context"
	"errors"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
)

// A troop is a Group on a pool without workers.
type troop struct {
	*Group
	over atomic.Int32 // functions that have ended
}

func newTroop() *troop {
	return &troop{Group: bare(deadline.Normal).NewGroup(nil, deadline.Normal)}
}

func (g *troop) lane() *lane { return &g.pool.lanes[deadline.Normal.Lane()] }

// spawn spawns a function that spawns so many, each of which spawns one less.
func (g *troop) spawn(n int) {
	g.Go(func(context.Context) error {
		if n > 1 {
			g.spawn(n - 1)
		}
		g.over.Add(1)
		return nil
	})
}

// work is a worker until the group has ended.
func (g *troop) work() {
	for !g.ended.Load() {
		if it, ok := g.lane().pop(); !ok {
			explore.Yield()
		} else if j := it.job(); j.claimFrom(g.lane().class) {
			j.exec.exec(nil)
			j.finish(nil)
		}
	}
}

// A group's function spawns another one, while a worker or a RunUntil looks at the lane (WS1 to WS3, J2). In some cases
// the pool is closed meanwhile, so the second function comes into no lane.
func TestExploreAGroupEndsWithItsLastFunction(t *testing.T) {
	for _, c := range []struct {
		name        string
		run         func(g *troop)
		closes      bool
		preemptions int
	}{
		{"worker", (*troop).work, false, 2},
		{"worker, closed", (*troop).work, true, 3},
		{"RunUntil", func(g *troop) { look(g.pool) }, false, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			explore.Explore(t, c.preemptions, func(p *explore.Program) {
				g := newTroop()
				p.Go("caller", func() {
					g.spawn(2)
					if c.closes {
						g.pool.state.Store(draining)
					}
					if err := g.Wait(); err != nil || g.over.Load() != 2 {
						p.Fail("Wait has returned %v when %d functions have ended", err, g.over.Load())
					}
				})
				p.Go("other", func() { c.run(g) })
				p.End(func() error {
					if g.over.Load() != 2 {
						return errors.New("a function has run twice")
					}
					return nil
				})
			})
		})
	}
}

// A goroutine that does not belong to the group calls Go during Wait, which the rules forbid. Either Wait waits for the
// function, or Go panics (WS3).
func TestExploreALateGoIsWaitedForOrPanics(t *testing.T) {
	explore.Explore(t, 3, func(p *explore.Program) {
		g := newTroop()
		late := false
		p.Go("caller", func() {
			g.spawn(1)
			_ = g.Wait()
		})
		p.Go("stranger", func() {
			defer func() { late = recover() != nil }()
			g.spawn(1)
		})
		p.End(func() error {
			if n := g.over.Load(); late != (n == 1) {
				return errors.New("Wait has not waited for a function, or Go has panicked for nothing")
			}
			return nil
		})
	})
}
