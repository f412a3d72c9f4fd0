package workers

import (
	"context"
	"reflect"
	"sync/atomic"
)

// Then returns the future result of fn, which is called with the value of f, as a job of the same pool and lane. If f
// ends with an error, that error is the result and fn is not called. Canceling the result does not cancel f. Canceling
// f ends both. Then never blocks, allocates the Future only, and does not count for Options.MaxWaiting.
func Then[T, U any](f *Future[T], fn func(T) (U, error)) *Future[U] {
	if fn == nil {
		panic("workers: Then of a nil function")
	}
	if f == nil {
		panic("workers: Then of a nil Future")
	}
	p := f.job.pool
	if p == nil {
		panic("workers: Then of a Future that is not from Submit")
	}
	k := &link[T, U]{src: f, fn: fn}
	j := &k.job
	j.exec, j.pool, j.Priority = k, p, f.job.Priority
	k.up.Store(&f.job)
	k.waiter.then = k
	j.set(following)
	if p.state.Load() != running {
		p.dropped.Add(1)
		j.finish(ErrClosed) // nobody else knows it
	} else {
		f.job.enlist(&k.waiter)
	}
	return &k.Future
}

// A link is a Future that begins when another has a value.
//
//	J3  A link leaves the state following once: by Cancel, or by follow, which only who has found the source
//	    finished calls, and which owns the link's fields in the state looking until the link is queued, and
//	    then visible in its lane, or active, and then its caller's to run (keep), or has ended. So a call of
//	    follow that comes second, or after a Cancel, does nothing. The source's waiters are called (J1), so one
//	    comes; and who waits for the link, in a job or where nobody else would run it, does not wait for that
//	    one but calls it too. Until the source has ended it waits for either, the source's end or the link's,
//	    which Cancel may bring about first.
//	J9  A waiter that runs the source itself leaves one link out when it calls the source's waiters
//	    (finishBefore). It follows that link right after, whatever has become of its context.
//
// So a link whose source has ended is run or ended: there is nothing else that it waits for. A waiter in a job
// may sleep only when the job it looks at is active (or finished, when it goes on): that one ends, and calls
// it. In looking it looks again (J2). In following it does the same for the source first, and by induction
// along the chain, whose first is no link, comes to an end. In a closed pool follow ends the link, or makes it
// visible and finds the pool gone after that (C1).
type link[T, U any] struct {
	Future[U]
	src    *Future[T]
	fn     func(T) (U, error)
	up     atomic.Pointer[Job] // src's, until this one has ended
	waiter waiter
}

// A follower is a link, seen without its type parameters.
type follower interface {
	// follow begins the job, if nobody has, now that its source has finished. With keep the job is then the caller's
	// to run, which kept reports; else it is queued. If the job comes to its end instead, follow returns it, and its
	// waiters are for the caller to wake.
	follow(keep bool) (kept bool, ended *Job)
	// source returns what the job waits for, or nil if it has ended.
	source() *Job
}

func (k *link[T, U]) exec(*Worker) {
	v := k.src.val
	k.src = nil
	k.val, k.err = k.fn(v) // which settle forgets, as it names a panic until then
}

func (k *link[T, U]) settle(err error) {
	k.src, k.fn = nil, nil
	k.up.Store(nil)
	if err != nil {
		k.err = err
	}
}

func (k *link[T, U]) entry() uintptr {
	if f := k.fn; f != nil {
		return reflect.ValueOf(f).Pointer()
	}
	return 0
}

func (k *link[T, U]) source() *Job { return k.up.Load() }

func (k *link[T, U]) follow(keep bool) (kept bool, ended *Job) {
	j := &k.job
	if !j.move(following, looking) {
		return false, nil
	}
	p := j.pool
	switch err := k.src.err; {
	case err != nil:
		j.conclude(err)
		return false, j
	case p.state.Load() == gone:
		p.dropped.Add(1)
		p.lost.Add(1)
		j.conclude(ErrClosed)
		return false, j
	}
	j.stamp(p)
	if keep {
		j.set(active)
		return true, nil
	}
	at := j.Priority.Lane()
	// Only an urgent lane is anything to a frame: see the package comment on background workers.
	low := p.classOf[at] == &p.classes[ordinary] && p.onLowThread()
	j.set(queued)
	p.inject(at, jobItem(j), low)
	return false, nil
}

// ascend is Wait's part for a follower. If nobody else might do it, or the caller may be the only worker, it runs or
// awaits what the follower waits for, from the beginning of the chain. It reports whether to look at the follower's
// state again.
func (j *Job) ascend(ctx context.Context) bool {
	if j.pool.classOf[j.Priority.Lane()].want.Load() > 0 && !withinJob() {
		return false
	}
	path := []*Job{j}
	for at := j; at != nil && at.at() == following; {
		if at = at.exec.(follower).source(); at != nil {
			path = append(path, at)
		}
	}
	mine := j.ticket() // j may be canceled, or a link on the way to it
	defer mine.giveBack()
	over := &mine.it
	over.await(j)
	if w := j.pool.workerHere(); w != nil && w.top != nil {
		j.notify(w.wakeOuter) // it may be suspended
	}
	for i := len(path) - 1; i > 0; i-- {
		up, k := path[i], path[i-1]
		if err := up.waitUnless(ctx, over.token, path[:i]); err == errOver {
			over.listed = false
			return true
		}
		if up.at() != finished {
			return j.at() == finished // else ctx is done
		}
		if _, ended := k.exec.(follower).follow(false); ended != nil {
			ended.wake(nil)
		}
	}
	return true
}
