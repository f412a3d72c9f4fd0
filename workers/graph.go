package workers

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/runqueue"
)

// A Graph is functions in an order that only says what comes after what: built once and run every frame,
// without allocating. The zero Graph is empty and ready. It must not be copied after its first use.
//
// A run is a loop like ParallelFor's (L1, L2), with the ready nodes as its pieces, so no queue of the pool has
// an entry of it, and workers join and leave as they please. Besides
//
//	G1  A node's waits is the number of its predecessors when a run begins, and nobody else is within then.
//	G2  A node that has ended writes what it means for a successor before it lowers that one's waits. Who
//	    brings it to zero, and nobody else, reads that, and makes the node ready, once.
//	G3  left counts the nodes that have not ended, all from the beginning. A node lowers it when its function
//	    has returned: so zero means that nothing is ready, nothing runs, and nothing will.
//	G4  The bell, one sticky token, is rung after a node is in a queue, unless the one who put it there will
//	    itself run nodes until that queue is empty, and after left has become zero. Only the caller waits for
//	    it, and looks at both queues and left whenever it has taken the token.
//	G5  Every node ends in every run, if only to say that it was not run. So the counts are right for the next
//	    one, whatever has panicked.
//
// Proof that every node runs or is passed over, and Run returns: by G2, in the order of the graph, a node whose
// predecessors have all ended is put into a queue, once. If it is a pinned one, or the bell was rung for it, the caller
// looks (G4) unless it is within a node, and then it looks afterwards. If not, the one who put it there runs nodes
// until the queue is empty, this one included, or another has taken it, who ends it. When the last has ended the bell
// has been rung, and left is zero (G3).
type Graph struct {
	nodes   []*Node
	checked bool // no cycle
	ready   runqueue.Injector[item]
	pinned  runqueue.Injector[item] // for Run's caller

	running atomic.Bool
	left    atomic.Int64
	halt    atomic.Bool // run no more functions
	crew    *crew       // that helps, or nil
	ctx     context.Context
	bell    chan struct{}
	fail    atomic.Pointer[PanicError]
	_       noCopy
}

// ErrCycle is the error of a Graph whose nodes wait for one another in a circle.
var ErrCycle = errors.New("workers: cycle in the graph")

// errStopped is the private error of a node that was not run because of another's.
var errStopped = errors.New("workers: node was stopped")

// Add adds a node that runs f, on Run's caller or on a worker, when all of after have ended. Its name is for
// errors and pictures. The Worker is the one it runs on, with the index -1 on Run's caller; its ShouldYield says
// nothing of use here. The graph must not be running.
func (g *Graph) Add(name string, f func(w *Worker) error, after ...*Node) *Node {
	return g.add(name, f, false, after)
}

// AddPinned is Add for a node that runs on Run's caller: the frame goroutine.
func (g *Graph) AddPinned(name string, f func(w *Worker) error, after ...*Node) *Node {
	return g.add(name, f, true, after)
}

func (g *Graph) add(name string, f func(w *Worker) error, pinned bool, after []*Node) *Node {
	if f == nil {
		panic("workers: Graph.Add of a nil function")
	}
	g.mustRest("Add")
	if g.bell == nil {
		g.bell = make(chan struct{}, 1)
		g.ready.Init()
		g.pinned.Init()
	}
	n := &Node{graph: g, name: name, f: f, pinned: pinned}
	n.job.Func = n.run
	n.kind.label = name
	n.After(after...)
	g.nodes = append(g.nodes, n)
	return n
}

func (g *Graph) mustRest(what string) {
	if g.running.Load() {
		panic("workers: " + what + " on a Graph that is running")
	}
}

// Run runs every node once, in an order that the graph allows, on the calling goroutine and on ordinary
// workers that have nothing else to do, and returns when all have ended. While it has nothing to run it
// sleeps; it never runs anything else than the graph. A node costs 0.1 to 0.3 µs; a graph that is ready for more
// than one goroutine at a time costs its caller a wake-up, so nodes had better take 10 µs or more.
//
// What comes after a node that returned an error, at any distance, is not run; the rest is. Run returns the
// error of the first such node in the order of Add, with the node's name. If ctx is done, nothing more is
// begun, and if that kept a node from running, and none has returned an error, Run returns the cause; a nil ctx is
// context.Background. If a node panics, nothing more is begun,
// and Run panics with the first *PanicError when what runs has ended. A runtime.Goexit in a node is the error
// ErrGoexit on a worker, and on the calling goroutine it is simply that, when what runs has ended.
//
// Any goroutine may call it, one at a time for a graph, within a job too, on a pool without workers, or closed.
// It does not allocate unless something fails.
func (g *Graph) Run(ctx context.Context, p *Pool) error {
	if p == nil {
		panic("workers: Graph.Run with a nil Pool")
	}
	if !g.running.CompareAndSwap(false, true) {
		panic("workers: Run of a Graph that is running")
	}
	defer g.running.Store(false)
	if !g.checked {
		if err := g.check(); err != nil {
			return err
		}
		g.checked = true
	}
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

// reset is G1.
func (g *Graph) reset(ctx context.Context) {
	for _, n := range g.nodes {
		n.waits.Store(int32(n.before))
		n.fed.Store(n.before == 0)
		n.skip.Store(false)
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
	h.w.visits = true
	var l *loop
	g.crew = nil
	c := &p.crews[ordinary]
	if h.w.lowered {
		c = &p.crews[background] // the frame's workers are not for what a background job does
	}
	if c.want.Load() > 0 && p.state.Load() != gone {
		if l = c.openLoop(); l != nil {
			g.crew = c
			l.graph = g
			l.state.Store(0)
			c.open.Or(l.bit)
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
			l.shut(g.crew)
			l.graph = nil
			g.crew.busy.And(^l.bit)
		}
		g.ctx = nil
		p.giveBack(h)
	}()
	for _, n := range g.nodes {
		if n.before == 0 {
			g.push(n)
		}
	}
	if g.crew != nil && (g.ready.Size() > 1 || !g.pinned.Empty()) {
		g.crew.notify() // W1
	}
	g.drain(h)
	ended = true
}

// drain runs nodes until all have ended.
func (g *Graph) drain(h *caller) {
	w := &h.w
	for {
		it, ok := g.pinned.Pop()
		if !ok {
			it, ok = g.ready.Pop()
		} else if g.crew != nil && !g.ready.Empty() {
			g.crew.notify() // what is ready was not to wait for this one, and nobody may have been told (W1)
		}
		if ok {
			it.job().Func(w)
			w.runLeftForks()
			continue
		}
		if g.left.Load() == 0 {
			return
		}
		<-g.bell
	}
}

// help is a worker's part. The nodes get w, or what stands for it.
func (g *Graph) help(w *Worker) {
	for {
		it, ok := g.ready.Pop()
		if !ok {
			return
		}
		it.job().Func(w)
	}
}

// push puts a node into a queue and tells nobody.
func (g *Graph) push(n *Node) {
	if n.pinned {
		g.pinned.Push(jobItem(&n.job))
	} else {
		g.ready.Push(jobItem(&n.job))
	}
}

func (g *Graph) ring() {
	select {
	case g.bell <- struct{}{}:
	default:
	}
}
