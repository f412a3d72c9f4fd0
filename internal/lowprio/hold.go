package lowprio

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/osthread"
)

// A Hold is how background workers make way for a frame that is late. A frame begins with a chain of wake-ups, from the
// swap to the renderer to the game, and most of them land on a processor that runs a background job. Nearly always the
// system interrupts the job at once. But one wake-up in some hundred waits for the next tick of the kernel's clock, up
// to 4 ms, and the frame with it. On an idle processor no wake-up waits. So background workers begin no job while a
// frame is late. When the running jobs have ended, the rest of the frame's chain finds idle processors.
//
// The same helps a garbage collection, which must stop every goroutine. It waits for a background worker's goroutine
// until the system lets that thread run: for a time slice of another thread, or until a processor is free. A collection
// then took 15 ms instead of 3, and the next frame was late. A collection need not wait for a worker that stands back.
//
//	L1  due and trail are written by the frame goroutine only: set by Expect, cleared by FrameBegins. until is written
//	    by Until only.
//	L2  A background worker that is about to run a job of a lane naps while the time is within trail after due, or
//	    before until. The worker counts its naps: it makes at most one more than fit into the time that was left at
//	    the start, so that a clock that stands still cannot hold it.
//	L3  Meanwhile it holds that job without a claim. It counts like a worker that runs a job: it is no searcher, and
//	    not in idle.
//
// So a frame that does not come holds nothing up for longer than trail, and a collection that does not end for no
// longer than until. Meanwhile a goroutine that waits for the job may claim the job, or cancel it. And no job is
// stranded: by L3 the worker looks like a worker that runs a job. So others are woken for other jobs, and stand back in
// their turn. Nobody has to wake the worker: a system call for each worker would make the frame slower.
//
// A Hold costs nothing while frames begin in time. Its effect is in MEASUREMENTS.md.
//
// Rejected: to begin no jobs, either, in the last millisecond before the frame is due. That cost 5 to 7 % of the jobs
// and did no better. Rejected: to begin no job that would not have ended by then. That would cost half a job's length
// for each worker and frame, and leave the long jobs. Rejected: to hold the ordinary workers' jobs too (9 and 9 misses
// in 3,570 frames of the window, against 18 and 6 without).
type Hold struct {
	Clock
	due   atomic.Int64 // a deadline.Instant, or 0
	trail atomic.Int64 // ns
	until atomic.Int64 // a deadline.Instant, or 0
	held  atomic.Int64 // ns in all, of all workers together
}

// A Clock is what a Hold knows of time.
type Clock struct {
	Now func() deadline.Instant
	Nap func(left, passed time.Duration) // some of the time that is left
}

// nap is how often a held worker looks whether the frame has begun. The system adds about 50 µs to it.
const nap = 100 * time.Microsecond

// NewClock returns the system's clock, or that of a testing/synctest bubble. In a bubble an hour would be 36 million
// naps, each of which the test waits for. So there the naps grow with the time that has passed.
func NewClock(bubble bool) Clock {
	c := Clock{deadline.Now, func(_, _ time.Duration) { osthread.Nap(nap) }}
	if bubble {
		c.Nap = func(left, passed time.Duration) { time.Sleep(min(max(nap, passed/16), left)) }
	}
	return c
}

// Expect says when the next frame is due. From then until FrameBegins, but at most for trail, background workers begin
// no jobs. A trail that is not positive says that no frame is expected. The frame goroutine.
func (s *Hold) Expect(due deadline.Instant, trail time.Duration) {
	if trail <= 0 {
		due = 0
	}
	s.trail.Store(int64(trail))
	s.due.Store(int64(due))
}

// FrameBegins ends what Expect has begun. The frame goroutine.
func (s *Hold) FrameBegins() { s.due.Store(0) }

// Until has background workers begin no job until then. The zero Instant ends it.
func (s *Hold) Until(then deadline.Instant) { s.until.Store(int64(then)) }

// On reports whether somebody may have to wait.
func (s *Hold) On() bool { return s.due.Load() != 0 || s.until.Load() != 0 }

// Held returns how long all workers together have waited.
func (s *Hold) Held() time.Duration { return time.Duration(s.held.Load()) }

// Wait sleeps while background workers are to stand back, before a job of a lane (L2). It ends early when open returns
// false.
func (s *Hold) Wait(open func() bool) {
	from := s.Now()
	left := s.holdLeft(from)
	if left <= 0 {
		return
	}
	now := from
	for range left/nap + 1 {
		s.Nap(left, now.Sub(from))
		now = s.Now()
		if left = s.holdLeft(now); left <= 0 || !open() {
			break
		}
	}
	s.held.Add(int64(now.Sub(from)))
}

// holdLeft returns how much longer to stand back: zero or less means not at all.
func (s *Hold) holdLeft(now deadline.Instant) time.Duration {
	var left time.Duration // zero, and not a time from 0 on: in a testing/synctest bubble now is long before that
	if until := deadline.Instant(s.until.Load()); until != 0 {
		left = until.Sub(now)
	}
	if due := deadline.Instant(s.due.Load()); due != 0 {
		if late := now.Sub(due); late >= 0 {
			left = max(left, time.Duration(s.trail.Load())-late)
		}
	}
	return left
}
