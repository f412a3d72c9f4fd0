package workers

// A waiter is a callback for the end of a job. Waiters form a stack, taken as a whole.
type waiter struct {
	f    func()
	then follower // instead of f
	next *waiter
}

// A follower is a link or a notice, seen without type parameters.
type follower interface {
	// follow is called when the source has finished, and begins the link's job, unless another call has. With keep the
	// caller is to run the job, which kept reports; else the job is queued. If the job ends instead, follow returns the
	// job, and the caller wakes its waiters.
	follow(keep bool) (kept bool, ended *Job)
	// source returns the job that the link waits for, or nil if the link has ended.
	source() *Job
}

// finish ends j. The goroutine that claimed or settled j calls finish, once. After the state is stored, the owner may
// submit j again at once, so the rest of finish may be about a later run. It may call a waiter for nothing, but must
// not miss one.
func (j *Job) finish(err error) { j.finishBefore(nil, err) }

// finishBefore is finish for a caller that will follow next itself (J9). next may be nil.
func (j *Job) finishBefore(next follower, err error) {
	j.conclude(err)
	// Either this load sees the waiter, or the waiter, which looks at the state after it has enlisted, sees
	// finished.
	if j.waiters.Load() != nil {
		j.wake(next)
	}
}

// conclude is finish without the waiters.
func (j *Job) conclude(err error) {
	if j.exec != nil {
		j.exec.settle(err)
	}
	j.err = err
	j.set(finished)
}

// wake calls every waiter except next, which may be nil, the longest waiting first. Each waiter is in exactly one of
// the stacks that the swaps return. If a job that follows j (see Then) ends at once, wake calls that job's waiters too,
// after the rest. So the stack stays short, however long a chain is.
func (j *Job) wake(next follower) {
	first, last := j.takeWaiters()
	for first != nil {
		w := first
		first = w.next // before the call, as w may be used again as soon as f is called
		if w.then == nil {
			w.f()
		} else if w.then == next {
			continue
		} else if _, ended := w.then.follow(false); ended != nil {
			more, end := ended.takeWaiters()
			switch {
			case more == nil:
				continue
			case first == nil:
				first = more
			default:
				last.next = more
			}
			last = end
		}
	}
}

// takeWaiters takes the waiters, as a list, the longest waiting first.
func (j *Job) takeWaiters() (first, last *waiter) {
	last = j.waiters.Swap(nil)
	for w := last; w != nil; {
		next := w.next
		w.next = first
		first, w = w, next
	}
	return first, last
}

// notify has f called once, when j has finished: at once if it has.
func (j *Job) notify(f func()) {
	if j.at() == finished {
		f()
		return
	}
	j.enlist(&waiter{f: f})
}

// enlist is notify for the caller's own waiter, which is in no list.
func (j *Job) enlist(w *waiter) {
	for {
		w.next = j.waiters.Load()
		if j.waiters.CompareAndSwap(w.next, w) {
			break
		}
	}
	if j.at() == finished {
		j.wake(nil)
	}
}

// forget is called when a follower of j has been canceled. The follower's waiter has no use any more, but stays in the
// list. When there may be as many such waiters as others, forget takes the list, and enlists the others again (J1).
func (j *Job) forget() {
	if j.idle.Add(1) < max(j.kept.Load(), 16) {
		return
	}
	j.idle.Store(0)
	n := int32(0)
	for w, _ := j.takeWaiters(); w != nil; {
		next := w.next
		if k, ok := w.then.(*notice); ok {
			n++
			k.enlist() // J7
		} else if w.then == nil || w.then.source() != nil {
			n++
			j.enlist(w)
		}
		w = next
	}
	j.kept.Store(n)
}

// Notify calls f once, when the present run has finished, or the first run if there was none yet. f runs on the
// goroutine that ends j, or at once if j has finished. So f must not block or panic. When f is called, j may run again
// already. It allocates a few words.
func (j *Job) Notify(f func()) {
	if f == nil {
		panic("workers: Job.Notify of a nil function")
	}
	n := new(notice)
	n.f, n.then = f, n
	n.of(j)
	if j.at() == finished {
		f()
		return
	}
	n.enlist()
}

// A notice is the waiter that Notify makes. When the end of an earlier run comes late (see finish), a notice may be
// called for nothing. It then enlists itself again. It knows by the number of the run:
//
//	J7  runs are counted, from the first Notify on, while the job is still finished from the run before. A notice
//	    reads the number before the state. When a notice is called, it reads the state before the number. When it has
//	    enlisted, and looked at the state (J1), it looks at the number too, and calls the waiters if the number has
//	    changed.
//
// Claim: a notice calls f once. It does not call f before the end of the run that was under way when Notify was called.
// Nor does it wait for a later run than was under way when Notify returned.
//
// Proof: if the job has finished when the notice is called, it calls f. If not, and the number has changed, the next
// run was about to begin after Notify's look at the number, so the run before had ended. If the number is the same, the
// notice's run may end between that look and the enlisting. Then the job is still finished when the notice looks again,
// or the next run has been counted. In both cases the notice calls the waiters, itself among them. ∎
//
// The model found the faults of two earlier versions. In one, runs were counted a moment after the state had changed,
// so an end that came late took the new run for its own. In the other there was no second look at the number.
type notice struct {
	waiter
	job *Job
	run uint32
}

// of makes n a notice of j's present run. n is in no list.
func (n *notice) of(j *Job) {
	n.job = j
	if n.run = j.run.Load(); n.run == 0 {
		j.run.CompareAndSwap(0, 1)
		n.run = j.run.Load()
	}
}

// follow lets wake call a notice as it calls a link.
func (n *notice) follow(bool) (kept bool, ended *Job) {
	if j := n.job; j.at() != finished && j.run.Load() == n.run {
		n.enlist()
		return false, nil
	}
	n.f()
	return false, nil
}

func (n *notice) enlist() {
	j, run := n.job, n.run // a notice that has been called may be of another run by now: see Strand
	j.enlist(&n.waiter)
	if j.run.Load() != run {
		j.wake(nil)
	}
}

func (n *notice) source() *Job { return n.job }

// countRun counts another run for notices, if there has ever been a notice (J7). The owner calls it, before it takes j.
func (j *Job) countRun() {
	if run := j.run.Load(); run != 0 {
		j.run.Store(max(run+1, 1))
	}
}
