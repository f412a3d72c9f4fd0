package workers

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/frameslice/frameslice/deadline"
)

// A Group is a Scope that begins in one place and ends in another: functions that are spawned one by one, perhaps over
// several frames, and awaited together, as with errgroup. Its jobs are also there for RunUntil.
//
// A goroutine that must not wait, as a frame's, has a job wait for the group:
//
//	all := workers.Submit(p, deadline.Normal, func() (struct{}, error) { return struct{}{}, g.Wait() })
//
// As many functions run at once as there are workers, and one in Wait. So functions that wait for one another can hang,
// unless they wait in a Job, within Worker.Blocking: see the example. To have fewer at once, use a Stream.
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

	// AllErrors keeps the errors of all functions. No error ends the others' context, and Wait returns all errors,
	// joined in the order in which the functions were spawned. The default (false) is that the first error ends the
	// context, and is returned.
	AllErrors bool
}

// NewGroup returns a Group whose functions get a context that is derived from ctx. The context ends with the first
// error, which is its cause, and with Wait; so Wait must be called. A nil ctx is context.Background. Any goroutine; it
// takes 1 µs.
func (p *Pool) NewGroup(ctx context.Context, o GroupOptions) *Group {
	laneOf(o.Priority)
	g := &Group{done: make(chan struct{})}
	s := &g.scope
	s.pool, s.prio, s.open, s.all = p, o.Priority, true, o.AllErrors
	s.low = p.classes[background].used.Load() > 0 && p.onLowThread()
	s.prepare(ctx)
	return g
}

// Go spawns f, which gets the group's context. It never blocks. It may be called until Wait returns, by the functions
// of the group too. After that it panics. Any goroutine.
func (g *Group) Go(f func(ctx context.Context) error) {
	if f == nil {
		panic("workers: Group.Go of a nil function")
	}
	g.scope.Go(f)
}

// Wait runs the functions that no worker has begun yet, and returns when all have ended: nil, the first error, or all
// errors. If a function panicked Wait panics with the *PanicError. Any goroutine, within a job too, except a function of
// the group. Any number of times: a second call waits for the first, and returns the same.
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

// A scopeError is an error of a group that keeps all.
type scopeError struct {
	at   int64 // the place of its function in the order of Go
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
