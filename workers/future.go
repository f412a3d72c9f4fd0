package workers

import (
	"context"
	"reflect"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
)

// A Future is the result of a function that Submit or SubmitIO started: a value, or an error.
type Future[T any] struct {
	ctx  jobContext
	f    func(ctx context.Context) (T, error)
	val  T
	err  error
	done atomic.Pointer[chan struct{}]
}

// Submit runs f on p, in the lane of the priority, and returns its future result. It never blocks, and allocates the
// Future only.
//
// The context ends with Future.Cancel, when f has returned, and when the pool's Close gives up. If a frame.Loop has
// made the pool, the loop's Close ends the context at once. Only the first use of its Done allocates.
func Submit[T any](p *Pool, prio deadline.Priority, f func(ctx context.Context) (T, error)) *Future[T] {
	if f == nil {
		panic("workers: Submit of a nil function")
	}
	u := &Future[T]{f: f}
	u.ctx.job.Priority = prio
	u.ctx.job.exec = u
	p.Submit(&u.ctx.job)
	return u
}

func (u *Future[T]) exec(*Worker) {
	u.val, u.err = u.f(&u.ctx) // execEnded clears f: until then f names a panic
}

func (u *Future[T]) execEnded(err error) {
	u.ctx.endRun()
	u.f = nil
	if err != nil {
		u.err = err
	}
}

func (u *Future[T]) entry() uintptr { return reflect.ValueOf(u.f).Pointer() }

// Wait returns the result, or the cause of ctx if ctx is done first. On the frame goroutine use Done, Notify, or the
// scheduler's Await. Wait may run f itself, as Job.Wait does. So jobs may wait for jobs to any depth, but not in a
// circle.
func (u *Future[T]) Wait(ctx context.Context) (T, error) {
	if err := u.ctx.job.Wait(ctx); err != nil && u.ctx.job.at() != finished {
		var zero T
		return zero, err
	}
	return u.val, u.err
}

// Done returns a channel that is closed when there is a result. The first call allocates it. On a pool without workers
// use Wait or RunUntil.
func (u *Future[T]) Done() <-chan struct{} {
	if c := u.done.Load(); c != nil {
		return *c
	}
	c := make(chan struct{})
	if u.done.CompareAndSwap(nil, &c) {
		u.ctx.job.notify(func() { close(c) })
	}
	return *u.done.Load()
}

// Result returns the result. It panics if there is none yet.
func (u *Future[T]) Result() (T, error) {
	if u.ctx.job.at() != finished {
		panic("workers: Result of a Future that has not finished")
	}
	return u.val, u.err
}

// Notify calls f when there is a result: at once, or on the goroutine that produces the result. So f must not block or
// panic. Functions are called in order.
func (u *Future[T]) Notify(f func()) {
	if f == nil {
		panic("workers: Future.Notify of a nil function")
	}
	u.ctx.job.notify(f)
}

// Cancel gives the result ErrCanceled if f has not started, and reports whether it did. If f runs, Cancel ends f's
// context, with the cause ErrCanceled, and f's own result remains the result. Any goroutine; never blocks.
func (u *Future[T]) Cancel() bool {
	if u.ctx.job.Cancel() {
		return true
	}
	u.ctx.cancelRun()
	return false
}

// String says what it is, and how far: for scheduler.Task.Why.
func (u *Future[T]) String() string {
	what := "a job"
	if u.ctx.job.io {
		what = "IO"
	}
	switch u.ctx.job.at() {
	case active:
		return what + " that runs"
	case finished:
		return what + " that has ended"
	}
	return what + " that is queued"
}

// Then returns the future result of fn, which is called with the value of f, as a job of the same pool and lane. If f
// ends with an error, that error is the result and fn is not called. Canceling the result does not cancel f. Canceling
// f ends both. fn's context is as that of Submit. Then never blocks. It takes two allocations, which stay until f has
// ended, also if the result is canceled.
func Then[T, U any](f *Future[T], fn func(ctx context.Context, value T) (U, error)) *Future[U] {
	if fn == nil {
		panic("workers: Then of a nil function")
	}
	if f == nil {
		panic("workers: Then of a nil Future")
	}
	p := f.ctx.job.pool
	if p == nil {
		panic("workers: Then of a Future that is not from Submit")
	}
	k := &link[T, U]{fn: fn}
	k.src.Store(f)
	j := &k.ctx.job
	j.exec, j.pool, j.Priority = k, p, f.ctx.job.Priority
	if p.state.Load() != running {
		p.failures.refuse(j)
		return &k.Future
	}
	j.set(apart)
	k.waiter.f = k.follow
	f.ctx.job.addWaiter(&k.waiter)
	return &k.Future
}

// A link is a Future whose job waits for another Future, its source. The job is in the state apart until then.
//
//	J3  A link leaves the state apart once: by Cancel, or by follow, which owns the link in the state looking. Then
//	    the link is queued, and after that visible in its lane, and after that the sleepers of its latch are woken; or
//	    it has ended. The end of the source calls follow (J1). A goroutine that waits for the link, in a job or where
//	    no worker is, runs the source if nobody has begun it, and otherwise sleeps on the link's own latch.
//
// So a call of follow after Cancel does nothing. No wait sleeps over a link that nobody begins: if the source has begun
// elsewhere, its end makes the link queued, and the waiter looks again. A wait outside of jobs sleeps until the link
// has ended, or until there are no workers any more (E2). A wait that finds the link in the state looking looks again
// (J2). The goroutine that ends the source counts as one that runs a job meanwhile, so a Close does not find the pool
// quiet while nobody sees the link.
//
// future_explore_test.go runs J3. A chain passes an error on, and is looked through, on one stack.
type link[T, U any] struct {
	Future[U]
	src    atomic.Pointer[Future[T]] // nil when the link has ended
	fn     func(context.Context, T) (U, error)
	waiter waiter
}

// follow submits the link's job, or ends it. The source has finished.
func (k *link[T, U]) follow() {
	j := &k.ctx.job
	src := k.src.Load()
	if src == nil || !j.leaveApart(looking) {
		return
	}
	p := j.pool
	switch err := src.err; {
	case err != nil:
		j.finish(err)
		return
	case p.state.Load() == gone:
		p.failures.lose(jobItem(j))
		return
	}
	j.stamp(p)
	l := &p.lanes[j.Priority.Lane()]
	// On a background worker, a frame may wait for the slot of an urgent lane's queue: see lane.below.
	low := !l.class.low && p.onLowThread()
	j.enqueue()
	l.inject(jobItem(j), low)
	j.latch.Wake()
}

func (k *link[T, U]) source() *Job {
	if src := k.src.Load(); src != nil {
		return &src.ctx.job
	}
	return nil
}

func (k *link[T, U]) exec(*Worker) {
	v := k.src.Load().val
	k.val, k.err = k.fn(&k.ctx, v) // execEnded clears fn: until then fn names a panic
}

func (k *link[T, U]) execEnded(err error) {
	k.ctx.endRun()
	k.src.Store(nil)
	k.fn = nil
	if err != nil {
		k.err = err
	}
}

func (k *link[T, U]) entry() uintptr { return reflect.ValueOf(k.fn).Pointer() }
