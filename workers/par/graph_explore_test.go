//go:build explore

package par

import (
	"errors"
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
)

// A team is a Looper as far as a Graph knows it. Helpers join a loop that has pieces left, and the caller waits for
// them.
type team struct {
	pieces  atomic.Int32 // of the loop, which nobody has taken
	helpers atomic.Int32 // within the loop
	over    atomic.Bool
	body    func(lo, hi int)
}

func (t *team) ParallelFor(n, _ int, body func(lo, hi int)) {
	t.body = body
	t.pieces.Store(int32(n))
	t.work()
	for t.helpers.Load() > 0 {
		t.helpers.Await()
	}
}

func (t *team) work() {
	for n := t.pieces.Load(); n > 0; n = t.pieces.Load() {
		if t.pieces.CompareAndSwap(n, n-1) {
			t.body(int(n-1), int(n))
		}
	}
}

// help joins loops until the program is over.
func (t *team) help() {
	for !t.over.Load() {
		if t.pieces.Load() == 0 {
			explore.Yield()
			continue
		}
		t.helpers.Add(1)
		t.work()
		t.helpers.Add(-1)
	}
}

// A plan is a Graph whose nodes note that they run.
type plan struct {
	Graph
	team
	program *explore.Program
	ran     map[string]*atomic.Int32
	fails   string // the node that fails
}

func newPlan(p *explore.Program, helpers int) *plan {
	g := &plan{program: p, ran: map[string]*atomic.Int32{}}
	for i := range helpers {
		p.Go(fmt.Sprint("helper", i), g.help)
	}
	return g
}

// node adds a node that does what f does.
func (g *plan) node(name string, f func(), after ...*Node) *Node {
	ran := new(atomic.Int32)
	g.ran[name] = ran
	return g.Add(name, func() error {
		for _, b := range after {
			if g.ran[b.name].Load() != 1 {
				g.program.Fail("%s runs before %s", name, b.name)
			}
		}
		f()
		if ran.Add(1) != 1 {
			g.program.Fail("%s has run twice", name)
		}
		if name == g.fails {
			return errors.New(name)
		}
		return nil
	}, after...)
}

// run runs the graph, in which so many nodes run, and ends the program if none fails.
func (g *plan) run(nodes int32, fails string) {
	g.fails = fails
	err, all := g.Run(nil, g), int32(0)
	for _, n := range g.nodes {
		all += g.ran[n.name].Swap(0)
	}
	g.over.Store(fails == "")
	if all != nodes || (err != nil) != (fails != "") {
		g.program.Fail("%d nodes have run, not %d: %v", all, nodes, err)
	}
}

func nothing() {}

// A node comes after two others, and a last node after that. In the first of two runs one of the two fails (WG1, WG2).
func TestExploreANodeRunsOnceAfterItsPredecessors(t *testing.T) {
	for _, fails := range []string{"", "b"} {
		t.Run("fails: "+fails, func(t *testing.T) {
			explore.Explore(t, 2, func(p *explore.Program) {
				g := newPlan(p, 1)
				c := g.node("c", nothing, g.node("a", nothing), g.node("b", nothing))
				g.node("d", nothing, c)
				p.Go("caller", func() {
					if fails != "" {
						g.run(2, fails)
					}
					g.run(4, "")
				})
			})
		})
	}
}

// long adds a node that ends when the node with the name until has run.
func (g *plan) long(name, until string, after ...*Node) *Node {
	return g.node(name, func() {
		for ran := g.ran[until]; ran.Load() == 0; {
			ran.Await()
		}
	}, after...)
}

// A long node ends when another node has run, which becomes ready meanwhile, together with a third one. Whoever has
// made these two ready may not end the loop: the long node is being run, or a helper is going to run it (WG3).
func TestExploreALongNodeKeepsNobodyBack(t *testing.T) {
	explore.Explore(t, 3, func(p *explore.Program) {
		g := newPlan(p, 1)
		brief := g.node("brief", nothing)
		g.long("long", "next")
		g.node("next", nothing, brief)
		g.node("other", nothing, brief)
		p.Go("caller", func() { g.run(4, "") })
	})
}

// A long node becomes ready together with the node that it waits for, when a helper has left, or is about to. In some
// cases another two are before these two, or there are two helpers (WG4).
func TestExploreAHelperThatHasLeftComesBack(t *testing.T) {
	for _, c := range []struct{ helpers, before, preemptions int }{{1, 1, 3}, {1, 2, 2}, {2, 1, 1}} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			explore.Explore(t, c.preemptions, func(p *explore.Program) {
				g := newPlan(p, c.helpers)
				var before []*Node
				for i := range c.before {
					before = []*Node{
						g.node(fmt.Sprint("a", i), nothing, before...), g.node(fmt.Sprint("b", i), nothing, before...),
					}
				}
				g.long("long", "next", before...)
				g.node("next", nothing, before...)
				p.Go("caller", func() { g.run(int32(2*c.before+2), "") })
			})
		})
	}
}
