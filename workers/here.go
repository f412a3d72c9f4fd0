package workers

import (
	"github.com/frameslice/frameslice/internal/osthread"
	"github.com/frameslice/frameslice/internal/where"
)

// onLowThread reports whether the calling goroutine is on the thread of a background worker, as the worker's goroutine
// or a coroutine of it. It takes a system call where there are background workers.
func (p *Pool) onLowThread() bool {
	c := &p.classes[background]
	n := c.used.Load()
	if n == 0 {
		return false
	}
	id := int64(osthread.ID())
	for k := range n {
		if c.slots[k].Load().thread.Load() == id {
			return true
		}
	}
	return false
}

// inside reports whether the calling goroutine runs a job of this pool: as a worker, or on the carrier of a caller, or
// in a fork within either.
func (p *Pool) inside() bool { return where.In(p, where.Worker, where.Job) }

// withinJob reports whether the calling goroutine runs a job of some pool.
func withinJob() bool { return where.In(nil, where.Worker, where.Job) }

// home returns the worker on whose goroutine, or on a coroutine of it, w's job runs: w itself or its
// outerWorker, which may be nil.
func (w *Worker) home() *Worker {
	if w.class != nil {
		return w
	}
	return w.outerWorker
}

// workerHere returns the worker of this pool on whose goroutine the caller runs, or on a coroutine of it, or nil.
// It takes some nanoseconds for each worker.
func (p *Pool) workerHere() *Worker {
	if p.classes[ordinary].used.Load()+p.classes[background].used.Load() == 0 {
		return nil
	}
	id := where.ID()
	for i := range p.classes {
		c := &p.classes[i]
		for k := range c.used.Load() {
			if w := c.slots[k].Load(); w.goid.Load() == id {
				return w
			}
		}
	}
	return nil
}

// low reports whether the job runs on a background worker, also within another job.
func (w *Worker) low() bool { return w.class != nil && w.class.low || w.lowered }
