package quota

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/osthread"
)

// A Bucket is how jobs leave the frames their share where the CPU quota grants less than one processor. A process
// that has used up its quota stands still for the rest of the kernel's period, and the frame with the process. So a
// job begins only if the process can pay for the job. The process does not know when the kernel's period begins. So
// a Bucket is a token bucket of processor time, which holds for every period, wherever a period begins.
//
//	A1  left is at most burst. It grows with the time, at the rate, and shrinks by all processor time that the process
//	    uses: by jobs, frames and the runtime.
//	A2  A job begins only if left - ahead is at least its cost, or burst for a longer job. Then the cost is added
//	    to ahead, or burst for a job of unknown cost. ahead shrinks with the time, as fast as one processor works.
//	A3  In a row of denials, none comes 1 s or more after the first.
//	A4  rate * period + burst + margin = quota * period.
//
// Consider a period up to the end of a job that is no longer than burst. By A1 and A2 the process uses at most
// burst + rate * period within the period, and after the job only what the frames use. So by A4 the frames find the
// margin in any period, if they need no more than the rate. A longer job, or a second one that A2 lets in early, may
// cut into the margin. By A3 jobs continue, one in a second, where the frames need all.
//
// The frame goroutine never waits for the lock: it begins no job while a worker has the lock. It looks first, and adds
// the cost to begun when the job begins. So a look after which no job begins costs the others nothing. A worker that
// looks in between may begin a second job early.
type Bucket struct {
	grant  atomic.Pointer[grant] // nil: no quota below one processor
	framed atomic.Int64          // the deadline.Instant of the last frame under a quota
	begun  atomic.Int64          // ns: the costs of jobs that the frame goroutine has begun, until they are in ahead

	sync.Mutex
	at     deadline.Instant // of the last refill; 0: none yet
	used   time.Duration    // processor time of the process at the last refill
	left   time.Duration
	ahead  time.Duration
	denied deadline.Instant // of the first denial since a job began or could have begun; 0: none
}

const (
	// burstPart and marginPart are parts of the quota.
	burstPart  = 0.1
	marginPart = 0.05
	// sample is the least time between two reads of the processor time: a read takes some µs.
	sample = 200 * time.Microsecond
	// nap and napMax bound how long a worker waits before the next look: each look costs processor time,
	// and Close waits for the worker.
	nap    = 2 * time.Millisecond
	napMax = 5 * time.Millisecond
)

// A grant is what the kernel grants the process: so many processors, in the mean over each period.
type grant struct {
	quota  float64
	period time.Duration
}

func (g *grant) whole() time.Duration { return time.Duration(g.quota * float64(g.period)) }
func (g *grant) burst() time.Duration { return time.Duration(burstPart * g.quota * float64(g.period)) }
func (g *grant) rate() float64        { return g.quota * (1 - burstPart - marginPart) }

// need is what left - ahead must be, at least, before a job of that cost begins (A2).
func (g *grant) need(cost time.Duration) time.Duration {
	if cost == 0 {
		return g.burst()
	}
	return min(cost, g.burst())
}

// Restrict sets how many processors are granted in each period, 0 for no quota. It reports whether the quota paces
// jobs: if it is below one processor, and the system tells what the process uses.
func (a *Bucket) Restrict(quota float64, period time.Duration) bool {
	if _, err := osthread.ProcessTime(); err != nil || quota == 0 || quota >= 1 {
		a.grant.Store(nil)
		return false
	}
	a.grant.Store(&grant{quota, period})
	return true
}

// On reports whether the quota paces jobs.
func (a *Bucket) On() bool { return a.grant.Load() != nil }

// FrameBegins says that a frame begins. Jobs are paced for a second after that.
func (a *Bucket) FrameBegins(now deadline.Instant) {
	if a.On() {
		a.framed.Store(int64(now))
	}
}

// MayBegin returns how long a job of that cost has to wait, 0 if it may begin now. A cost of 0 is unknown. A worker
// begins the job at once. The frame goroutine reports the start by Began.
func (a *Bucket) MayBegin(cost time.Duration, frame bool) (wait time.Duration) {
	g := a.grant.Load()
	now, framed := deadline.Now(), deadline.Instant(a.framed.Load())
	if g == nil {
		return 0
	}
	if framed == 0 || now.Sub(framed) > time.Second {
		a.begun.Store(0)
		return 0 // there is no frame to leave a share to
	}
	if !frame {
		a.Lock()
	} else if !a.TryLock() {
		return nap
	}
	defer a.Unlock()
	if now.Sub(a.at) >= sample {
		used, _ := osthread.ProcessTime()
		a.refill(g, now, used)
	}
	wait = a.look(g, now, cost)
	if wait == 0 && !frame {
		a.charge(g, cost)
	}
	return wait
}

// Began is called by the frame goroutine when a job of that cost begins.
func (a *Bucket) Began(cost time.Duration) {
	if g := a.grant.Load(); g != nil {
		a.begun.Add(int64(max(cost, g.need(cost))))
	}
}

// refill fills the bucket for the time that has passed, and takes out what was used (A1). used is the processor time of
// the process up to now.
func (a *Bucket) refill(g *grant, now deadline.Instant, used time.Duration) {
	a.chargeBegun()
	passed := now.Sub(a.at)
	if a.at == 0 || passed > 10*g.period {
		a.left, a.ahead = g.burst(), 0 // the kernel has forgotten what was before
	} else {
		a.left += time.Duration(float64(passed)*g.rate()) - (used - a.used)
		a.left = min(max(a.left, -g.whole()), g.burst())
		a.ahead = max(a.ahead-passed, 0)
	}
	a.at, a.used = now, used
}

// look decides by A2 and A3 whether a job may begin.
func (a *Bucket) look(g *grant, now deadline.Instant, cost time.Duration) (wait time.Duration) {
	a.chargeBegun()
	lack := g.need(cost) - (a.left - a.ahead)
	switch {
	case lack <= 0:
		a.denied = 0
		return 0
	case a.denied == 0:
		a.denied = now
	case now.Sub(a.denied) >= time.Second:
		return 0
	}
	return min(max(time.Duration(float64(lack)/g.rate()), nap), napMax)
}

// charge adds to ahead when a job begins (A2).
func (a *Bucket) charge(g *grant, cost time.Duration) {
	a.denied = 0
	a.ahead += max(cost, g.need(cost))
}

// chargeBegun charges the jobs that the frame goroutine has begun.
func (a *Bucket) chargeBegun() {
	if cost := a.begun.Swap(0); cost != 0 {
		a.denied = 0
		a.ahead += time.Duration(cost)
	}
}

// Save sets what is saved up of the quota. It is for tests.
func (a *Bucket) Save(left time.Duration) {
	used, _ := osthread.ProcessTime()
	a.Lock()
	defer a.Unlock()
	a.at, a.used, a.left, a.ahead, a.denied = deadline.Now(), used, left, 0, 0
	a.begun.Store(0)
}
