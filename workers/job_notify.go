package workers

// Notify arranges that f is called, once, when the run that is under way has finished, or the first one if j has never
// been submitted: at once on the calling goroutine if j has finished, later on whatever goroutine ends it. So f must be
// short, must not block and must not panic. If j is submitted again as soon as it has finished, f may be called when it
// runs already. It allocates a few words. Any goroutine.
func (j *Job) Notify(f func()) {
	if f == nil {
		panic("workers: Job.Notify of a nil function")
	}
	n := &notice{job: j}
	n.f, n.then = f, n
	if n.run = j.run.Load(); n.run == 0 {
		j.run.CompareAndSwap(0, 1)
		n.run = j.run.Load()
	}
	switch State(j.state.Load()) {
	case Finished:
		f()
		return
	case Fresh:
		n.run = max(n.run+1, 1) // as countRun
	}
	j.enlist(&n.waiter)
}

// A notice is the waiter that Notify makes. Waiters are called for nothing when the end of an earlier run comes late
// (see finish); a notice then enlists itself again. It knows by the number of the run, which is counted from the first
// Notify on. Nothing is missed: if the number is another one, its run has ended, and if it is not, and j has not
// finished by then, its end is still to come, and looks at the waiters after it.
type notice struct {
	waiter
	job *Job
	run uint32
}

// follow is for wake: a notice stands where a follower may.
func (n *notice) follow() (ended *Job) {
	if j := n.job; State(j.state.Load()) != Finished && j.run.Load() == n.run {
		j.enlist(&n.waiter)
		return nil
	}
	n.f()
	return nil
}

func (n *notice) source() *Job { return n.job }

// countRun counts a run for notices, if there has ever been one. The owner's, while settling.
func (j *Job) countRun() {
	if run := j.run.Load(); run != 0 {
		j.run.Store(max(run+1, 1))
	}
}
