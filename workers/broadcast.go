package workers

import (
	"reflect"
	"sync/atomic"

	"github.com/frameslice/frameslice/deadline"
)

// A broadcast is one call of Broadcast: a job for each worker, which are bound to them.
//
// left counts the shares that have not ended, and is set before the first is delivered; whoever lowers it to zero
// ends the future. A share ends once, since its job does.
type broadcast struct {
	future *Future[int]
	f      func(w *Worker)
	shares []share
	left   atomic.Int64
	ran    atomic.Int64
	first  atomic.Pointer[error]
}

// A share is one worker's part of a broadcast.
type share struct {
	job Job
	of  *broadcast
}

// Broadcast calls f once on each worker that the pool has now, ordinary, background and spare, as soon as it has
// ended the job that it runs, or waits in one (see SubmitTo). So it is there to prepare what workers have of their
// own, or to collect it: f gets the Worker, which says which one it is. The future ends when all calls have, with the
// number of those that returned, and the first error of the others: a *PanicError, ErrGoexit, or, if the pool was
// closed meanwhile, ErrClosed. On a pool without workers it is 0 at once. The future cannot be
// canceled.
//
// Any goroutine may call it, within a job too, where Wait for the future runs the share of its own worker. What f may
// wait for is said at SubmitTo. It never blocks, and allocates. It wakes every worker that sleeps, by a system call
// each where Stats.Park says so: it is not for every frame.
func (p *Pool) Broadcast(f func(w *Worker)) *Future[int] {
	if f == nil {
		panic("workers: Broadcast of a nil function")
	}
	u := new(Future[int])
	u.job.exec, u.job.pool = u, p
	u.job.state.Store(uint32(Running))
	if p.state.Load() != running {
		u.job.finish(ErrClosed)
		return u
	}
	var to []*Worker
	for i := range p.crews {
		c := &p.crews[i]
		for k := range min(c.want.Load(), c.used.Load()) {
			to = append(to, c.slots[k].Load())
		}
	}
	if len(to) == 0 {
		u.job.finish(nil)
		return u
	}
	b := &broadcast{future: u, f: f, shares: make([]share, len(to))}
	b.left.Store(int64(len(to)))
	for i, w := range to {
		s := &b.shares[i]
		s.of = b
		s.job.Label = "Broadcast"
		s.job.Priority = deadline.UserBlocking
		s.job.exec = s
		s.job.prepareAs(p, nil, w.boundState())
		w.deliver(jobItem(&s.job))
	}
	return u
}

func (s *share) exec(w *Worker) {
	s.of.f(w)
	s.of.ran.Add(1)
}

// settle ends a share.
func (s *share) settle(err error) {
	b := s.of
	if err != nil {
		b.first.CompareAndSwap(nil, &err)
	}
	if b.left.Add(-1) > 0 {
		return
	}
	b.f = nil
	b.future.val = int(b.ran.Load())
	var all error
	if first := b.first.Load(); first != nil {
		all = *first
	}
	b.future.job.finish(all)
}

func (s *share) entry() uintptr { return reflect.ValueOf(s.of.f).Pointer() }
