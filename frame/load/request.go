package load

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/frameslice/frameslice/internal/fault"
	"github.com/frameslice/frameslice/scheduler"
)

// State says where a Request stands.
type State uint32

// The states. A request is Pending until it is one of the others, which are final.
const (
	Pending  State = iota // on its way
	Loaded                // committed with a value
	Failed                // committed with the last error, or the commit panicked or called Goexit
	Canceled              // never committed

	committing // the commit runs: Pending for all but Cancel
)

// String returns the state in lower case.
func (s State) String() string {
	switch s {
	case Pending:
		return "pending"
	case Loaded:
		return "loaded"
	case Failed:
		return "failed"
	case Canceled:
		return "canceled"
	}
	return fmt.Sprintf("LoadState(%d)", uint32(s))
}

// Request is one request of a Loader. Its methods may be called from any goroutine.
type Request struct {
	state atomic.Uint32
	life  context.Context // the scheduler's
	count *counters
	over  ending
	wish  atomic.Uint32 // the urgency that it is to have
	in    interface {   // the request of which this is a part; it tells the loader
		canceled()
		ranked()
	}
}

type requestPointer = atomic.Pointer[Request]

// Cancel prevents the commit, and reports whether this call did: false means that it has begun, or was
// canceled before, by the loop's Close for example. If nobody else wants the key, its decode is canceled too. It never
// blocks.
func (r *Request) Cancel() bool {
	if r.life.Err() != nil || !r.mark() { // the loop's Close has canceled it
		return false
	}
	r.in.canceled()
	return true
}

func (r *Request) mark() bool {
	ok := r.state.CompareAndSwap(uint32(Pending), uint32(Canceled))
	if ok {
		r.count.canceled.Add(1)
		r.over.end(scheduler.ErrCanceled)
	}
	return ok
}

// State returns where the request stands. It is Pending until its commit has returned.
func (r *Request) State() State {
	switch s := State(r.state.Load()); {
	case s == Pending && r.life.Err() != nil:
		return Canceled
	case s != committing:
		return s
	}
	return Pending
}

// request is a Request of a certain Loader. Its methods run in tasks.
type request[K comparable, T any] struct {
	Request
	ld     *Loader[K, T]
	key    K
	commit func(T, error)
	done   <-chan struct{} // of the context
	stop   func() bool     // ends the watch of the context; both are written before begin is posted
	task   scheduler.Task
	flight *flight[K, T]
	slot   *Slot   // if that is to Finish
	rank   urgency // that the flight knows of

	next, prev *request[K, T] // in the flight
}

// requests are those of a flight, in the order in which they began: a list, so that thousands that leave one by one
// cost the same each.
type requests[K comparable, T any] struct{ first, last *request[K, T] }

func (l *requests[K, T]) add(r *request[K, T]) {
	if r.prev = l.last; r.prev != nil {
		r.prev.next = r
	} else {
		l.first = r
	}
	l.last = r
}

// remove takes out one that was added.
func (l *requests[K, T]) remove(r *request[K, T]) {
	if r.prev != nil {
		r.prev.next = r.next
	} else {
		l.first = r.next
	}
	if r.next != nil {
		r.next.prev = r.prev
	} else {
		l.last = r.prev
	}
	r.next, r.prev = nil, nil
}

// begin joins a flight, or starts one.
func (r *request[K, T]) begin() {
	if r.heed(); r.State() == Canceled {
		r.unwatch()
		return
	}
	var instead slotted
	if r.slot != nil {
		ok := false
		if instead, ok = r.enter(); !ok {
			return
		}
	}
	ld := r.ld
	f := ld.flights[r.key]
	fresh := f == nil || f.ended && f.err != nil
	if fresh {
		ld.seq++
		f = &flight[K, T]{ld: ld, key: r.key, seq: ld.seq}
		if old, ok := instead.(*request[K, T]); ok && old.ld == ld {
			f.seq = old.flight.seq
		}
		ld.flights[r.key] = f
	}
	r.join(f)
	switch {
	case fresh:
		f.start()
	case f.ended:
		ld.s.Submit(&r.task)
	}
	if instead != nil {
		instead.giveWay() // now, so that a shared decode goes on
	}
}

// canceled has the loader hear of it.
func (r *request[K, T]) canceled() { r.ld.post(r.leave) }

// heed looks at the context itself: the goroutine that watches it may come late, and what ends a scene in its update
// must not find it committed to in the same frame.
func (r *request[K, T]) heed() {
	select {
	case <-r.done: // without a context it is nil
		r.mark()
	default:
	}
}

// leave is what follows a cancellation. A request that has no flight has not begun, and then begin sees it, or
// it has departed.
func (r *request[K, T]) leave() {
	if r.flight != nil {
		r.task.Cancel()
		r.depart()
		if len(r.ld.held) > 0 {
			r.ld.await(0) // after what is canceled with it, as that may be what is held
		}
	}
}

// run commits.
func (r *request[K, T]) run() {
	f := r.flight
	value, err := f.value, f.err
	had := f.ahead
	if r.depart(); had && !f.ahead {
		r.ld.places.committed(r.ld.l.Frame())
	}
	r.ld.unhold() // so that the next decode is beside the commit
	r.heed()
	if !r.state.CompareAndSwap(uint32(Pending), uint32(committing)) {
		return
	}
	returned := false
	defer func() {
		var pe *scheduler.PanicError
		if !returned {
			err = scheduler.ErrGoexit
			if pe = fault.Capture(r.task.Label, recover()); pe != nil {
				err = pe
			}
		}
		r.committed(err)
		if pe != nil {
			panic(pe) // the task has failed as well
		}
	}()
	f.retire()
	r.commit(value, err)
	returned = true
}

// committed ends a request whose commit has begun.
func (r *Request) committed(err error) {
	s, n := Loaded, &r.count.loaded
	if err != nil {
		s, n = Failed, &r.count.failed
	}
	n.Add(1)
	r.state.Store(uint32(s))
	r.over.end(err)
}

// depart takes the request out of its flight.
func (r *request[K, T]) depart() {
	r.unwatch()
	if f := r.flight; f != nil {
		r.flight = nil
		f.drop(r)
		r.vacant()
	}
}

// unwatch ends the watch of the context: elsewhere, because it takes the context's lock.
func (r *request[K, T]) unwatch() {
	if r.stop != nil {
		go r.stop()
		r.stop = nil
	}
}
