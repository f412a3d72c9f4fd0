package workers

import (
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/osthread"
)

// A standback is how background workers make way for a frame that is late. A frame begins with a chain of wake-ups,
// from the swap to the renderer to the game, and most of them land on a processor that runs a background job. The
// system interrupts that at once, nearly always: one in some hundred waits for the next tick of the kernel's clock,
// up to 4 ms, and the frame with it. On a processor that stands idle none does. So background workers begin no job
// while a frame is late: it finds the processors empty as soon as the jobs that run have ended, for the rest of its
// chain.
//
//	N1  due and trail are written by the frame goroutine only: set by ExpectFrame, cleared by BeginFrame.
//	N2  A background worker that is about to run a job of a lane, from due on, naps until BeginFrame has cleared
//	    due, until trail is over, or until it has napped as often as trail allows, whatever the clock says (in
//	    virtual time it stands still).
//	N3  It does so with that job in its hands, not claimed, and counted like a worker that runs one: no searcher, not
//	    in idle.
//
// So a frame that does not come holds nothing up for longer than trail; whoever waits for the job may claim it
// meanwhile, and cancel it; and nothing is stranded: by N3 the worker is to the others one that runs a job, so they
// are woken for what else there is, and hold in their turn. Nobody has to wake it: a frame that began with a system
// call for each worker would pay for what was to help it.
//
// It costs nothing while frames begin in time. What it brings, with it and without it in turns (mode fs-restless of
// the demo), is in ARCHITECTURE.md.
//
// Rejected: to begin no jobs in the last millisecond before the frame is due either, which cost 5 to 7 % of the jobs
// and did no better; to begin none that would not have ended by then, which would cost half a job's length for each
// worker and frame and leave the long ones; to hold the ordinary workers' jobs too (9 and 9 misses in 3,570 frames of
// the window, against 18 and 6 without).
type standback struct {
	due   atomic.Int64 // a deadline.Instant, or 0
	trail atomic.Int64 // ns
	held  atomic.Int64 // ns in all, of all workers together
}

// nap is how often who is held looks whether the frame has begun. The system adds some 50 µs to it.
const nap = 100 * time.Microsecond

// ExpectFrame says when the next frame is due. From then until BeginFrame, but for no longer than trail, background
// workers begin no jobs, so that a frame that is late does not have to share the processors with them. A job that has
// begun is not interrupted. Frames that begin in time pay nothing for it, nor do their jobs; without background
// workers, and with Options.Restless, it does nothing. A trail that is not positive says that no frame is expected.
// The frame goroutine, after EndFrame; 10 ns.
func (p *Pool) ExpectFrame(due deadline.Instant, trail time.Duration) {
	s := &p.standback
	if trail <= 0 || p.opt.Restless {
		due = 0
	}
	s.trail.Store(int64(trail))
	s.due.Store(int64(due))
}

// hold is N2, before a job of a lane.
func (w *Worker) hold() {
	s := &w.pool.standback
	due := s.due.Load()
	if due == 0 {
		return
	}
	from := deadline.Now()
	if !s.covers(due, from) {
		return
	}
	now := from
	for range s.trail.Load()/int64(nap) + 1 {
		osthread.Nap(nap)
		now = deadline.Now()
		if s.due.Load() != due || !s.covers(due, now) || w.pool.state.Load() != running {
			break
		}
	}
	s.held.Add(int64(now.Sub(from)))
}

// covers reports whether now is a time to stand back.
func (s *standback) covers(due int64, now deadline.Instant) bool {
	d := int64(now) - due
	return d >= 0 && d < s.trail.Load()
}
