package workers

import (
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/osthread"
)

// A crowd is what a pool knows of other programs that keep the processors busy.
//
// Linux's fair scheduler gives a thread of the lowest priority 3 parts in 1027 beside a thread of ordinary priority.
// Its turns take up to 4 ms, so there is one every 1.4 s. A background worker that is kept off within a job keeps its
// P. A garbage collection, or any other stop of the world, waits for it twice. Beside a program that spins on each of
// two processors frames stood still for 1 to 3 s, though no job allocated. So the pool looks for jobs that were kept
// off for long while this process did not use the processors. Background workers then go on with ordinary priority
// until the others have done. The lanes that they serve, and their helpers, stay the same. A thread of the lowest
// priority may not raise itself without a privilege, so the worker goes on with another thread, and the old one ends.
//
//	Y1  Only one goroutine at a time is a worker's: it changes threads between two jobs, with what it has taken in its
//	    hands (carried), and touches nothing of its own after it has started the other, as after a Goexit (rescue).
//	Y2  A worker compares its thread with the pool's mind after it has taken something, before it begins it, so a job
//	    begins on a thread of the lowest priority only if nobody had known of others until then, or until it stood
//	    back (N2). One that goes on elsewhere looks at nothing, Close's word included, before it has done with what it
//	    carries.
//	Y3  The word until is zero while nobody is known to crowd us, else when to judge next. Only begin makes it not
//	    zero, by a compare-and-swap, and only who has moved it on, in the same way, judges. Nobody waits for it.
//
// So nothing is lost by who changes threads: what it carries is begun, or ended where the pool is gone, by the
// goroutine that comes after. And a window is judged once, unless somebody takes longer for it than the next window
// lasts. That, and a worker that adds to a window while it is judged, may lose counts. Then one verdict is wrong, for
// as long as a window, but no job is lost.
//
// They have done when the jobs of a window were hardly kept off, or this process itself used the processors. Without
// jobs there is no verdict. A job that runs when all this begins stays where it is.
//
// Measured with nice values instead: the frame's work, p99 and maximum in ms, beside two programs that spin (400 frames
// that allocate 3 MB each). SCHED_IDLE gave 871 and 1816, nice 19 gave 697 and 1594, nice 10 gave 122 and 451. Ordinary
// priority gave 67 and 124, and three times as many jobs.
type crowd struct {
	able  bool         // set before there are workers
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

	// crowdWindow is after how long background workers may have the lowest priority again.
	crowdWindow = 3 * time.Second

	// crowdLeast is what jobs have to have taken in it for a verdict.
	crowdLeast = 30 * time.Millisecond

	// crowdReading is how old a worker's reading of what the process has used may be when it begins a job.
	crowdReading = 50 * time.Millisecond
)

// mayCrowd reports whether the workers may change threads.
func (p *Pool) mayCrowd() bool {
	_, err := osthread.ProcessTime()
	return err == nil && !p.virtual && p.lowest == osthread.Batch
}

// on reports whether others crowd us.
func (c *crowd) on() bool { return c.until.Load() != 0 }

// begin says that others do: a job on a lowered thread that took d was kept off for lost of it, and the process used so
// much of the time on so many processors.
func (c *crowd) begin(now deadline.Instant, d, lost time.Duration, own used, processors int) {
	if lost < keptOff || lost < keptOffTimes*(d-lost) || own.most(processors) || c.on() {
		return
	}
	c.since.Store(int64(now))
	c.used.Store(int64(own.total))
	c.ran.Store(0)
	c.lost.Store(0)
	c.until.CompareAndSwap(0, int64(now.Add(crowdWindow)))
}

// used is what the process has used within some time.
type used struct{ total, part, of time.Duration }

// most reports whether it was most of so many processors.
func (u used) most(processors int) bool { return u.part > u.of/4*3*time.Duration(processors) }

// add is for a job while they do, whatever its thread's priority.
func (c *crowd) add(d, lost time.Duration) {
	c.ran.Add(int64(d))
	c.lost.Add(int64(lost))
}

// judge ends a window, if it is over, and with it what others do if they have done.
func (c *crowd) judge(now deadline.Instant, processors int) {
	until := c.until.Load()
	if until == 0 || now.Before(deadline.Instant(until)) || time.Duration(c.ran.Load()) < crowdLeast {
		return
	}
	next := int64(now.Add(crowdWindow))
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

// processors returns how many the process may use.
func (p *Pool) processors() int { return max(min(len(p.site.mask), p.granted()), 1) }

// A crowding is what a background worker knows for that.
type crowding struct {
	at      deadline.Instant // of the reading, or 0
	total   time.Duration
	carried bool // cur or joined was taken by another goroutine: Y1
}

// before is called before a job that is metered.
func (g *crowding) before(now deadline.Instant) {
	if since := now.Sub(g.at); g.at == 0 || since < 0 || since >= crowdReading {
		g.at = now
		g.total, _ = osthread.ProcessTime()
	}
}

// keptOff is called after it: it took d, and cost of that on a processor.
func (w *Worker) keptOff(now deadline.Instant, d, cost time.Duration) {
	c := &w.pool.crowd
	switch lost := d - cost; {
	case c.on():
		c.add(d, lost)
		c.judge(now, w.pool.processors())
	case lost >= keptOff:
		total, err := osthread.ProcessTime()
		if err == nil && osthread.Class(w.osClass.Load()) == osthread.Batch {
			own := used{total, total - w.crowding.total, now.Sub(w.crowding.at)}
			c.begin(now, d, lost, own, w.pool.processors())
		}
	}
}

// unfit is Y2: it reports whether the worker has to go on with another thread. One that may be lowered is lowered.
func (w *Worker) unfit() bool {
	if !w.class.low || !w.pool.crowd.able {
		return false
	}
	batch := osthread.Class(w.osClass.Load()) == osthread.Batch
	switch on := w.pool.crowd.on(); {
	case on && batch:
		return true
	case !on && !batch:
		w.lower()
	}
	return false
}

// lower gives the thread of a background worker the lowest priority, unless it is new and others crowd us.
func (w *Worker) lower() {
	if w.pool.crowd.on() && osthread.Class(w.osClass.Load()) == osthread.Ordinary {
		return
	}
	class, err := w.pool.lower()
	if err != nil {
		w.pool.note("thread priority: " + err.Error())
	}
	w.osClass.Store(uint32(class))
}
