package workers

import "context"

// beginCaller prepares the calling goroutine to run jobs to their ends. It counts the goroutine (C2) unless the
// goroutine is within a job, which is counted. A closer is counted always, because its own job does not keep others
// from finding the pool quiet. Call beginCaller before a job is taken, and endCaller afterwards.
func (p *Pool) beginCaller(closer bool) *caller {
	counted := closer || !p.inside()
	if counted {
		p.callerEnters()
	}
	cl := p.borrowCaller()
	cl.counted = counted
	if withinJob() {
		cl.w.outerWorker, cl.w.lowered = p.workerHere(), p.onLowThread()
	}
	return cl
}

func (p *Pool) endCaller(cl *caller) {
	counted := cl.counted
	p.returnCaller(cl)
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
	cl := p.beginCaller(false)
	defer p.endCaller(cl)
	if !j.claim() {
		return true
	}
	if p.state.Load() == gone {
		p.failures.lose(jobItem(j)) // a job that still runs has submitted j; a worker would not begin j either
		return true
	}
	if w := cl.w.outerWorker; w == nil || w.dropNewest(at) == 0 {
		p.lanes[at].staleAdded(1)
	}
	cl.run(jobItem(j), at)
	return true
}
