package workers

// Notify calls f once, when the present run has finished, or the first run if there was none yet. f runs on the
// goroutine that ends j, or at once if j has finished. So f must not block or panic. When f is called, j may run again
// already. It allocates a few words.
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
	if j.at() == finished {
		f()
		return
	}
	n.enlist()
}

// A notice is the waiter that Notify makes. Waiters are called for nothing when the end of an earlier run comes late
// (see finish). A notice then enlists itself again. It knows by the number of the run:
//
//	J7  runs are counted, from the first Notify on, while the job has still finished the one before. A notice reads
//	    the number before the state, and when it is called the state before the number. When it has enlisted, and
//	    looked at the state (J1), it looks at the number, too, and calls the waiters if it is another one.
//
// Claim: a notice is called once. It is not called before the end of the run that was under way when Notify was called.
// Nor is it left to a later run than was under way when Notify returned. Proof: if the job has finished when the notice
// is called for, it calls. If not, and the number is another one, the next run was about to begin after Notify's look
// at the number, so the run of before had ended. If the number is the same, the run that the notice is for may end
// between that look and the enlisting. Then the job has still finished when the notice looks again, or the next run has
// been counted: in both cases the notice calls the waiters, itself among them. ∎
//
// The model found what two earlier versions lacked. In one, runs were counted a moment after the state had changed, so
// an end that came late took the new run for its own. In the other there was no second look at the number.
type notice struct {
	waiter
	job *Job
	run uint32
}

// follow is for wake: a notice stands where a follower may.
func (n *notice) follow(bool) (kept bool, ended *Job) {
	if j := n.job; j.at() != finished && j.run.Load() == n.run {
		n.enlist()
		return false, nil
	}
	n.f()
	return false, nil
}

func (n *notice) enlist() {
	j := n.job
	j.enlist(&n.waiter)
	if j.run.Load() != n.run {
		j.wake(nil)
	}
}

func (n *notice) source() *Job { return n.job }

// countRun counts another run for notices, if there has ever been one (J7). The owner's, before it takes j.
func (j *Job) countRun() {
	if run := j.run.Load(); run != 0 {
		j.run.Store(max(run+1, 1))
	}
}
