package workers

import (
	"fmt"

	"github.com/frameslice/frameslice/deadline"
)

// SubmitTo runs j on the ordinary worker k, and on no other goroutine: for libraries that want to be called from
// one thread always, which it has (Options.Bound), and for data that one worker owns. Jobs bound to one worker
// start in the order of their submission, whatever their Priority; the worker lets work from its lanes in between.
//
// The job that the worker runs must end first, or wait: while it sleeps in Job.Wait, Future.Wait, Scope, Group.Wait,
// ParallelFor, Graph.Run, Close, Worker.Join, Stream.Next or Stream.Submit, its worker runs what is bound to it. So in
// these a job may wait for bound jobs, and for what waits for bound jobs, at any depth, also within Blocking. What is
// bound, and runs while a job waits there, may wait for that job, too, but not for something else that waits for it:
// see Worker.Yield. While a job sleeps in something of its own, within Blocking or not, or waits for what belongs to
// another pool, what is bound to its worker waits, since pools do not know of one another: so such a job must not wait
// for what is bound to its own worker, neither itself nor through the other pool.
//
// A runtime.Goexit in a job of the worker ends its thread; the worker goes on with another one. Its jobs may call
// runtime.LockOSThread only if they unlock it again before they end, wait or yield. On a pool without workers, as in a
// browser, j is submitted as by Submit, and runs where RunUntil is called. Jobs that are bound do not count for
// Options.MaxWaiting.
//
// It panics unless 0 <= k < Options.Bound. Else it is as Submit: any goroutine, never blocks, does not allocate;
// it wakes worker k, if that sleeps.
func (p *Pool) SubmitTo(k int, j *Job) { p.submitTo(k, j, false) }

func (p *Pool) submitTo(k int, j *Job, inside bool) {
	w := p.boundWorker(k)
	if w == nil {
		p.Submit(j)
		return
	}
	j.prepareAs(p, nil, w.boundState())
	if !inside && p.state.Load() != running {
		if j.claimFor(w) {
			p.dropped.Add(1)
			j.finish(ErrClosed)
		}
		return
	}
	w.deliver(jobItem(j))
}

// boundWorker returns the worker for what is bound to k, or nil if there are no workers here.
func (p *Pool) boundWorker(k int) *Worker {
	if k < 0 || k >= p.opt.Bound {
		refuseBound(k)
	}
	return p.crews[ordinary].slots[k].Load()
}

func refuseBound(k int) {
	panic(fmt.Sprintf("workers: worker %d takes no bound jobs: see Options.Bound", k))
}

// GoTo runs f on the ordinary worker k, as SubmitTo does a Job. A panic in f is for OnPanic, as with Go. If the
// pool is closed, f is dropped, and counted.
func (p *Pool) GoTo(k int, f func()) {
	if f == nil {
		panic("workers: GoTo of a nil function")
	}
	w := p.boundWorker(k)
	if w == nil {
		p.Go(deadline.Normal, f)
		return
	}
	if p.state.Load() != running {
		p.dropped.Add(1)
		return
	}
	w.deliver(funcItem(f))
}

// SubmitTo runs f on the ordinary worker k of p, as the Pool's SubmitTo does a Job, and returns its future result,
// as Submit does.
func SubmitTo[T any](p *Pool, k int, f func() (T, error)) *Future[T] {
	if f == nil {
		panic("workers: SubmitTo of a nil function")
	}
	u := &Future[T]{f: f}
	u.job.exec = u
	p.SubmitTo(k, &u.job)
	return u
}

// SubmitTo submits j as Pool.SubmitTo does, but from within a job: it is accepted while the pool drains.
func (w *Worker) SubmitTo(k int, j *Job) {
	if w.pool.boundWorker(k) == nil {
		w.Submit(j)
		return
	}
	w.pool.submitTo(k, j, true)
}
