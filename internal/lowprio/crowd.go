package lowprio

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/osthread"
)

// A Crowd is what a pool knows of other programs that keep the processors busy.
//
// Linux's fair scheduler gives a thread of the lowest priority 3 parts in 1027 beside a thread of ordinary priority.
// Its turns take up to 4 ms, so there is one every 1.4 s. A background worker that is kept off the processor within a
// job keeps its P. A garbage collection, or any other stop of the world, waits for it twice. Beside a program that
// spins on each of two processors frames stood still for 1 to 3 s, though no job allocated. So the pool looks for jobs
// that were kept off for long while this process did not use the processors. Background workers then continue with
// ordinary priority until the crowd is over. The lanes that they serve, and their helpers, stay the same. A thread of
// the lowest priority may not raise itself without a privilege, so the worker continues with another thread, and the
// old one ends.
//
//	Y3  The word until is zero while no program is known to crowd us, else the time of the next verdict. Only begin
//	    makes it not zero, by a compare-and-swap. Only the worker that has moved it on, in the same way, judges.
//	    Nobody waits.
//
// crowd_explore_test.go runs Y3.
//
// So a window is judged once, unless a worker takes longer for the verdict than the next window lasts. Then counts may
// be lost, as when a worker adds to a window that is being judged. One verdict is then wrong, for as long as a window.
// How a worker changes threads is in workers/class_low.go.
//
// The crowd is over when the jobs of a window were hardly kept off, or this process itself used the processors. Without
// jobs there is no verdict. A job that runs when the crowd is noticed stays on its thread.
//
// Measured with nice values instead: the frame's work, p99 and maximum in ms, beside two programs that spin (400 frames
// that allocate 3 MB each). SCHED_IDLE gave 871 and 1816, nice 19 gave 697 and 1594, nice 10 gave 122 and 451. Ordinary
// priority gave 67 and 124, and three times as many jobs.
type Crowd struct {
	until atomic.Int64 // a deadline.Instant, or 0: Y3
	since atomic.Int64 // a deadline.Instant: when the window began
	used  atomic.Int64 // ns: what the process had used up by then
	ran   atomic.Int64 // ns: how long the window's jobs took
	lost  atomic.Int64 // ns: how long of that they were kept off
}

const (
	// A job counts only if it was kept off for keptOff, and for keptOffTimes as long as it ran. The program's own frame
	// keeps a job off for milliseconds.
	keptOff, keptOffTimes = 100 * time.Millisecond, 8

	// window is how long background workers have ordinary priority before the next verdict.
	window = 3 * time.Second

	// least is how long the jobs of a window must have taken for a verdict.
	least = 30 * time.Millisecond

	// reading is how old a worker's Reading may be when it begins a job.
	reading = 50 * time.Millisecond
)

// On reports whether other programs crowd us.
func (c *Crowd) On() bool { return c.until.Load() != 0 }

// begin begins a crowd, if a job on a lowered thread shows one. The job took d and was kept off for lost of it.
// Meanwhile the process used own of the time of so many processors.
func (c *Crowd) begin(now deadline.Instant, d, lost time.Duration, own used, processors int) {
	if lost < keptOff || lost < keptOffTimes*(d-lost) || own.most(processors) || c.On() {
		return
	}
	c.since.Store(int64(now))
	c.used.Store(int64(own.total))
	c.ran.Store(0)
	c.lost.Store(0)
	c.until.CompareAndSwap(0, int64(now.Add(window)))
}

// Until says that others crowd us until then, or if it is zero that they do not. It is for tests.
func (c *Crowd) Until(then deadline.Instant) { c.until.Store(int64(then)) }

// A Reading is what a worker knows of the processor time that the process has used.
type Reading struct {
	at    deadline.Instant // or 0
	total time.Duration
}

// Refresh is called before a job that is metered.
func (r *Reading) Refresh(now deadline.Instant) {
	if since := now.Sub(r.at); r.at == 0 || since < 0 || since >= reading {
		r.at = now
		r.total, _ = osthread.ProcessTime()
	}
}

// Ran is called after a job on a background worker that took d, of which it was kept off for lost. lowered says whether
// its thread had the lowest priority, and processors how many the process may use.
func (c *Crowd) Ran(now deadline.Instant, d, lost time.Duration, r *Reading, lowered bool, processors int) {
	switch {
	case c.On():
		c.add(d, lost)
		c.judge(now, processors)
	case lost >= keptOff && lowered:
		if total, err := osthread.ProcessTime(); err == nil {
			c.begin(now, d, lost, used{total, total - r.total, now.Sub(r.at)}, processors)
		}
	}
}

// used is the processor time that the process has used within some time.
type used struct{ total, part, of time.Duration }

// most reports whether it was most of the time of so many processors.
func (u used) most(processors int) bool { return u.part > u.of/4*3*time.Duration(processors) }

// add counts a job while others crowd us, whatever its thread's priority.
func (c *Crowd) add(d, lost time.Duration) {
	c.ran.Add(int64(d))
	c.lost.Add(int64(lost))
}

// judge ends a window, if it is over, and then perhaps the crowd.
func (c *Crowd) judge(now deadline.Instant, processors int) {
	until := c.until.Load()
	if until == 0 || now < deadline.Instant(until) || time.Duration(c.ran.Load()) < least {
		return
	}
	next := int64(now.Add(window))
	if !c.until.CompareAndSwap(until, next) {
		return
	}
	total, _ := osthread.ProcessTime()
	own := used{part: total - time.Duration(c.used.Swap(int64(total)))}
	own.of = now.Sub(deadline.Instant(c.since.Swap(int64(now))))
	ran, lost := c.ran.Swap(0), c.lost.Swap(0)
	if lost < ran/4 || own.most(processors) {
		c.until.CompareAndSwap(next, 0)
	}
}
