package lowprio

import (
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/osthread"
)

// A Crowd is what a pool knows of other programs that keep the processors busy.
//
// Linux's fair scheduler gives a thread of the lowest priority 3 parts in 1027 beside a thread of ordinary priority.
// Its turns take up to 4 ms, so there is one every 1.4 s. A background worker that is kept off within a job keeps its
// P. A garbage collection, or any other stop of the world, waits for it twice. Beside a program that spins on each of
// two processors frames stood still for 1 to 3 s, though no job allocated. So the pool looks for jobs that were kept
// off for long while this process did not use the processors. Background workers then go on with ordinary priority
// until the others have done. The lanes that they serve, and their helpers, stay the same. A thread of the lowest
// priority may not raise itself without a privilege, so the worker goes on with another thread, and the old one ends.
//
//	Y3  The word until is zero while nobody is known to crowd us, else when to judge next. Only begin makes it not
//	    zero, by a compare-and-swap, and only who has moved it on, in the same way, judges. Nobody waits for it.
//
// So a window is judged once, unless somebody takes longer for the verdict than the next window lasts. That, and a
// worker that adds to a window while it is judged, may lose counts. Then one verdict is wrong, for as long as a window.
// How a worker changes threads is in workers/class_low.go.
//
// They have done when the jobs of a window were hardly kept off, or this process itself used the processors. Without
// jobs there is no verdict. A job that runs when all this begins stays where it is.
//
// Measured with nice values instead: the frame's work, p99 and maximum in ms, beside two programs that spin (400 frames
// that allocate 3 MB each). SCHED_IDLE gave 871 and 1816, nice 19 gave 697 and 1594, nice 10 gave 122 and 451. Ordinary
// priority gave 67 and 124, and three times as many jobs.
type Crowd struct {
	until atomic.Int64 // a deadline.Instant, or 0: Y3
	since atomic.Int64 // a deadline.Instant: when the window began
	used  atomic.Int64 // ns: what the process had used up by then
	ran   atomic.Int64 // ns: how long jobs of it took
	lost  atomic.Int64 // ns: and of that were kept off
}

const (
	// keptOff is for how long a job is kept off, and how often as long as it ran, before it means anything. A frame
	// of one's own keeps one off for milliseconds.
	keptOff, keptOffTimes = 100 * time.Millisecond, 8

	// window is after how long background workers may have the lowest priority again.
	window = 3 * time.Second

	// least is what jobs have to have taken in it for a verdict.
	least = 30 * time.Millisecond

	// reading is how old a worker's reading of what the process has used may be when it begins a job.
	reading = 50 * time.Millisecond
)

// On reports whether others crowd us.
func (c *Crowd) On() bool { return c.until.Load() != 0 }

// begin says that others do: a job on a lowered thread that took d was kept off for lost of it, and the process used so
// much of the time on so many processors.
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

// used is what the process has used within some time.
type used struct{ total, part, of time.Duration }

// most reports whether it was most of so many processors.
func (u used) most(processors int) bool { return u.part > u.of/4*3*time.Duration(processors) }

// add is for a job while they do, whatever its thread's priority.
func (c *Crowd) add(d, lost time.Duration) {
	c.ran.Add(int64(d))
	c.lost.Add(int64(lost))
}

// judge ends a window, if it is over, and with it what others do if they have done.
func (c *Crowd) judge(now deadline.Instant, processors int) {
	until := c.until.Load()
	if until == 0 || now.Before(deadline.Instant(until)) || time.Duration(c.ran.Load()) < least {
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
