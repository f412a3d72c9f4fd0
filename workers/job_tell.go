package workers

// A waiter is a callback for the end of a job. Waiters form a stack, taken as a whole.
type waiter struct {
	f    func()
	job  *Job   // of a notice (J7), else nil
	run  uint32 // the run of job that it waits for
	next *waiter
}

// finish ends j. The goroutine that claimed or settled j calls finish, once. After the state is stored, the owner may
// submit j again at once, so the rest of finish may be about a later run. It may call a waiter for nothing, but must
// not miss one.
func (j *Job) finish(err error) {
	if j.exec != nil {
		j.exec.execEnded(err)
	}
	j.err = err
	j.set(finished)
	// Either this load sees the waiter, or the waiter, which looks at the state after it has been added, sees
	// finished.
	if j.waiters.Load() != nil {
		j.wake()
	}
	j.latch.Wake()
}

// wake calls every waiter, the longest waiting first. Each waiter is in exactly one of the stacks that the swaps
// return.
func (j *Job) wake() {
	var first *waiter
	for w := j.waiters.Swap(nil); w != nil; {
		next := w.next
		w.next = first
		first, w = w, next
	}
	for first != nil {
		w := first
		first = w.next // before the call, as w may be used again as soon as f is called
		w.call()
	}
}

// notify has f called once, when j has finished: at once if it has.
func (j *Job) notify(f func()) {
	if j.at() == finished {
		f()
		return
	}
	j.addWaiter(&waiter{f: f})
}

// addWaiter adds a waiter of the caller's, which is in no list, to those that the end of j calls.
func (j *Job) addWaiter(w *waiter) {
	for {
		w.next = j.waiters.Load()
		if j.waiters.CompareAndSwap(w.next, w) {
			break
		}
	}
	if j.at() == finished {
		j.wake()
	}
}

// Notify calls f once, when the present run has finished, or the first run if there was none yet. f runs on the
// goroutine that ends j, or at once if j has finished. So f must not block or panic. When f is called, j may run again
// already. It allocates a few words.
func (j *Job) Notify(f func()) {
	if f == nil {
		panic("workers: Job.Notify of a nil function")
	}
	w := &waiter{f: f, job: j}
	if w.run = j.run.Load(); w.run == 0 {
		j.run.CompareAndSwap(0, 1)
		w.run = j.run.Load()
	}
	if j.at() == finished {
		f()
		return
	}
	w.addNotice()
}

// A notice is the waiter that Notify makes. When the end of an earlier run comes late (see finish), a notice may be
// called for nothing. It then adds itself again. It knows by the number of the run:
//
//	J7  runs are counted, from the first Notify on, while the job is still finished from the run before. A notice
//	    reads the number before the state. When a notice is called, it reads the state before the number. When it has
//	    been added, and looked at the state (J1), it looks at the number too, and calls the waiters if the number has
//	    changed.
//
// Claim: a notice calls f once. It does not call f before the end of the run that was under way when Notify was called.
// Nor does it wait for a later run than was under way when Notify returned.
//
// Proof: if the job has finished when the notice is called, it calls f. If not, and the number has changed, the next
// run was about to begin after Notify's look at the number, so the run before had ended. If the number is the same, the
// notice's run may end between that look and addNotice. Then the job is still finished when the notice looks again, or
// the next run has been counted. In both cases the notice calls the waiters, itself among them. ∎
//
// The explorer finds the faults of two earlier versions. In one, runs were counted a moment after the state had
// changed, so an end that came late took the new run for its own. In the other there was no second look at the number.
func (w *waiter) call() {
	if w.job != nil && w.job.at() != finished && w.job.run.Load() == w.run {
		w.addNotice()
		return
	}
	w.f()
}

func (w *waiter) addNotice() {
	j, run := w.job, w.run
	j.addWaiter(w)
	if j.run.Load() != run {
		j.wake()
	}
}
