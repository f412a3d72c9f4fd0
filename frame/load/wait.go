package load

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/scheduler"
)

// ending is the end of a Request, and the functions that wait for that end. A request ends when its commit has returned
// or panicked, when it is canceled, or when the loop's Close finds it pending. Only one of the three changes the state,
// so the end comes once.
//
//   - L5. A function that waits is called once, when the request has ended, and without the lock. Notify adds a
//     function under the lock, and end takes the list under the lock. So either end finds the function in the list, or
//     Notify finds that the request has ended.
//
// wait_explore_test.go runs L5.
type ending struct {
	mu      atomic.Mutex
	ended   bool
	err     error
	waiting []func()
	stop    func() bool // ends the watch of the loop's Close, which begins with the first Notify
}

// A life ends with the loop's Close.
type life interface {
	Err() error
	AfterFunc(f func()) (stop func() bool) // as of package context
}

// lifeOf is the life of a scheduler, by its Context.
type lifeOf struct{ context.Context }

func (l lifeOf) AfterFunc(f func()) (stop func() bool) { return context.AfterFunc(l.Context, f) }

// end ends the request. The first call counts.
func (e *ending) end(err error) {
	e.mu.Lock()
	if e.ended {
		e.mu.Unlock()
		return
	}
	e.ended, e.err = true, err
	waiting, stop := e.waiting, e.stop
	e.waiting, e.stop = nil, nil
	e.mu.Unlock()
	if stop != nil {
		stop()
	}
	for _, f := range waiting {
		f()
	}
}

// Notify calls f once, when the request has ended: at once, or on the goroutine that ends it. f must not block or
// panic. Notify and Result make a Request a scheduler.Awaitable.
func (r *Request) Notify(f func()) {
	if f == nil {
		panic("load: Request.Notify of a nil function")
	}
	r.closed() // the watch may come late
	e := &r.over
	e.mu.Lock()
	if e.ended {
		e.mu.Unlock()
		f()
		return
	}
	e.waiting = append(e.waiting, f)
	if e.stop == nil {
		e.stop = r.life.AfterFunc(r.closed)
	}
	e.mu.Unlock()
}

// closed ends the request if the loop's Close has canceled it. A commit that has begun ends its request itself.
func (r *Request) closed() {
	if r.State() == Canceled {
		r.over.end(scheduler.ErrCanceled)
	}
}

// Result returns the state and the last error of decode. The error is a *scheduler.PanicError if the commit panicked,
// scheduler.ErrGoexit after a Goexit, and scheduler.ErrCanceled if the request was canceled. Before the end, Result
// returns Pending and nil.
func (r *Request) Result() (State, error) {
	r.over.mu.Lock()
	ended, err := r.over.ended, r.over.err
	r.over.mu.Unlock()
	switch s := r.State(); {
	case ended:
		return s, err
	case s == Canceled: // its end is about to come
		return s, scheduler.ErrCanceled
	}
	return Pending, nil
}

// AllOf returns an Awaitable that ends when all requests, of any Loaders, have ended. The result counts how they ended.
// The error is that of the first failed request in the order of the arguments. If none failed and some were canceled,
// the error is scheduler.ErrCanceled. AllOf panics if a request is nil.
func AllOf(requests ...*Request) scheduler.Awaitable[Progress] {
	if slices.Contains(requests, nil) {
		panic("load: AllOf with a nil Request")
	}
	return allOf(slices.Clone(requests))
}

// allOf is what AllOf returns.
type allOf []*Request

// String tells how many have not ended yet, and names the first one.
func (a allOf) String() string {
	left, first := 0, ""
	for _, r := range a {
		if s, _ := r.Result(); s == Pending {
			if left++; left == 1 {
				first = r.String()
			}
		}
	}
	text := fmt.Sprintf("%d of %d loads", left, len(a))
	if left > 0 {
		text += ", such as " + strings.TrimPrefix(first, "the load of ")
	}
	return text
}

// Notify calls f when all have ended.
func (a allOf) Notify(f func()) {
	if f == nil {
		panic("load: AllOf: Notify of a nil function")
	}
	var left atomic.Int64
	left.Store(int64(len(a)) + 1)
	one := func() {
		if left.Add(-1) == 0 {
			f()
		}
	}
	for _, r := range a {
		r.Notify(one)
	}
	one() // the extra one: requests that have ended already must not end the count
}

// Result counts how the requests have ended so far.
func (a allOf) Result() (Progress, error) {
	p := Progress{Total: len(a)}
	var failed, canceled error
	for _, r := range a {
		switch s, err := r.Result(); s {
		case Loaded:
			p.Loaded++
		case Failed:
			p.Failed++
			if failed == nil {
				failed = err
			}
		case Canceled:
			p.Canceled++
			canceled = err
		}
	}
	if failed != nil {
		return p, failed
	}
	return p, canceled
}
