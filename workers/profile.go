package workers

import (
	"context"
	"runtime/pprof"
)

// What Go's profiler and tracer get to know of jobs: labels on request (Options.Labels), and regions whenever a
// trace is taken. A region is named like its job. Jobs of less than 20 µs get one now and then, as they are timed
// now and then: a region takes longer than they do.

// show says what kind of work the worker does from now on, nil for none.
func (w *Worker) show(k *kind) {
	if w.shown == k {
		return
	}
	w.shown = k
	w.kind.Store(k)
	if w.pool.opt.Labels {
		pprof.SetGoroutineLabels(k.labels())
	}
}

// labels returns a context with the kind's label.
func (k *kind) labels() context.Context {
	if k == nil {
		return context.Background()
	}
	if c := k.tag.Load(); c != nil {
		return *c
	}
	c := pprof.WithLabels(context.Background(), pprof.Labels("job", k.name()))
	k.tag.Store(&c)
	return c
}

// tag labels the calling goroutine, which is no worker's own, for what it is going to run.
func (p *Pool) tag(it item) {
	if p.opt.Labels {
		pprof.SetGoroutineLabels(p.kindOf(it).labels())
	}
}

// untag undoes tag on a goroutine that is kept for others.
func (p *Pool) untag() {
	if p.opt.Labels {
		pprof.SetGoroutineLabels(context.Background())
	}
}

func (p *Pool) kindOf(it item) *kind {
	key, entry := p.kinds.key(it)
	return p.kinds.intern(key, entry, it)
}

func (p *Pool) nameOf(it item) string { return p.kindOf(it).name() }

// endRegion ends the region of the job that the worker ran, if it has one.
func (w *Worker) endRegion() {
	if w.region != nil {
		w.region.End()
		w.region = nil
	}
}
