package par

import (
	"context"
	"fmt"

	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/fault"
	"github.com/frameslice/frameslice/internal/runqueue"
	"github.com/frameslice/frameslice/workers"
)

// A Graph is a set of functions, some of which run after others. Build it once, and run it every frame. The zero Graph
// is empty and ready. Do not copy a Graph after its first use.
type Graph struct {
	nodes []*Node
	drain func(lo, hi int) // runReady, made once
	ready runqueue.Injector[*Node]

	running atomic.Bool
	within  atomic.Int32 // goroutines in runReady, or loopEnded
	open    atomic.Int64 // pieces of the loop that nobody has taken: others may still join
	halt    atomic.Bool  // run no more functions
	ctx     context.Context
	fail    atomic.Pointer[workers.PanicError]
}

// How a run works. The nodes that are ready are in a queue. If there is one, Run's caller runs it. If there are more,
// the caller begins a loop with as many pieces, and whoever takes a piece runs ready nodes until the queue is empty. A
// goroutine that is alone with several ready nodes ends the loop if nobody can join any more, and the caller begins
// another one, which workers are woken for. So a run keeps no worker that has nothing to do, and takes no lock.
//
//	WG1  When a run begins, each node's waits is the number of its predecessors, and the queue has the nodes without.
//	WG2  Only a node that has succeeded lowers the waits of its successors. The goroutine that lowers waits to zero
//	     puts the successor into the queue. So a node comes into the queue once, when all its predecessors have
//	     succeeded, and never if one has not.
//	WG3  A goroutine that takes a piece adds itself to within before it takes the piece off open. So where open is
//	     zero and within is one, no other goroutine takes nodes out of the queue, unless it comes back by WG4.
//	WG4  A goroutine that finds no node takes itself off within, and then looks at the queue again. If there is a
//	     node, the goroutine adds itself again, unless the loop has been ended. A goroutine that has filled the
//	     queue then looks whether it is alone, and ends the loop by a compare-and-swap of within.
//
// Claim: Run returns when every node has run whose predecessors have succeeded. When a loop has ended, nobody but the
// caller touches the graph. So a node that has not run, and whose predecessors have succeeded, is in the queue (WG2). A
// loop with a node in the queue runs at least one, because its first piece does. So each turn of the caller takes a
// node out, and the last turn leaves the queue empty.
//
// A goroutine may be alone with nodes that become ready together. Then a helper that is just leaving comes back, or the
// loop ends and the caller asks for helpers again (WG4). While another goroutine runs a node the loop does not end,
// because the caller would then wait for that node (WG3). ∎
//
// Rejected: nodes as jobs of the pool. Close may drop a job, and the caller would not hear of it without an allocation
// for each node of each run.

// A Node is a function of a Graph.
type Node struct {
	graph  *Graph
	name   string
	f      func() error
	before int // predecessors
	next   []*Node

	waits atomic.Int32
	err   error
}

// Add adds a node that runs f when all of after have succeeded. The name is for errors. The graph must not be running.
func (g *Graph) Add(name string, f func() error, after ...*Node) *Node {
	if f == nil {
		panic("par: Graph.Add of a nil function")
	}
	if g.running.Load() {
		panic("par: Add on a Graph that is running")
	}
	for _, b := range after { // check all first: a caller that recovers from the panic finds the graph unchanged
		if b == nil || b.graph != g {
			panic("par: a Node after one of another Graph")
		}
	}
	if g.drain == nil {
		g.drain = g.runReady
		g.ready.Init()
	}
	n := &Node{graph: g, name: name, f: f, before: len(after)}
	for _, b := range after {
		b.next = append(b.next, n)
	}
	g.nodes = append(g.nodes, n)
	return n
}

// Run runs every node once, in an order that the graph allows, and returns when all have ended. Nodes run on the
// calling goroutine and, by l.ParallelFor, on workers that have nothing else to do. They should take 10 µs or more. Run
// a graph once at a time, also on a closed pool. Run allocates only if something fails.
//
// A node that comes after a failed node, directly or not, is not run. Run returns the error of the first failed node in
// the order of Add, with its name, or the cause of ctx if ctx kept a node from running. Run raises the first panic as a
// *workers.PanicError with the node's name, when the nodes that ran have ended. A runtime.Goexit in a node is as one in
// a piece of ParallelFor.
func (g *Graph) Run(ctx context.Context, l workers.Looper) error {
	mustLoop(l, "Graph.Run")
	if !g.running.CompareAndSwap(false, true) {
		panic("par: Run of a Graph that is running")
	}
	defer g.running.Store(false)
	g.reset(ctx)
	for n := g.ready.Size(); n > 0; n = g.ready.Size() {
		if n > 1 {
			g.within.Store(0)
			g.open.Store(int64(n))
			l.ParallelFor(n, 1, g.drain)
		} else if node, ok := g.ready.Pop(); ok {
			node.run()
		}
	}
	g.ctx = nil
	if pe := g.fail.Load(); pe != nil {
		panic(pe)
	}
	for _, n := range g.nodes {
		if n.err != nil {
			return fmt.Errorf("par: node %q: %w", n.name, n.err)
		}
	}
	if ctx != nil && g.halt.Load() {
		return context.Cause(ctx)
	}
	return nil
}

// reset prepares the nodes for a run (WG1).
func (g *Graph) reset(ctx context.Context) {
	for more := len(g.nodes) > 0; more; { // a run that Goexit ended leaves nodes
		_, more = g.ready.Pop()
	}
	g.halt.Store(false)
	g.fail.Store(nil)
	g.ctx = ctx
	for _, n := range g.nodes {
		n.waits.Store(int32(n.before))
		n.err = nil
		if n.before == 0 {
			g.ready.Push(n)
		}
	}
}

// loopEnded is so low that Graph.within stays negative, however many goroutines come back.
const loopEnded = -1 << 30

// runReady is the body of the loop. It runs nodes until none is ready, or until others should be asked to help.
func (g *Graph) runReady(lo, hi int) {
	g.within.Add(1) // WG3
	g.open.Add(int64(lo - hi))
	for {
		n, ok := g.ready.Pop()
		if !ok {
			if g.within.Add(-1); !g.ready.Filled() || g.within.Add(1) < 0 { // WG4
				return
			}
			continue
		}
		n.run()
		if g.open.Load() <= 0 && g.ready.Size() > 1 && g.within.CompareAndSwap(1, loopEnded) {
			return
		}
	}
}

// run runs a node, unless the graph was stopped, and tells its successors.
func (n *Node) run() {
	g := n.graph
	if g.ctx != nil && g.ctx.Err() != nil {
		g.halt.Store(true)
	}
	if g.halt.Load() || !n.call() {
		return
	}
	for _, s := range n.next {
		if s.waits.Add(-1) == 0 { // WG2
			g.ready.Push(s)
		}
	}
}

// call calls the node's function, and reports whether it has succeeded. A panic ends here, and stops the graph, as a
// Goexit does.
func (n *Node) call() (ok bool) {
	g, returned := n.graph, false
	defer func() {
		if returned {
			return
		}
		if v := recover(); v != nil {
			g.fail.CompareAndSwap(nil, fault.Capture(n.name, v))
		}
		g.halt.Store(true)
	}()
	n.err = n.f()
	returned = true
	return n.err == nil
}
