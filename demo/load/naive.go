package load

import (
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/demo/sim"
)

// The naive modes are the best for the frame among the ways that a careful programmer would write without a library.
// None of them blocks the frame goroutine, and none loses a job. Results come back through a buffered channel that
// the frame drains without waiting.
//
// Their ParallelFor is serial, because that is its best form here. A loop of the frame that shares the CPUs with a
// backlog of jobs would wait for the jobs.

// inline runs jobs on the frame goroutine. Jobs that do not fit wait for the next frame.
type inline struct {
	sim.Inline
	queue  fifo[sim.Job]
	most   int           // in a frame: its regular share, so that a late frame makes the next one no later still
	budget time.Duration // in place of most: jobs begin until so much of the frame is used; one always runs
	end    deadline.Instant
}

func (x *inline) Submit(_ string, _ deadline.Priority, j sim.Job) { x.queue.push(j) }
func (x *inline) Begin()                                          { x.end = deadline.Now().Add(x.budget) }
func (x *inline) Pending() int                                    { return x.queue.len() }
func (x *inline) Close()                                          { x.queue = fifo[sim.Job]{} }

func (x *inline) End() {
	for n := 0; x.queue.len() > 0 && (n == 0 || n < x.most || x.most == 0 && deadline.Now() < x.end); n++ {
		j := x.queue.pop()
		j.Run()
		j.Commit()
	}
}

// results is what the naive modes share: the queue of what does not fit, the way back, the end, and a serial
// ParallelFor.
type results struct {
	sim.Inline
	take    func(sim.Job) bool // hands a job to a goroutine that runs it, or reports that there is no room
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

// Begin applies what has been finished, and hands out what waits.
func (r *results) Begin() {
	for len(r.done) > 0 {
		j := <-r.done
		r.out--
		j.Commit()
	}
	for r.carry.len() > 0 && r.hand(r.carry.front()) {
		r.carry.pop()
	}
}

func (r *results) Submit(_ string, _ deadline.Priority, j sim.Job) {
	if r.carry.len() > 0 || !r.hand(j) {
		r.carry.push(j)
	}
}

func (r *results) hand(j sim.Job) bool {
	if r.out >= outstanding || !r.take(j) {
		return false
	}
	r.out++
	return true
}

func (r *results) Pending() int { return r.out + r.carry.len() }
func (r *results) End()         {}

// goroutines starts one goroutine per job.
type goroutines struct {
	results
	wg sync.WaitGroup
}

func newGoroutines() *goroutines {
	x := &goroutines{results: newResults()}
	x.take = func(j sim.Job) bool {
		x.wg.Go(func() { x.run(j) })
		return true
	}
	return x
}

func (x *goroutines) Close() {
	x.stopped.Store(true)
	x.wg.Wait()
}

// channel is goroutines that receive from a buffered channel.
type channel struct {
	results
	jobs chan sim.Job
	wg   sync.WaitGroup
}

// newChannel returns one whose jobs are served by a fixed set of goroutines.
func newChannel(workers int) *channel {
	x := unserved()
	for range workers {
		x.wg.Go(func() {
			for j := range x.jobs {
				x.run(j)
			}
		})
	}
	return x
}

// newFedGroup returns one whose jobs go to an errgroup with a limit. A goroutine of its own calls Go, because Go blocks
// while the group is full, and the frame goroutine must not block.
func newFedGroup(limit int) *channel {
	x := unserved()
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

func unserved() *channel {
	x := &channel{results: newResults(), jobs: make(chan sim.Job, outstanding)}
	x.take = func(j sim.Job) bool { // never blocks: the frame goroutine may not
		select {
		case x.jobs <- j:
			return true
		default:
			return false
		}
	}
	return x
}

func (x *channel) Close() {
	if x.stopped.Swap(true) {
		return
	}
	close(x.jobs)
	x.wg.Wait()
}
