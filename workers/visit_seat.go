package workers

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/frameslice/frameslice/deadline"
)

// A Seat runs jobs on one goroutine again and again: RunUntil and Wait without their allocations. Create a Seat with
// Pool.Seat.
//
// Call a Seat's methods on one goroutine only, or on several goroutines that are not locked to a thread, one at a time.
// The goroutine must neither lock nor unlock its thread after the first call. Otherwise the Go runtime ends the
// process.
type Seat struct {
	// Wake is called once after each Rest, when there is a job that no worker takes. The default (nil) tells nobody.
	// Set it before the first Rest. It runs on the submitting goroutine, must not block or panic, and must not call the
	// pool.
	Wake func()

	pool  *Pool
	h     *visitor    // nil until there is a job to run, and after Close
	known atomic.Bool // the Seat is in Pool.seats
	rests atomic.Bool // Wake is to be called
}

// Seat returns a new Seat. It costs nothing until it runs a job.
func (p *Pool) Seat() *Seat { return &Seat{pool: p} }

// RunUntil does what Pool.RunUntil does, without allocating: some 100 ns, plus 150 ns for each job.
func (s *Seat) RunUntil(d deadline.Deadline) (ran int) {
	p := s.pool
	if p.state.Load() == gone || !p.anyQueued() {
		if s.h != nil {
			s.h.longest, s.h.longestKind = 0, nil // for LongestOf
		}
		return 0
	}
	p.enter()
	defer p.leave() // deferred, as OnPanic may panic
	s.sit()
	return s.h.drain(d)
}

// Wait does what Job.Wait does. If it runs j itself it does not allocate. Within a job, and for another pool's job, it
// is Job.Wait.
func (s *Seat) Wait(ctx context.Context, j *Job) error {
	if j.at() == queued && j.pool == s.pool && (ctx == nil || ctx.Done() == nil) &&
		(s.h == nil || !s.h.c.Busy()) {
		s.takeBack(j)
	}
	return j.Wait(ctx)
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

// sit borrows a visitor unless the Seat has one.
func (s *Seat) sit() {
	if s.h == nil {
		s.h = s.pool.borrow()
		s.h.w.role = seatRole
	}
}

// Rest has Wake called once: now, if there is a job that no worker takes, or when the next such job comes. Such jobs
// are those of a pool without workers, and those that have yielded. The first Rest allocates.
func (s *Seat) Rest() {
	if s.Wake == nil {
		return
	}
	if s.known.CompareAndSwap(false, true) {
		s.pool.changeSeats(func(all []*Seat) []*Seat { return append(all, s) })
	}
	s.rests.Store(true)
	s.pool.wakeSeats()
}

// Close ends the coroutine, and a Rest. It must not be called within a job. A later RunUntil or Wait opens the Seat
// again.
func (s *Seat) Close() {
	if s.h != nil {
		s.pool.giveBack(s.h)
		s.h = nil
	}
	if s.known.CompareAndSwap(true, false) {
		s.rests.Store(false)
		s.pool.changeSeats(func(all []*Seat) []*Seat {
			return slices.DeleteFunc(all, func(o *Seat) bool { return o == s })
		})
	}
}

// RunUntil runs queued jobs on the calling goroutine, the most urgent lane first, and returns how many it ran. It ends
// when d is reached, or nothing is queued, or four jobs of each lane do not fit. With the zero Deadline it runs all
// that is queued. It must not be called within a job.
//
// A job begins only if its cost fits before d: Job.Cost, or that of earlier runs of its kind.
//
// Beside workers of its lane a job begins only if its kind is never long: at least 256 runs are known, and none of the
// latest 4,096 was longer than the time until d, and than five times the guess. A run with a wait counts with the wait,
// and a long run that is under way counts as well. Linux tells whether other threads kept a run off the processor,
// which does not count. So a call may meet a long run only of a kind of which no worker has met one in so many runs.
//
// Where there are no workers, each call tries one job of a kind that has never run, which may overrun d. There,
// too, a job that has not fitted for 100 ms goes first. Under a CPU quota below one processor a job may be left for
// later.
//
// RunUntil takes about 60 ns if nothing is queued. Otherwise it takes some 700 ns and eight small allocations, plus 150
// ns for each job. A Seat saves the allocations.
func (p *Pool) RunUntil(d deadline.Deadline) (ran int) {
	s := Seat{pool: p}
	defer s.Close() // deferred, as OnPanic may panic
	return s.RunUntil(d)
}
