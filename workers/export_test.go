package workers

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/osthread"
	"github.com/frameslice/frameslice/internal/park"
)

// OrdinaryFor is how many ordinary workers p ought to have on so many Ps, on this machine.
func (p *Pool) OrdinaryFor(procs int) int {
	return ordinaryFor(procs, runtime.NumCPU(), p.machine.granted())
}

// ShrinkTo does what adapt does when there are to be n workers.
func (p *Pool) ShrinkTo(n int) {
	p.follow.Lock()
	defer p.follow.Unlock()
	if p.state.Load() == running {
		p.classes[ordinary].resize(n)
	}
}

// Parks is how the newest ordinary worker sleeps.
func (p *Pool) Parks() park.Kind { return park.Kind(p.classes[ordinary].park.Load()) }

// Parking returns o for workers that sleep in a way.
func (o Options) Parking(k park.Kind) Options { o.forced.park = k; return o }

// Aging returns o for lanes that go first after other timeouts.
func (o Options) Aging(t deadline.Timeouts) Options { o.forced.timeouts = t; return o }

// Standing returns o for at most n workers in place of those within Blocking.
func (o Options) Standing(n int) Options { o.forced.spares = n; return o }

// Computing returns o for a pool that asks f, and not Go, how many goroutines run.
func (o Options) Computing(f func() int) Options { o.forced.computing = f; return o }

// Looks is how often the pool has looked for jobs that wait.
func (p *Pool) Looks() int {
	p.waits.mu.Lock()
	defer p.waits.mu.Unlock()
	return p.waits.looks
}

// Low reports whether the job runs on a background worker.
func (w *Worker) Low() bool { return w.low() }

// Pool returns the worker's pool.
func (w *Worker) Pool() *Pool { return w.pool }

// NeedsWorkers skips a test whose jobs only a worker would run. Where there is one thread, as in a browser, there are
// none.
func NeedsWorkers(t testing.TB) {
	t.Helper()
	if !threads {
		t.Skip("there are no workers where there is one thread")
	}
}

// NeedsAffinity skips a test of PinCPU where the system has no affinity, or a sandbox refuses it.
func NeedsAffinity(t testing.TB) {
	t.Helper()
	result := make(chan error)
	osthread.Go(func() {
		cpus, err := osthread.CPUs()
		if err == nil {
			err = osthread.Pin(cpus...)
		}
		result <- err
	})
	if err := <-result; err != nil {
		t.Skipf("no affinity here: %v", err)
	}
}

// MustClose closes p, with time enough.
func MustClose(t *testing.T, p *Pool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := p.Close(ctx); err != nil {
		t.Error(err)
	}
}

// Occupier is the label of Occupy's job.
const Occupier = "occupier"

// Occupy has a worker of p run a job of a priority until free is called.
func Occupy(p *Pool, prio deadline.Priority) (free func()) {
	begun, gate := make(chan struct{}), make(chan struct{})
	p.Submit(&Job{Label: Occupier, Priority: prio, Func: func(*Worker) { close(begun); <-gate }})
	<-begun
	return func() { close(gate) }
}

// History is how many runs of a kind must be known before RunUntil runs such a job beside workers.
const History = history

// MaxWorkers is the greatest number of workers of a class.
const MaxWorkers = maxWorkers

// State is how far a job is: fresh, queued, running or finished.
type State = state

const (
	Fresh    = fresh
	Queued   = queued
	Running  = active
	Finished = finished
)

// State returns how far j is, as somebody sees it who knows nothing of the protocols.
func (j *Job) State() State {
	switch s := j.at(); s {
	case fresh, active, finished:
		return s
	}
	return queued
}

// ContextsAsked returns how many jobs have asked for the Done of their context and have not ended.
func (p *Pool) ContextsAsked() int { return int(p.lives.asked.Load()) }
