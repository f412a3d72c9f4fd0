package workers

import (
	"context"

	"github.com/frameslice/frameslice/deadline"
)

// A Seat is where one goroutine runs jobs again and again: the frame goroutine, in what each frame has left.
// Its RunUntil is the pool's and its Wait a Job's, without the allocations, because it keeps the coroutine that jobs
// run on from one call to the next. That has a condition, which those, callable from anywhere, cannot make:
//
// All calls come from one goroutine, or from several that are not locked to a thread, one at a time; and a
// goroutine that was locked to its thread at the first call stays so, as one that was not is not locked later.
// Otherwise the Go runtime ends the process (internal/carrier).
//
// The zero Seat is not ready: see Pool.Seat.
type Seat struct {
	pool *Pool
	h    *caller // nil until there is a job to run, and after Close
}

// Seat returns a new Seat. It costs nothing until it runs a job. Any goroutine.
func (p *Pool) Seat() *Seat { return &Seat{pool: p} }

// RunUntil does what Pool.RunUntil does. It takes about 60 ns if nothing is queued, and some 100 ns and no
// allocation if there is something to run, plus 150 ns for each job.
func (s *Seat) RunUntil(d deadline.Deadline) (ran int) {
	p := s.pool
	if p.state.Load() == gone || !p.anyQueued() {
		return 0
	}
	p.enter()
	defer p.leave() // deferred, as OnPanic may panic
	s.sit()
	s.h.w.until = d
	return s.h.drain(d)
}

// Wait does what Job.Wait does, with the same errors. If it runs j itself it does not allocate, and takes 0.3 µs with
// the Submit instead of 0.7. It is not for use within a job, but for one that the seat runs; there, and for another
// pool's job, it is Job.Wait.
func (s *Seat) Wait(ctx context.Context, j *Job) error {
	if s.mayRun(ctx, j) {
		s.takeBack(j)
	}
	return j.Wait(ctx)
}

// mayRun reports whether Wait may run j here. Within a job that the seat runs it is for Job.Wait to find out.
func (s *Seat) mayRun(ctx context.Context, j *Job) bool {
	return State(j.state.Load()) == Queued && j.pool == s.pool &&
		(ctx == nil || ctx.Done() == nil) && (s.h == nil || !s.h.c.Busy())
}

// takeBack runs j, unless somebody else has begun it.
func (s *Seat) takeBack(j *Job) {
	p := s.pool
	p.enter()
	defer p.leave()
	if at := j.Priority.Lane(); p.claimBack(j) {
		p.leftBehind(at, 1)
		s.sit()
		s.h.runClaimed(j)
	}
}

// sit sees to it that there is a caller.
func (s *Seat) sit() {
	if s.h == nil {
		s.h = s.pool.borrow()
	}
}

// Close ends the coroutine. The seat's goroutine calls it, not from within a job; the seat may be used again.
func (s *Seat) Close() {
	if s.h != nil {
		s.pool.giveBack(s.h)
		s.h = nil
	}
}
