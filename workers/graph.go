package workers

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/fault"
	"github.com/frameslice/frameslice/internal/loops"
	"github.com/frameslice/frameslice/internal/runqueue"
)

// A Graph is a set of functions, some of which run after others. Build it once, and run it every frame. The zero Graph
// is empty and ready.
type Graph struct {
	nodes []*Node
	ready runqueue.Injector[*Node]

	running atomic.Bool
	left    atomic.Int64
	halt    atomic.Bool // run no more functions
	class   *class      // whose workers help, or nil
	ctx     context.Context
	bell    bell
	fail    atomic.Pointer[PanicError]
	_       noCopy
}

// The protocol of a run. A run is a loop like ParallelFor's (WL1, WL2), with the ready nodes as its pieces. So the
// pool's queues have no entries for a run, and workers join and leave as they please. Besides
//
//	WG1  When a run begins, each node's waits is the number of its predecessors, and no helper is in the loop.
//	WG2  A node that failed or was not run sets the stop of its successor before it lowers the successor's waits. Only
//	     the goroutine that lowers waits to zero makes the successor ready, once. So the successor's run sees every
//	     stop.
//	WG3  left counts the nodes that have not ended, and begins with all nodes. A node lowers left when its function
//	     has returned. So zero means that no node is ready or runs, or ever will.
//	WG4  The bell, one sticky token, is rung after left has become zero. It is also rung after a node is in the queue,
//	     unless the goroutine that put the node there will itself run nodes until the queue is empty. Only the caller
//	     waits for the bell. It looks at the queue and at left whenever it has taken the token.
//	WG5  Every node ends in every run, also a node that is not run. So left becomes zero, whatever has panicked.
//
// Proof that every node ends, and Run returns: by WG2 a node whose predecessors have all ended is put into the queue,
// once. If the bell was rung for the node, the caller looks (WG4), at the latest after the node that it runs. If not,
// the goroutine that put the node there runs nodes until the queue is empty. Then it runs this node, or another
// goroutine has taken the node and ends it. When the last node has ended, left is zero (WG3) and the bell has been
// rung. ∎
//
// Rejected: nodes as jobs in lanes. A node that the caller claims leaves a stale entry in its lane. On a pool whose
// workers are busy, each frame leaves an entry for each node.

// A Node is a function of a Graph.
type Node struct {
	graph  *Graph
	name   string
	f      func(w *Worker) error
	kind   kind
	before int // predecessors
	next   []*Node

	waits atomic.Int32
	stop  atomic.Bool // some predecessor failed, or was stopped
	err   error
}

// errStopped is the private error of a node that was not run, or panicked.
var errStopped = errors.New("workers: node was stopped")

// Add adds a node that runs f when all of after have ended. The name is for errors and Stats. On Run's caller the
// Worker has the index -1. The graph must not be running.
func (g *Graph) Add(name string, f func(w *Worker) error, after ...*Node) *Node {
	if f == nil {
		panic("workers: Graph.Add of a nil function")
	}
	if g.running.Load() {
		panic("workers: Add on a Graph that is running")
	}
	for _, b := range after { // check all first: a caller that recovers from the panic finds the graph unchanged
		if b == nil || b.graph != g {
			panic("workers: a Node after one of another Graph")
		}
	}
	if g.bell == nil {
		g.bell = newBell()
		g.ready.Init()
	}
	n := &Node{graph: g, name: name, f: f, before: len(after)}
	n.kind.Label = name
	for _, b := range after {
		b.next = append(b.next, n)
	}
	g.nodes = append(g.nodes, n)
	return n
}

// Run runs every node once, in an order that the graph allows, and returns when all have ended. Nodes run on the
// calling goroutine and on ordinary workers that have nothing else to do. They should take 10 µs or more. Run a graph
// once at a time, also on a closed pool. Run allocates only if something fails.
//
// A node that comes after a failed node, directly or not, is not run. Run returns the error of the first failed node in
// the order of Add, with its name, or the cause of ctx if ctx kept a node from running.
func (g *Graph) Run(ctx context.Context, p *Pool) error {
	if p == nil {
		panic("workers: Graph.Run with a nil Pool")
	}
	if !g.running.CompareAndSwap(false, true) {
		panic("workers: Run of a Graph that is running")
	}
	defer g.running.Store(false)
	if len(g.nodes) == 0 {
		return nil
	}
	g.reset(ctx)
	g.lead(p)
	if pe := g.fail.Load(); pe != nil {
		panic(pe)
	}
	for _, n := range g.nodes {
		if n.err != nil && n.err != errStopped {
			return fmt.Errorf("workers: node %q: %w", n.name, n.err)
		}
	}
	if ctx != nil && g.halt.Load() {
		return context.Cause(ctx)
	}
	return nil
}

// reset is WG1.
func (g *Graph) reset(ctx context.Context) {
	for _, n := range g.nodes {
		n.waits.Store(int32(n.before))
		n.stop.Store(false)
		n.err = nil
	}
	g.left.Store(int64(len(g.nodes)))
	g.halt.Store(false)
	g.fail.Store(nil)
	g.ctx = ctx
}

// lead is the caller's part.
func (g *Graph) lead(p *Pool) {
	h := p.borrow()
	h.w.until = deadline.Deadline{}
	h.w.lowered = p.onLowThread()
	var l *loops.Loop
	g.class = nil
	c := &p.classes[ordinary]
	if h.w.lowered {
		c = &p.classes[background] // a background job must not occupy the frame's workers
	}
	if c.want.Load() > 0 && p.state.Load() != gone {
		if l = c.loops.Offer((*readyNodes)(g)); l != nil {
			g.class = c
		}
	}
	ended := false
	defer func() {
		if !ended { // a node has called Goexit here
			g.halt.Store(true)
			h.w.runLeftForks()
			g.drain(h)
		}
		if l != nil {
			l.End()
		}
		g.ctx = nil
		p.giveBack(h)
	}()
	for _, n := range g.nodes {
		if n.before == 0 {
			g.ready.Push(n)
		}
	}
	if g.class != nil && g.ready.Size() > 1 {
		g.class.notify() // W1
	}
	g.drain(h)
	ended = true
}

// drain runs nodes until all have ended.
func (g *Graph) drain(h *visitor) {
	for {
		if n, ok := g.ready.Pop(); ok {
			n.run(&h.w)
			h.w.runLeftForks()
			continue
		}
		if g.left.Load() == 0 {
			return
		}
		<-g.bell
	}
}

// readyNodes is a Graph as helpers see it.
type readyNodes Graph

// Empty reports whether no node is ready.
func (g *readyNodes) Empty() bool { return g.ready.Empty() }

// help runs nodes until none is ready.
func (g *readyNodes) help(w *Worker) {
	for {
		n, ok := g.ready.Pop()
		if !ok {
			return
		}
		n.run(w)
	}
}

// run runs a node, unless the node or the graph was stopped, and ends it.
func (n *Node) run(w *Worker) {
	g := n.graph
	if g.ctx != nil && !g.halt.Load() && g.ctx.Err() != nil {
		g.halt.Store(true)
	}
	if n.stop.Load() || g.halt.Load() {
		n.end(errStopped)
		return
	}
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
				g.fail.CompareAndSwap(nil, pe)
				g.halt.Store(true)
				err = errStopped
			}
			w.runLeftForks() // before the node ends, as for any job
		}
		n.end(err)
	}()
	err = n.f(w)
	ended = true
}

// end ends n for its successors (WG2) and for the run (WG3). Nobody is told of the first node that becomes ready,
// because the calling goroutine looks for that node next. So a chain costs no wake-ups (WG4). After a Goexit the
// goroutine does not look.
func (n *Node) end(err error) {
	g := n.graph
	n.err = err
	mine := err != ErrGoexit
	for _, s := range n.next {
		if err != nil {
			s.stop.Store(true)
		}
		if s.waits.Add(-1) > 0 {
			continue
		}
		g.ready.Push(s)
		if mine {
			mine = false
			continue
		}
		if g.class != nil {
			g.class.notify() // W1
		}
		g.bell.ring() // WG4
	}
	if g.left.Add(-1) == 0 {
		g.bell.ring()
	}
}
