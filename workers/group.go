package workers

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/frameslice/frameslice/deadline"
)

// A Group is a Scope that begins in one place and ends in another, perhaps some frames later, as with errgroup.
// RunUntil runs its functions, too. A frame goroutine must not wait: have a job call Wait. Functions that wait for one
// another can hang, unless they wait within Blocking, or in a Job within Worker.Blocking: see the example.
type Group struct {
	scope   Scope
	waiting atomic.Bool
	done    chan struct{} // Wait has ended
	err     error         // Wait's result, set before done is closed
}

// GroupOptions configures a Group.
type GroupOptions struct {
	// Priority is the lane of the jobs. The default (zero) value is deadline.Normal.
	Priority deadline.Priority

	// AllErrors keeps the errors of all functions. No error ends the others' context, and Wait returns all errors,
	// joined in the order in which the functions were spawned. The default (false) is that the first error ends the
	// context, and is returned.
	AllErrors bool
}

// NewGroup returns a Group whose functions get a context that is derived from ctx. The context ends with the first
// error, which is its cause, and with Wait; so Wait must be called. NewGroup takes 1 µs.
func (p *Pool) NewGroup(ctx context.Context, o GroupOptions) *Group {
	laneOf(o.Priority)
	g := &Group{done: make(chan struct{})}
	s := &g.scope
	s.pool, s.prio, s.open, s.all = p, o.Priority, true, o.AllErrors
	s.low = p.classes[background].used.Load() > 0 && p.onLowThread()
	s.prepare(ctx)
	return g
}

// Go spawns f with the group's context. It never blocks. The group's functions may call it. It panics after Wait has
// returned.
func (g *Group) Go(f func(ctx context.Context) error) {
	if f == nil {
		panic("workers: Group.Go of a nil function")
	}
	g.scope.Go(f)
}

// Wait runs the functions that no worker has begun, and returns when all have ended: nil, the first error, or all
// errors. A function of the group must not call it. A further call returns the same.
func (g *Group) Wait() error {
	s := &g.scope
	if g.waiting.CompareAndSwap(false, true) {
		defer close(g.done)
		defer s.cancel(nil)
		s.help()
		s.raise()
		g.err = s.err()
	} else {
		s.pool.workerHere().awaitToken(g.done)
		s.raise()
	}
	return g.err
}

// A scopeError is an error of a group that keeps all errors.
type scopeError struct {
	at   int64 // the number of the Go that spawned its function
	err  error
	next *scopeError
}

// keep puts an error into the list, before the job is counted as ended (WS1): so the end of the scope sees it.
func (s *Scope) keep(at int64, err error) {
	e := &scopeError{at: at, err: err}
	for {
		e.next = s.errs.Load()
		if s.errs.CompareAndSwap(e.next, e) {
			return
		}
	}
}

// err returns the error of a scope that has ended: the first, or all.
func (s *Scope) err() error {
	if first := s.first.Load(); first != nil {
		return *first
	}
	var all []*scopeError
	for e := s.errs.Load(); e != nil; e = e.next {
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b *scopeError) int { return cmp.Compare(a.at, b.at) })
	errs := make([]error, len(all))
	for i, e := range all {
		errs[i] = e.err
	}
	return errors.Join(errs...)
}
