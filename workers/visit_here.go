package workers

import "context"

// visit prepares the calling goroutine to run jobs to their ends. It counts the goroutine (C2) unless that is within a
// job, which is counted. A closer is counted always, because its own job does not keep others from finding the pool
// quiet. Call visit before a job is taken, and endVisit afterwards.
func (p *Pool) visit(closer bool) *visitor {
	counted := closer || !p.inside()
	if counted {
		p.callerEnters()
	}
	h := p.borrow()
	h.counted = counted
	if withinJob() {
		h.w.host, h.w.lowered = p.workerHere(), p.onLowThread()
	}
	return h
}

func (p *Pool) endVisit(h *visitor) {
	counted := h.counted
	p.giveBack(h)
	if counted {
		p.callerLeaves()
	}
}

// runHere runs j on the calling goroutine if Job.Wait says so. It reports whether the caller has to look at j's state
// again: runHere has run j, or found that j is not queued any more.
func (p *Pool) runHere(ctx context.Context, j *Job) bool {
	if ctx != nil && ctx.Err() != nil {
		return false // this wait is over
	}
	if ctx != nil && ctx.Done() != nil && j.lane().served() && !withinJob() {
		return false
	}
	at := j.Priority.Lane()
	h := p.visit(false)
	defer p.endVisit(h)
	if !j.claim() {
		return true
	}
	if p.state.Load() == gone {
		p.failures.lose(jobItem(j)) // a job that still runs has submitted j; a worker would not begin j either
		return true
	}
	if host := h.w.host; host == nil || host.dropNewest(at) == 0 {
		p.lanes[at].leftBehind(1)
	}
	h.run(jobItem(j), at)
	return true
}
