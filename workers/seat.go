package workers

import "github.com/frameslice/frameslice/deadline"

// A Seat is where one goroutine runs jobs again and again: the frame goroutine, in what each frame has left.
// Its RunUntil is the pool's without the allocations, because it keeps the coroutine that jobs run on from one
// call to the next. That has a condition, which the pool's own RunUntil, callable from anywhere, cannot make:
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
	if s.h == nil {
		s.h = p.borrow()
	} else {
		p.lent.Add(1)
	}
	defer p.lent.Add(-1)
	s.h.w.until = d
	return s.h.drain(d)
}

// Close ends the coroutine. The seat's goroutine calls it, not from within a job; the seat may be used again.
func (s *Seat) Close() {
	if s.h != nil {
		s.pool.lent.Add(1)
		s.pool.giveBack(s.h)
		s.h = nil
	}
}
