package workers

import (
	"context"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/osthread"
	"github.com/frameslice/frameslice/internal/where"
)

// runHere runs j on the calling goroutine if Job.Wait says so. It reports whether the caller has to look at j's state
// again: runHere has run j, or found that j is not queued any more.
func (p *Pool) runHere(ctx context.Context, j *Job) bool {
	if ctx != nil && ctx.Err() != nil {
		return false // this wait is over
	}
	nested := withinJob()
	var host *Worker
	if ctx != nil && ctx.Done() != nil && p.classOf[j.Priority.Lane()].want.Load() > 0 && !nested {
		return false
	}
	if nested {
		host = p.workerHere()
	}
	if !nested || host == nil && !p.inside() { // else the caller's job is counted
		p.enter()
		defer p.leave()
	}
	at := j.Priority.Lane()
	if !p.claimBack(j) {
		return true
	}
	if host == nil || host.dropNewest(at) == 0 {
		p.leftBehind(at, 1)
	}
	h := p.borrow()
	defer p.giveBack(h)
	h.w.lowered = nested && p.onLowThread()
	h.w.host = host
	h.runClaimed(j)
	return true
}

// claimBack takes a job back from the workers, for the caller, which has called enter, to run. It reports false if
// another goroutine has begun the job, or if the pool is gone, which ends the job.
func (p *Pool) claimBack(j *Job) bool {
	if !j.claim() {
		return false
	}
	if p.state.Load() == gone {
		p.lose(jobItem(j)) // a job that still runs has submitted j; a worker would not begin j either
		return false
	}
	return true
}

// runClaimed runs what claimBack has taken.
func (h *visitor) runClaimed(j *Job) {
	h.w.until = deadline.Deadline{}
	h.run(jobItem(j), j.Priority.Lane())
}

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
		if w := c.slots[k].Load(); w != nil && w.thread.Load() == id {
			return true
		}
	}
	return false
}

// inside reports whether the calling goroutine runs a job of this pool: as a worker, or on the carrier of a visitor, or
// in a fork within either.
func (p *Pool) inside() bool { return where.In(p, where.Worker, where.Job) }

// withinJob reports whether the calling goroutine runs a job of some pool.
func withinJob() bool { return where.In(nil, where.Worker, where.Job) }

// home returns the worker on whose goroutine, or on a coroutine of it, w's job runs: w itself or its host. Without a
// host home returns nil.
func (w *Worker) home() *Worker {
	if w.class != nil {
		return w
	}
	return w.host
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
			if w := c.slots[k].Load(); w != nil && w.goid.Load() == id {
				return w
			}
		}
	}
	return nil
}
