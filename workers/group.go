package workers

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/frameslice/frameslice/deadline"
)

// A Group is a Scope that begins in one place and ends in another: functions that are spawned one by one, perhaps
// over several frames, and awaited together, as with errgroup. Everything that is said of Scope holds (S1 to S3
// with Wait in the place of the end of the body), but that its jobs are also there for RunUntil.
//
// A goroutine that must not wait, as a frame's, has a job wait for it:
//
//	all := workers.Submit(p, deadline.Normal, func() (struct{}, error) { return struct{}{}, g.Wait() })
//
// Until Wait it keeps some 220 bytes for each function, also of those that have ended.
//
// As many functions run at once as there are workers. So functions that wait for one another, or for ctx, can hang: the
// one that all of them wait for may never begin. Such a function waits within Worker.Blocking, for which the pool calls
// in another worker. A function of a Group has no Worker, so submit a Job that
// has one, and let the function wait for the Job: see the example.
//
// A Group has no limit of its own: as many functions run at once as there are workers, and one in Wait. To have
// fewer, or to bound what waits, use a Stream.
type Group struct {
	scope   Scope
	waiting atomic.Bool
	done    chan struct{} // Wait has ended
	err     error         // what it returns, before done is closed
}

// GroupOptions configures a Group. The zero GroupOptions is good for most.
type GroupOptions struct {
	// Priority is the lane of the jobs. The default (zero) value is deadline.Normal.
	Priority deadline.Priority

	// Label names the jobs in statistics and errors. The default (empty) means each job's function.
	Label string

	// AllErrors says that no error cancels the others' context, and Wait returns all of them, by errors.Join in the
	// order in which the functions were spawned. The default (zero) value is that the first does, and is returned.
	AllErrors bool
}

// NewGroup returns a Group whose functions get a context that is derived from ctx, and ends with Wait at the
// latest; so Wait must be called. A nil ctx is context.Background. Any goroutine; it takes 1 µs.
func (p *Pool) NewGroup(ctx context.Context, o GroupOptions) *Group {
	laneOf(o.Priority)
	g := &Group{done: make(chan struct{})}
	s := &g.scope
	s.pool, s.prio, s.label, s.open, s.all = p, o.Priority, o.Label, true, o.AllErrors
	s.low = p.crews[background].used.Load() > 0 && p.onLowThread()
	s.prepare(ctx)
	return g
}

// Go spawns f, which gets the group's context. It never blocks. It may be called until Wait returns, by the
// functions of the group too; after that it panics. Any goroutine.
func (g *Group) Go(f func(ctx context.Context) error) {
	if f == nil {
		panic("workers: Group.Go of a nil function")
	}
	g.scope.Go(f)
}

// Context returns the context that the functions get: canceled by the first error, which is its cause, unless
// there is GroupOptions.AllErrors, and by Wait. Any goroutine.
func (g *Group) Context() context.Context { return g.scope.ctx }

// Wait runs what no worker has begun yet, as Scope does when its body has returned, and returns when all has
// ended: nil, the first error, or all of them. If a function panicked Wait panics with the *PanicError. Any
// goroutine, within a job too, but a function of the group; and any number of times: what comes second waits for
// the first, and returns the same.
func (g *Group) Wait() error {
	s := &g.scope
	if g.waiting.CompareAndSwap(false, true) {
		defer close(g.done)
		defer s.cancel(nil)
		s.help()
		s.raise()
		g.err = s.err()
	} else {
		s.pool.workerHere().rest(g.done)
		s.raise()
	}
	return g.err
}

// A scopeError is an error of a Scope that keeps all.
type scopeError struct {
	at   int64 // the place of its function in the order of Go
	err  error
	next *scopeError
}

// keep puts an error into the list, before the job is counted as ended (S1): so the end of the scope sees it.
func (s *Scope) keep(at int64, err error) {
	e := &scopeError{at: at, err: err}
	for {
		e.next = s.errs.Load()
		if s.errs.CompareAndSwap(e.next, e) {
			return
		}
	}
}

// err returns what went wrong in a scope that has ended.
func (s *Scope) err() error {
	if first := s.first.Load(); first != nil {
		return *first
	}
	var all []*scopeError
	for e := s.errs.Load(); e != nil; e = e.next {
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b *scopeError) int { return cmp.Compare(a.at, b.at) })
	var errs []error
	for _, e := range all {
		errs = append(errs, e.err)
	}
	return errors.Join(errs...)
}
