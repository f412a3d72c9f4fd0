package workers

import (
	"context"
	"reflect"
	"sync/atomic"

	"github.com/frameslice/frameslice/deadline"
)

// A Future is the result of a job that Submit started: a value, or an error.
type Future[T any] struct {
	job  Job
	f    func() (T, error)
	val  T
	err  error
	done atomic.Pointer[chan struct{}]
}

// Submit runs f on p, in the lane of the priority, and returns its future result. It never blocks, unless
// Options.MaxWaiting says otherwise. It allocates the Future only.
func Submit[T any](p *Pool, prio deadline.Priority, f func() (T, error)) *Future[T] {
	if f == nil {
		panic("workers: Submit of a nil function")
	}
	u := &Future[T]{f: f}
	u.job.Priority = prio
	u.job.exec = u
	p.Submit(&u.job)
	return u
}

func (u *Future[T]) exec(*Worker) {
	u.val, u.err = u.f() // which settle forgets, as it names a panic until then
}

func (u *Future[T]) settle(err error) {
	u.f = nil
	if err != nil {
		u.err = err
	}
}

func (u *Future[T]) entry() uintptr {
	if f := u.f; f != nil {
		return reflect.ValueOf(f).Pointer()
	}
	return 0
}

// Wait returns the result, or the cause of ctx if ctx is done first. On the frame goroutine use Done, Notify, or the
// scheduler's Await. Wait may run f itself, as Job.Wait does. So jobs may wait for jobs to any depth, but not in a
// circle.
func (u *Future[T]) Wait(ctx context.Context) (T, error) {
	if err := u.job.Wait(ctx); err != nil && u.job.at() != finished {
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
		u.job.notify(func() { close(c) })
	}
	return *u.done.Load()
}

// Result returns the result. It panics if there is none yet.
func (u *Future[T]) Result() (T, error) {
	if u.job.at() != finished {
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
	u.job.notify(f)
}

// Cancel gives the result ErrCanceled if f has not started, and reports whether it did.
func (u *Future[T]) Cancel() bool { return u.job.Cancel() }
