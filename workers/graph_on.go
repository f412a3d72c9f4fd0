package workers

import (
	"fmt"
	"reflect"
)

// What a Graph's node that is bound to a worker adds to G1 to G5:
//
//	G6  When it has become ready, and is to be run, its job is delivered to the worker's inbox (I1 to I5). It ends
//	    for the graph when its job has finished, however that came about: run by the worker, or dropped because the
//	    pool is gone. Whoever finishes the job tells of every successor, as it will not look for them itself.
//
// That it ends after its job has finished, and not in it, is what lets the next run use the job again: left is zero
// only then (G3). A node that is not to be run, because of another's error or Skip, goes the way of all nodes.

// AddOn is Add for a node that runs on the ordinary worker k of the pool that Run gets, and on its thread: see
// Pool.SubmitTo, also for what may wait there. Run panics unless the pool has Options.Bound > k. On a pool without
// workers the node runs as any other; on one that has been closed it does not, and has the error ErrClosed.
func (g *Graph) AddOn(k int, name string, f func(w *Worker) error, after ...*Node) *Node {
	if k < 0 || k >= MaxWorkers {
		panic(fmt.Sprintf("workers: Graph.AddOn with worker %d, which no pool has", k))
	}
	n := g.add(name, f, false, after)
	n.on = k + 1
	n.job.Label = name
	n.job.exec = n
	n.arrival.f = n.arrive
	g.placed = max(g.placed, n.on)
	return n
}

// mustFit panics if p has not the workers that the graph names.
func (g *Graph) mustFit(p *Pool) {
	if g.placed > p.opt.Bound {
		panic(fmt.Sprintf("workers: Graph.Run: worker %d takes no bound jobs: see Options.Bound", g.placed-1))
	}
}

// send delivers a node to its worker, unless there are no workers, or the node is not to be run.
func (g *Graph) send(n *Node) bool {
	w := g.pool.boundWorker(n.on - 1)
	if w == nil || n.stop.Load() || n.skip.Load() || !n.fed.Load() || g.halt.Load() {
		return false
	}
	n.err = nil
	n.job.prepareAs(g.pool, nil, w.boundState())
	n.job.enlist(&n.arrival)
	w.deliver(jobItem(&n.job))
	return true
}

// exec is run in the inbox's way (G6): it does not end the node.
func (n *Node) exec(w *Worker) {
	g := n.graph
	if g.ctx != nil && g.ctx.Err() != nil {
		g.halt.Store(true)
	}
	if g.halt.Load() {
		n.err = errStopped
		return
	}
	n.err = n.f(w)
}

// settle learns how the job has ended.
func (n *Node) settle(err error) {
	pe, panicked := err.(*PanicError)
	switch {
	case panicked:
		n.graph.fail.CompareAndSwap(nil, pe)
		n.graph.halt.Store(true)
		n.err = errStopped
	case err != nil:
		n.err = err
	}
}

func (n *Node) entry() uintptr { return reflect.ValueOf(n.f).Pointer() }

// arrive ends the node, after its job.
func (n *Node) arrive() { n.end(nil, n.err) }
