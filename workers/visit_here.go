package workers

import (
	"context"

	"github.com/frameslice/frameslice/deadline"
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
	h.w.until = deadline.Deadline{}
	h.run(jobItem(j), at)
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
