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

// changeSeats replaces the list of every Seat that has rested. A list never changes.
func (p *Pool) changeSeats(f func(all []*Seat) []*Seat) {
	for {
		old := p.seats.Load()
		var all []*Seat
		if old != nil {
			all = slices.Clone(*old)
		}
		list := &all
		if all = f(all); len(all) == 0 {
			list = nil
		}
		if p.seats.CompareAndSwap(old, list) {
			return
		}
	}
}

// wakeSeats calls Wake of every Seat that rests, if there is a job that no worker takes.
//
// The protocol is Dekker's.
//
//	O1  A submitter makes its job visible, and then looks whether a Seat rests.
//	O2  A Seat first rests, and then looks whether a job is visible. Its goroutine sleeps only after that.
//	O3  A goroutine that finds both ends the rest by a compare-and-swap, and calls Wake if the swap succeeded.
//
// Claim: no goroutine sleeps over a job while its Seat rests. Either the job became visible before the look of O2,
// which then found the job. Or the job became visible later, so after the Seat rested, and the look of O1 found the
// Seat. The goroutine that found both calls Wake by O3, unless the job was taken meanwhile. ∎
//
// Wake must also end a sleep that has not begun yet. A job behind another submitter's half-filled slot becomes visible
// with that slot, and that submitter looks afterwards. A job may have had workers when its submitter looked. If the
// last worker leaves without the job (E3), that worker looks.
func (p *Pool) wakeSeats() {
	all := p.seats.Load()
	if all == nil {
		return
	}
	for _, s := range *all {
		if s.rests.Load() && p.anyOrphan() && s.rests.CompareAndSwap(true, false) {
			s.Wake()
		}
	}
}

// anyOrphan reports whether there is a job that no worker takes.
func (p *Pool) anyOrphan() bool {
	for at := range p.lanes {
		if p.orphaned(at, false) {
			return true
		}
	}
	return false
}
