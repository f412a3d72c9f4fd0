package load

import (
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/demo/sim"
)

// The naive modes, each in the form that does best for the frame among those that a careful programmer would
// write without a library: none of them blocks the frame goroutine, none loses a job, results come back
// through a buffered channel that the frame drains without waiting. The forms that did worse are kept under
// names of their own (mode.go).
//
// They give ParallelFor to no one: a loop of the frame that waits for goroutines which share the CPUs with a
// backlog of jobs waits for the jobs. Serial is the strongest form here.

// inline runs jobs on the frame goroutine. All that came due in one frame run in it, but never more than one
// frame's regular share, so that a late frame does not make the next one later still.
type inline struct {
	sim.Inline
	queue    fifo[sim.Job]
	perFrame int
}

func (x *inline) Submit(_ string, _ deadline.Priority, j sim.Job) { x.queue.push(j) }
func (x *inline) Begin()                                          {}
func (x *inline) Pending() int                                    { return x.queue.len() }
func (x *inline) Close()                                          { x.queue = fifo[sim.Job]{} }

func (x *inline) End() {
	for n := 0; n < x.perFrame && x.queue.len() > 0; n++ {
		j := x.queue.pop()
		j.Run()
		j.Commit()
	}
}

// inlineBudget runs jobs on the frame goroutine until a share of the frame is used, looking at the clock
// before each; what is left waits for the next frame. One job always runs, or a long frame would stop them
// all.
type inlineBudget struct {
	sim.Inline
	queue  fifo[sim.Job]
	budget time.Duration
	end    deadline.Instant
}

func (x *inlineBudget) Submit(_ string, _ deadline.Priority, j sim.Job) { x.queue.push(j) }
func (x *inlineBudget) Pending() int                                    { return x.queue.len() }
func (x *inlineBudget) Close()                                          { x.queue = fifo[sim.Job]{} }

// Begin sets the end of the budget.
func (x *inlineBudget) Begin() { x.end = deadline.Now().Add(x.budget) }

func (x *inlineBudget) End() {
	for first := true; x.queue.len() > 0 && (first || deadline.Now().Before(x.end)); first = false {
		j := x.queue.pop()
		j.Run()
		j.Commit()
	}
}

// results is what the naive modes share: the way back, the queue of what does not fit, the end.
type results struct {
	done    chan sim.Job
	carry   fifo[sim.Job] // not handed out yet; frame goroutine only
	out     int           // handed out and not committed; frame goroutine only
	stopped atomic.Bool   // what has not started is not to start
}

func newResults() results { return results{done: make(chan sim.Job, outstanding)} }

// run is what a goroutine does with a job.
func (r *results) run(j sim.Job) {
	if !r.stopped.Load() {
		j.Run()
		r.done <- j
	}
}

// commit applies what has been finished.
func (r *results) commit() {
	for {
		select {
		case j := <-r.done:
			r.out--
			j.Commit()
		default:
			return
		}
	}
}

func (r *results) Pending() int { return r.out + r.carry.len() }
func (r *results) End()         {}

// ParallelFor is serial in every naive mode; see above.
func (*results) ParallelFor(n, _ int, body func(lo, hi int)) {
	if n > 0 {
		body(0, n)
	}
}

// goroutines starts one goroutine per job.
type goroutines struct {
	results
	wg sync.WaitGroup
}

func newGoroutines() *goroutines { return &goroutines{results: newResults()} }

func (x *goroutines) Begin() {
	x.commit()
	for x.carry.len() > 0 && x.out < outstanding {
		x.start(x.carry.pop())
	}
}

func (x *goroutines) Submit(_ string, _ deadline.Priority, j sim.Job) {
	if x.out < outstanding && x.carry.len() == 0 {
		x.start(j)
		return
	}
	x.carry.push(j)
}

func (x *goroutines) start(j sim.Job) {
	x.out++
	x.wg.Go(func() { x.run(j) })
}

func (x *goroutines) Close() {
	x.stopped.Store(true)
	x.wg.Wait()
}

// channel is a fixed set of goroutines that receive from a buffered channel.
type channel struct {
	results
	jobs chan sim.Job
	wg   sync.WaitGroup
}

func newChannel(workers int) *channel {
	x := &channel{results: newResults(), jobs: make(chan sim.Job, outstanding)}
	for range workers {
		x.wg.Go(func() {
			for j := range x.jobs {
				x.run(j)
			}
		})
	}
	return x
}

func (x *channel) Begin() {
	x.commit()
	for x.carry.len() > 0 && x.send(x.carry.front()) {
		x.carry.pop()
	}
}

func (x *channel) Submit(_ string, _ deadline.Priority, j sim.Job) {
	if x.carry.len() > 0 || !x.send(j) {
		x.carry.push(j)
	}
}

// send never blocks: the frame goroutine may not.
func (x *channel) send(j sim.Job) bool {
	if x.out >= outstanding {
		return false
	}
	select {
	case x.jobs <- j:
		x.out++
		return true
	default:
		return false
	}
}

func (x *channel) Close() {
	if x.stopped.Swap(true) {
		return
	}
	close(x.jobs)
	x.wg.Wait()
}

// fedGroup is an errgroup with a limit whose Go is called by a goroutine of its own: Go blocks while the
// group is full, and the frame goroutine must not. The bound on running jobs, which is the point of the
// limit, stays.
type fedGroup struct{ channel }

func newFedGroup(limit int) *fedGroup {
	x := &fedGroup{channel{results: newResults(), jobs: make(chan sim.Job, outstanding)}}
	x.wg.Go(func() {
		var g errgroup.Group
		g.SetLimit(limit)
		for j := range x.jobs {
			g.Go(func() error { x.run(j); return nil })
		}
		_ = g.Wait() // no job returns an error
	})
	return x
}

// group is an errgroup with a limit that the frame goroutine hands jobs to itself: with Go, which blocks
// while the group is full, or with TryGo, which leaves the rest to the next frame.
type group struct {
	results
	g     errgroup.Group
	block bool
}

func newGroup(limit int, block bool) *group {
	x := &group{results: newResults(), block: block}
	x.g.SetLimit(limit)
	return x
}

func (x *group) Begin() {
	x.commit()
	for x.carry.len() > 0 && x.start(x.carry.front()) {
		x.carry.pop()
	}
}

func (x *group) Submit(_ string, _ deadline.Priority, j sim.Job) {
	if x.carry.len() > 0 || !x.start(j) {
		x.carry.push(j)
	}
}

func (x *group) start(j sim.Job) bool {
	if x.out >= outstanding {
		return false
	}
	f := func() error { x.run(j); return nil }
	if x.block {
		x.g.Go(f)
	} else if !x.g.TryGo(f) {
		return false
	}
	x.out++
	return true
}

func (x *group) Close() {
	x.stopped.Store(true)
	_ = x.g.Wait() // no job returns an error
}
