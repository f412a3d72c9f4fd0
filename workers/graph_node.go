package workers

import (
	"slices"
	"sync/atomic"

	"github.com/frameslice/frameslice/internal/fault"
)

// A Node is a function of a Graph.
type Node struct {
	graph  *Graph
	name   string
	f      func(w *Worker) error
	pinned bool
	job    Job // only a name for the node in a queue
	kind   kind
	before int // predecessors
	next   []*Node

	waits atomic.Int32
	fed   atomic.Bool // some predecessor was not skipped
	skip  atomic.Bool // some predecessor said so
	stop  atomic.Bool // some predecessor failed, or was stopped
	err   error
}

// After makes n wait for other nodes of its graph, too. The graph must not be running.
func (n *Node) After(nodes ...*Node) {
	n.graph.mustRest("After")
	for _, b := range nodes {
		if b == nil || b.graph != n.graph {
			panic("workers: a Node after one of another Graph")
		}
	}
	for _, b := range nodes { // nothing before all are known to be right: who recovers has the graph as it was
		b.next = append(b.next, n)
		n.before++
	}
	n.graph.checked = false
}

// Name returns the node's name.
func (n *Node) Name() string { return n.name }

// Skip says that the nodes, which come right after n, shall not be run in this Run; nor what comes after
// skipped nodes only. Only n's function may call it, while it runs. It panics if a node does not come right after n.
func (n *Node) Skip(nodes ...*Node) {
	for _, s := range nodes {
		if !slices.Contains(n.next, s) { // it might run, or have run, by now
			panic("workers: Skip of a Node that does not come right after")
		}
		s.skip.Store(true)
	}
}

// run runs a node, or says that it is not run, and ends it.
func (n *Node) run(w *Worker) {
	g := n.graph
	if g.ctx != nil && !g.halt.Load() && g.ctx.Err() != nil {
		g.halt.Store(true)
	}
	switch {
	case n.stop.Load() || g.halt.Load():
		n.end(w, errStopped)
	case n.skip.Load() || !n.fed.Load():
		n.pass(w)
	default:
		n.call(w)
	}
}

func (n *Node) call(w *Worker) {
	if home := w.home(); home != nil {
		home.show(&n.kind)
	}
	ended := false
	var err error
	defer func() {
		if !ended {
			err = ErrGoexit
			if v := recover(); v != nil {
				pe := fault.Capture(n.name, v)
				n.graph.fail.CompareAndSwap(nil, pe)
				n.graph.halt.Store(true)
				err = errStopped
			}
			w.runLeftForks() // before its end, as of any job
		}
		n.end(w, err)
	}()
	err = n.f(w)
	ended = true
}

// end tells the successors that n has run, or has failed.
func (n *Node) end(w *Worker, err error) {
	n.err = err
	for _, s := range n.next {
		if err != nil {
			s.stop.Store(true)
		} else {
			s.fed.Store(true)
		}
	}
	n.pass(w)
}

// pass ends n for its successors (G2) and for the run (G3). Of those that it makes ready it tells nobody of
// the first, which w itself is about to look for: so a chain costs no wake-ups (G4). Not so if w is not, as
// after a Goexit, or may be kept by a pinned node.
func (n *Node) pass(w *Worker) {
	g := n.graph
	mine := n.err != ErrGoexit && (w.crew != nil || g.pinned.Empty())
	for _, s := range n.next {
		if s.waits.Add(-1) > 0 {
			continue
		}
		g.push(s)
		if mine && !s.pinned {
			mine = false
			continue
		}
		if g.crew != nil && !s.pinned {
			g.crew.notify() // W1
		}
		g.ring() // G4
	}
	if g.left.Add(-1) == 0 {
		g.ring()
	}
}
