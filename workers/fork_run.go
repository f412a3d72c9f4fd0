package workers

import (
	"context"
	"runtime/trace"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/carrier"
	"github.com/frameslice/frameslice/internal/where"
)

// Forks that run within another job of their worker have a coroutine of their own: a panic or a runtime.Goexit must
// not reach that job. While one runs, that coroutine is where the worker is (Worker.goid).

// runStolen runs a fork of another worker's job. It is shown as a job is, and as it took a steal to get here, always.
func (w *Worker) runStolen(j *Job) {
	w.show(w.gaugeOf(w.cur).Kind)
	start := deadline.Now()
	w.started.Store(int64(start))
	if trace.IsEnabled() {
		w.region = trace.StartRegion(context.Background(), nameOf(w.shown))
	}
	j.Func(w)
	w.endRegion()
	w.started.Store(0)
	w.busyNS += int64(deadline.Now().Sub(start))
	w.cur = item{}
	w.runs++
	j.finish(nil)
	w.endInner()
}

// runLeftForks runs the forks that a job has not joined, because it panicked, or forgot.
func (w *Worker) runLeftForks() {
	for {
		j, ok := w.forks.Pop()
		if !ok {
			return
		}
		w.runFork(j)
	}
}

// runFork runs a fork within another job of this worker. It allocates only within another fork that runs so.
func (w *Worker) runFork(j *Job) {
	w.runs++
	home := w.home()
	if home == nil {
		home = w.pool.workerHere() // a node of a Graph, which does not ask unless it has to
	}
	c, body := &w.fork, w.forkBody
	switch {
	case c.Busy():
		c = new(carrier.Carrier)
		c.At.Kind, c.At.Owner = w.fork.At.Kind, w.pool
		defer c.Close()
		body = func() { w.carryFork(j, home) }
	case body == nil:
		body = w.carryOwn
		w.forkBody = body
	}
	if c == &w.fork {
		w.forkJob, w.forkHome = j, home
	}
	switch c.Run(j.Label, body) {
	case carrier.Panicked:
		w.pool.panicked.Add(1)
		j.finish(w.pool.caught(c, jobItem(j)))
	case carrier.Exited:
		j.finish(ErrGoexit)
	default:
		j.finish(nil)
	}
}

// carryOwn runs on the worker's own carrier.
func (w *Worker) carryOwn() {
	j, home := w.forkJob, w.forkHome
	w.forkJob, w.forkHome = nil, nil
	w.carryFork(j, home)
}

// carryFork runs on a carrier.
func (w *Worker) carryFork(j *Job, home *Worker) {
	if home != nil {
		outer := home.goid.Load()
		home.goid.Store(where.ID()) // for workerHere
		defer home.goid.Store(outer)
	}
	if trace.IsEnabled() {
		defer trace.StartRegion(context.Background(), w.pool.nameOf(jobItem(j))).End()
	}
	j.Func(w)
}
