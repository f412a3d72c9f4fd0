package load

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/frameslice/frameslice/scheduler"
)

// A ending is the end of a Request, and who waits for it. A request ends when its commit has returned (or panicked),
// or when it is canceled, or when the loop's Close finds it pending; that is once, as of these only one changes its
// state, and the last comes when no task runs any more.
//
//   - L5. A function that waits is called once, when the request has ended, and outside of the lock. Who adds one holds
//     the lock, and so does who ends: either the end finds it in the list, or it finds that the request has ended.
//
// wait_model_test.go explores it, with five mutants.
type ending struct {
	mu      sync.Mutex
	ended   bool
	err     error
	waiting []func()
	stop    func() bool // ends the watch of the loop's Close, which begins with the first that waits
}

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

// Notify arranges that f is called, once, when the request has ended: when its commit has returned, or when it has been
// canceled, by the loop's Close for example. That is at once if it has, and otherwise on whatever goroutine ends it
// (for Close one of its own, perhaps just after Close has returned), so f must be short, must not block and must not
// panic. With Result it makes a Request a scheduler.Awaitable: a coroutine waits for it by scheduler.Await. Any
// goroutine; some 100 ns, and an allocation or two.
func (r *Request) Notify(f func()) {
	if f == nil {
		panic("load: Request.Notify of a nil function")
	}
	r.closed() // whose watch, if there is one, may come late
	e := &r.over
	e.mu.Lock()
	if e.ended {
		e.mu.Unlock()
		f()
		return
	}
	e.waiting = append(e.waiting, f)
	if e.stop == nil {
		e.stop = context.AfterFunc(r.life, r.closed)
	}
	e.mu.Unlock()
}

// closed is the end by the loop's Close. A request whose commit has begun ends with that.
func (r *Request) closed() {
	if r.State() == Canceled {
		r.over.end(scheduler.ErrCanceled)
	}
}

// Result returns what the request has come to when it has ended: Loaded, Failed and an error, or Canceled and
// scheduler.ErrCanceled. The error is the last one of the decode. If the commit panicked it is a
// *scheduler.PanicError, and if the commit called runtime.Goexit scheduler.ErrGoexit. Before, and while the commit
// runs, it is Pending and nil. Any goroutine.
func (r *Request) Result() (State, error) {
	r.over.mu.Lock()
	ended, err := r.over.ended, r.over.err
	r.over.mu.Unlock()
	switch s := r.State(); {
	case ended:
		return s, err
	case s == Canceled: // and who has done it is about to end it, or the loop has closed
		return s, scheduler.ErrCanceled
	}
	return Pending, nil
}

// Requests are some that are awaited together: see AllOf.
type Requests struct{ all []*Request }

// AllOf returns the requests as one scheduler.Awaitable, of one Loader or of several: what a scene is made of, for a
// coroutine that goes on when all is there. None is an end at once. It panics if a request is nil.
func AllOf(requests ...*Request) *Requests {
	if slices.Contains(requests, nil) {
		panic("load: AllOf with a nil Request")
	}
	return &Requests{all: slices.Clone(requests)}
}

// Notify arranges that f is called, once, when all have ended: see Request.Notify, which it calls for each.
func (a *Requests) Notify(f func()) {
	if f == nil {
		panic("load: Requests.Notify of a nil function")
	}
	var left atomic.Int64 // who takes the last one calls f
	left.Store(int64(len(a.all)) + 1)
	one := func() {
		if left.Add(-1) == 0 {
			f()
		}
	}
	for _, r := range a.all {
		r.Notify(one)
	}
	one() // only now, lest those that have ended be taken for all
}

// Result returns how many of them have ended and how, without bytes and attempts, and the error of the first, in the
// order of AllOf, that has failed; if none has, scheduler.ErrCanceled if some were canceled, here by Close, too. Any
// goroutine; before all have ended it is a moment's view.
func (a *Requests) Result() (Progress, error) {
	p := Progress{Total: len(a.all)}
	var failed, canceled error
	for _, r := range a.all {
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
