package workers

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/fault"
	"github.com/frameslice/frameslice/internal/mpmc"
)

// PanicError is a panic of a job: its Value, its Stack as text, and the Label of the job, or else the name of its
// function or call. errors.Is and errors.As see a Value that is an error.
type PanicError = fault.PanicError

// ErrGoexit is the error of a job that ended by runtime.Goexit.
var ErrGoexit = fault.ErrGoexit

// ErrClosed is the error of a job that a closed pool did not run, and the ordinary end of a closed Queue or Stream.
var ErrClosed = mpmc.ErrClosed

// ErrCanceled is the error of a job that was canceled before it started. errors.Is finds context.Canceled in it.
var ErrCanceled error = canceledError{}

type canceledError struct{}

func (canceledError) Error() string { return "workers: job was canceled" }

func (canceledError) Is(target error) bool { return target == context.Canceled }

// A state says how far a Job is.
type state uint32

// The states, in order; a submission starts again at queued.
const (
	fresh     state = iota // never submitted
	queued                 // waits for a worker
	active                 // runs
	finished               // ended, one way or another: see Err
	settling               // within Submit or the end of a run
	looking                // somebody finds out what becomes of it, for some 100 ns (J2, J3)
	following              // waits for another Future: see Then
	moved                  // is queued, and has been elsewhere: J4
)

// String names the state, for errors.
func (s state) String() string {
	switch s {
	case fresh:
		return "fresh"
	case active:
		return "running"
	case finished:
		return "finished"
	}
	return "queued"
}

// A Job is work for a pool, and its own handle. The caller owns it, fills in the exported fields and submits it. When
// it has finished and nobody waits for it, the caller may change it and submit it again. A goroutine that knows of the
// end sees all that the job wrote.
type Job struct {
	// Label names the kind of work, in statistics and errors and for the prediction of its cost. The default (empty)
	// means the function. Use few constants, each for jobs that take about the same time.
	Label string

	// Priority is the lane. The default (zero) value is deadline.Normal.
	Priority deadline.Priority

	// Cost is how long Func will take, for RunUntil. The default (zero) value is what earlier jobs of the kind took.
	Cost time.Duration

	// Func is the work. Its Worker is valid until Func returns. Func must undo a runtime.LockOSThread before it ends,
	// waits, joins or yields.
	Func func(w *Worker)

	state   atomic.Uint32
	exec    executor // instead of Func, for futures
	pool    *Pool
	err     error
	waiters atomic.Pointer[waiter]
	coop    *visitor         // while it may yield in RunUntil
	limit   *mpmc.Places     // whose place it has while it waits
	thief   atomic.Int32     // of a fork: 1 + the index of the worker that stole it, or 0
	since   deadline.Instant // when it was submitted, with Options.Insight
	home    *class           // for which it was queued last, and
	moves   bool             // whether it was for another one before: J4
	run     atomic.Uint32    // the number of its run, or 0: see notice
	idle    atomic.Int32     // waiters of followers that have been canceled: see forget
	kept    atomic.Int32     // waiters that there were when forget looked last
	tickets freelist[ticket]
	_       noCopy
}

// The protocol of a job's state and its waiters:
//
//	J1  A job's state is stored before its waiters are taken, and a waiter enlists before it looks at the state again.
//	    So one of them sees the other. As the list is taken as a whole, every waiter is called once.
//	J2  RunUntil takes a job out of a queue, and out of everybody's hands (the state looking), to see whether the job
//	    fits. Nobody is called when the job is put back. So a goroutine that meets a job in that state, or fails to
//	    claim one, looks again and does not enlist. The job is queued before its entry is visible again.
//
// J3 and J9 are at the type link, J4 in job_moved.go, J5 in job_ticket.go, J6 and J8 in sift.go, J7 at the type notice.

// An executor is a Future, seen without its type parameter.
type executor interface {
	exec(w *Worker)
	settle(err error) // called before the job is finished, if exec did not return
	entry() uintptr   // the code pointer of the user's function
}

type noCopy struct{}

func (*noCopy) Lock() {}

func (*noCopy) Unlock() {}

// A waiter is a callback for the end of a job. Waiters form a stack, taken as a whole.
type waiter struct {
	f    func()
	then follower // instead of f
	next *waiter
}

// Finished reports whether j has ended, one way or another: see Err.
func (j *Job) Finished() bool { return j.at() == finished }

// at returns how far j is.
func (j *Job) at() state { return state(j.state.Load()) }

// move makes the state another one, if it is from.
func (j *Job) move(from, to state) bool { return j.state.CompareAndSwap(uint32(from), uint32(to)) }

// set makes the state another one.
func (j *Job) set(to state) { j.state.Store(uint32(to)) }

// Err returns how j ended: nil, a *PanicError, ErrGoexit, ErrCanceled or ErrClosed; of a pool with a limit also ErrFull
// or ErrWouldWait. It panics unless j has finished.
func (j *Job) Err() error {
	if j.at() != finished {
		panic("workers: Err of a job that has not finished")
	}
	return j.err
}

// Cancel ends j with ErrCanceled if it has not started, and reports whether it did.
func (j *Job) Cancel() bool {
	for {
		if j.move(queued, settling) ||
			j.move(moved, settling) {
			j.started()
			j.pool.leftBehind(j.Priority.Lane(), 1)
			j.finish(ErrCanceled)
			return true
		}
		if j.move(following, settling) {
			up := j.exec.(follower).source()
			j.finish(ErrCanceled)
			if up != nil {
				up.forget()
			}
			return true
		}
		if s := j.at(); s != queued && s != looking && s != following && s != moved {
			return false
		}
		runtime.Gosched()
	}
}

// forget is called when a follower of j has been canceled. The follower's waiter is of no use any more, but stays in
// the list. When as many may be such as there were others, forget takes the list, and enlists the others again (J1).
func (j *Job) forget() {
	if j.idle.Add(1) < max(j.kept.Load(), 16) {
		return
	}
	j.idle.Store(0)
	n := int32(0)
	for w, _ := j.takeWaiters(); w != nil; {
		next := w.next
		if w.then == nil || w.then.source() != nil {
			n++
			j.enlist(w)
		}
		w = next
	}
	j.kept.Store(n)
}

// prepare takes j from its owner: fresh or finished become settling, and that queued. It returns j's lane, which the
// caller may not ask j for any more: somebody may have canceled it, and changed it.
func (j *Job) prepare(p *Pool) (lane int) { return j.prepareWith(p, nil) }

// prepareWith is prepare for a job that has a place in l, if l is not nil.
func (j *Job) prepareWith(p *Pool, l *mpmc.Places) (lane int) {
	j.mustBeFit()
	s := j.at()
	if s == finished {
		j.countRun()
	}
	if s != fresh && s != finished || !j.move(s, settling) {
		panic("workers: Submit of a job that is " + j.at().String())
	}
	j.pool, j.limit = p, l
	j.err = nil
	j.stamp(p)
	waits := j.queuedAs(p)
	lane = j.Priority.Lane()
	j.set(waits)
	return lane
}

// The texts of the panics by misuse of Submit, besides the state.
const (
	errNilJob   = "workers: Submit of a nil Job"
	errNoFunc   = "workers: Submit of a job without a Func"
	errPriority = "workers: Submit of a job with an invalid "
)

// mustBeFit panics where prepare would: for who is about to wait before it.
func (j *Job) mustBeFit() {
	switch {
	case j == nil:
		panic(errNilJob)
	case j.at() != fresh && j.at() != finished:
		panic("workers: Submit of a job that is " + j.at().String())
	case j.Func == nil && j.exec == nil:
		panic(errNoFunc)
	case !j.Priority.Valid():
		panic(errPriority + j.Priority.String())
	}
}

// claim makes the caller the one who runs j. A queue may hold stale entries of a job: of one that was
// canceled, or that its waiter claimed. Claiming is what makes them harmless; by an entry that is claimFrom.
func (j *Job) claim() bool {
	if !j.move(queued, active) &&
		!j.move(moved, active) {
		return false
	}
	j.started()
	return true
}

// look is a claim that may be taken back, by unlook. Meanwhile the fields are the caller's to read.
func (j *Job) look() bool {
	return j.move(queued, looking) ||
		j.move(moved, looking)
}

// unlook ends look: by a claim if run is true, else j is queued again, and must be put into a queue.
func (j *Job) unlook(run bool) {
	next := j.queued()
	if run {
		next = active
		j.started()
	}
	j.set(next)
}

// finish ends j. The goroutine that claimed or settled j calls finish, once. After the state is stored, the owner may
// submit j again at once. So what follows must not assume that it still speaks of the same run: a spurious call of a
// waiter is allowed, a missed one is not.
func (j *Job) finish(err error) { j.finishBefore(nil, err) }

// finishBefore is finish, but the caller will follow next (J9), unless next is nil.
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

// wake calls every waiter, the longest waiting first. Each is in exactly one of the stacks that the swaps
// return. A job that follows j (see Then) and ends right here has its own waiters called after the rest, here too: so
// the stack stays short, however long a chain is. It does not call next, which may be nil.
func (j *Job) wake(next follower) {
	first, last := j.takeWaiters()
	for first != nil {
		w := first
		first = w.next // first of all, as w may be used again as soon as f is called
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

// takeWaiters takes the waiters, as a list in the order of their coming.
func (j *Job) takeWaiters() (first, last *waiter) {
	last = j.waiters.Swap(nil)
	for w := last; w != nil; {
		next := w.next
		w.next = first
		first, w = w, next
	}
	return first, last
}

// notify arranges for f to be called once, when j has finished: here and now if it has.
func (j *Job) notify(f func()) {
	if j.at() == finished {
		f()
		return
	}
	j.enlist(&waiter{f: f})
}

// enlist is notify for a waiter of the caller's, which is in no list.
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
