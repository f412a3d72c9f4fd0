package load

import (
	"container/list"
	"fmt"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/fault"
	"github.com/frameslice/frameslice/scheduler"
)

// State says where a Request stands.
type State uint32

// The states. All but Pending are final.
const (
	Pending  State = iota // not committed yet
	Loaded                // committed with a value
	Failed                // committed with an error, or the commit panicked or called Goexit
	Canceled              // never committed

	committing // the commit runs: Pending for all but Cancel
)

// String returns the state's name in lower case.
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
	return fmt.Sprintf("State(%d)", uint32(s))
}

// Request is one request of a Loader. Any goroutine may call its methods. A coroutine waits by scheduler.Await.
type Request struct {
	state atomic.Uint32
	life  life // the scheduler's
	count *counters
	over  ending
	wish  atomic.Int32 // the priority that the request is to have
	in    interface {  // the generic request around this one
		canceled()
		reranked()
		what() string
	}
}

// Cancel prevents the commit, and reports whether this call did. If no other request wants the key, its decode is
// canceled too. Cancel never blocks.
func (r *Request) Cancel() bool {
	if r.life.Err() != nil || !r.mark() { // the loop's Close has canceled it
		return false
	}
	r.in.canceled()
	return true
}

// String returns "the load of" and the key, or "the load by" and the label if the key is a struct{}. Task.Why uses it.
func (r *Request) String() string { return r.in.what() }

func (r *Request) mark() bool {
	ok := r.state.CompareAndSwap(uint32(Pending), uint32(Canceled))
	if ok {
		r.count.canceled.Add(1)
		r.over.end(scheduler.ErrCanceled)
	}
	return ok
}

// SetPriority changes the priority of the decode and commit, and reports whether the request was pending. A decode that
// has begun continues. A shared decode has the highest priority of its requests. SetPriority never blocks. It panics if
// p is invalid.
func (r *Request) SetPriority(p deadline.Priority) bool {
	if !p.Valid() {
		panic("load: Request.SetPriority to an invalid " + p.String())
	}
	if r.State() != Pending {
		return false
	}
	if wish := int32(p); r.wish.Load() != wish && r.wish.Swap(wish) != wish {
		r.in.reranked()
	}
	return true
}

// State returns where the request stands.
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
	ld       *Loader[K, T]
	key      K
	commit   func(T, error)
	done     <-chan struct{} // of the context; nil without one
	stop     func() bool     // ends the watch of the context; written before begin is posted
	task     scheduler.Task  // the commit
	decode   *decoding[K, T] // from begin to the commit
	priority deadline.Priority
	place    *list.Element // in decode.wanted
}

// begin joins a decode, or starts one.
func (r *request[K, T]) begin() {
	if r.checkContext(); r.State() == Canceled {
		r.unwatch()
		return
	}
	ld := r.ld
	d := ld.decodes[r.key]
	fresh := d == nil || d.ended && d.err != nil
	if fresh {
		d = &decoding[K, T]{ld: ld, key: r.key}
		ld.decodes[r.key] = d
	}
	r.decode = d
	r.place = d.wanted.PushBack(r)
	r.rank(deadline.Priority(r.wish.Load()), 1)
	if d.rerank() {
		ld.startHeld()
	}
	switch {
	case fresh:
		d.start()
	case d.ended:
		ld.s.Submit(&r.task)
	}
}

// rank sets the request's priority, and adds n to the decode's requests of that priority.
func (r *request[K, T]) rank(p deadline.Priority, n int) {
	r.priority = p
	r.decode.wants[p.Lane()] += n
	if n > 0 {
		r.task.Priority = p
		r.task.SetPriority(p) // if it is submitted
	}
}

// reranked tells the loader of another wish.
func (r *request[K, T]) reranked() { r.ld.post(r.rerank) }

// rerank applies the wish. If the request has no decode, begin will do so, or the commit has begun.
func (r *request[K, T]) rerank() {
	if r.decode == nil {
		return
	}
	r.rank(r.priority, -1)
	r.rank(deadline.Priority(r.wish.Load()), 1)
	r.decode.rerank()
	r.ld.startHeld()
}

// longestKey is how many runes of a key are told.
const longestKey = 100

func (r *request[K, T]) what() string {
	if any(r.key) == any(struct{}{}) { // it says nothing
		return "the load by " + r.ld.o.Label
	}
	key := []rune(fmt.Sprint(r.key))
	return "the load of " + string(key[:min(len(key), longestKey)])
}

// canceled tells the loader of the cancellation.
func (r *request[K, T]) canceled() { r.ld.post(r.leaveDecode) }

// checkContext looks at the context itself: the goroutine that watches the context may come late. If an update leaves a
// scene, nothing may be committed to that scene in the same frame.
func (r *request[K, T]) checkContext() {
	select {
	case <-r.done:
		r.mark()
	default:
	}
}

// leaveDecode follows a cancellation. If the request has no decode, begin will see the state, or the commit has begun.
func (r *request[K, T]) leaveDecode() {
	if r.decode != nil {
		r.task.Cancel()
		r.depart()
		if r.ld.held.next() != nil || r.ld.sources.line.next() != nil {
			r.ld.retrySoon() // not at once: the next task may cancel the one that would start
		}
	}
}

// run commits.
func (r *request[K, T]) run() {
	d := r.decode
	value, err := d.value, d.err
	had := d.counted
	if r.depart(); had && !d.counted {
		r.ld.limit.committed(r.ld.l.Frame())
	}
	r.ld.startHeld() // so that the next decode runs beside the commit
	r.checkContext()
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
	d.close()
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

// depart takes the request out of its decode.
func (r *request[K, T]) depart() {
	r.unwatch()
	r.rank(r.priority, -1)
	d := r.decode
	r.decode = nil
	d.wanted.Remove(r.place)
	d.requestLeft()
}

// unwatch ends the watch of the context, on another goroutine because the context's lock may be held.
func (r *request[K, T]) unwatch() {
	if r.stop != nil {
		go r.stop()
		r.stop = nil
	}
}
