package workers

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/osthread"
)

// An allowance is how jobs leave the frames their share where the CPU quota grants less than one processor. A process
// that has used up its quota stands still for the rest of the kernel's period, and the frame with the process. So a
// job begins only if the process can pay for the job. The process does not know when the kernel's period begins. So
// the allowance is a token bucket of processor time, which holds for every period, wherever a period begins.
//
//	A1  left is at most burst. It grows with the time, at the rate, and shrinks by all processor time that the process
//	    uses: by jobs, frames and the runtime.
//	A2  A job begins only if left - ahead is at least its cost, or burst for a longer job. Then the cost is added
//	    to ahead, or burst for a job of unknown cost. ahead shrinks with the time, as fast as one processor works.
//	A3  No denial comes 1 s or more after the first of a row of denials.
//	A4  rate * period + burst + margin = quota * period.
//
// By A1 and A2 the process uses at most burst + rate * period within a period up to the end of a job that is no longer
// than burst, and after that job only what the frames use. So by A4 the frames find the margin in any period, if
// they need no more than the rate. A longer job, or a second one that A2 lets in early, may cut into the margin.
// By A3 jobs go on, one in a second, where the frames need all.
//
// The frame goroutine never waits for the lock: RunUntil begins no job while a worker has the lock.
type allowance struct {
	quota  atomic.Uint64 // the bits of a float64: processors granted, if less than one; else 0
	framed atomic.Int64  // the deadline.Instant of the last frame under a quota

	sync.Mutex
	at     deadline.Instant // of the last refill; 0: none yet
	used   time.Duration    // processor time of the process at the last refill
	left   time.Duration
	ahead  time.Duration
	denied deadline.Instant // of the first denial since a job began; 0: none
}

const (
	// quotaPeriod is the kernel's period if nobody has set another one.
	quotaPeriod = 100 * time.Millisecond
	// quotaBurst and quotaMargin are parts of the quota.
	quotaBurst  = 0.1
	quotaMargin = 0.05
	// quotaSample is how often the processor time is read at most: a read takes some µs.
	quotaSample = 200 * time.Microsecond
	// quotaNap and quotaNapMax bound how long a worker waits before the next look: each look costs processor time,
	// and Close waits for the worker.
	quotaNap    = 2 * time.Millisecond
	quotaNapMax = 5 * time.Millisecond
)

// restrict sets how many processors are granted, 0 for no quota.
func (p *Pool) restrict(quota float64) {
	if quota >= 1 || p.virtual {
		quota = 0
	}
	if quota > 0 {
		if _, err := osthread.ProcessTime(); err != nil {
			return
		}
		p.note(fmt.Sprintf("quota: %.2f processors: jobs leave the frames their share", quota))
	}
	p.allowance.quota.Store(math.Float64bits(quota))
}

// mayBegin returns how long a job of that cost has to wait, 0 if it may begin now. A cost of 0 is unknown.
func (a *allowance) mayBegin(cost time.Duration, frame bool) (wait time.Duration) {
	quota := math.Float64frombits(a.quota.Load())
	now, framed := deadline.Now(), deadline.Instant(a.framed.Load())
	if quota == 0 || framed == 0 || now.Sub(framed) > time.Second {
		return 0 // there is no frame to leave a share to
	}
	if !frame {
		a.Lock()
	} else if !a.TryLock() {
		return quotaNap
	}
	defer a.Unlock()
	if now.Sub(a.at) >= quotaSample {
		used, _ := osthread.ProcessTime()
		a.refill(quota, now, used)
	}
	return a.take(quota, now, cost)
}

// affords reports to the frame goroutine whether the quota allows a job of that cost now.
func (p *Pool) affords(cost time.Duration) bool {
	return p.allowance.quota.Load() == 0 || p.allowance.mayBegin(cost, true) == 0
}

// refill is A1. used is the processor time of the process up to now.
func (a *allowance) refill(quota float64, now deadline.Instant, used time.Duration) {
	whole := quota * float64(quotaPeriod)
	burst := time.Duration(quotaBurst * whole)
	passed := now.Sub(a.at)
	if a.at == 0 || passed > 10*quotaPeriod {
		a.left, a.ahead = burst, 0 // the kernel has forgotten what was before
	} else {
		a.left += time.Duration(float64(passed)*rateOf(quota)) - (used - a.used)
		a.left = min(max(a.left, -time.Duration(whole)), burst)
		a.ahead = max(a.ahead-passed, 0)
	}
	a.at, a.used = now, used
}

// rateOf returns the rate of A4.
func rateOf(quota float64) float64 { return quota * (1 - quotaBurst - quotaMargin) }

// take is A2 and A3.
func (a *allowance) take(quota float64, now deadline.Instant, cost time.Duration) (wait time.Duration) {
	burst := time.Duration(quotaBurst * quota * float64(quotaPeriod))
	need := cost
	if cost == 0 || cost > burst {
		need = burst
	}
	lack := need - (a.left - a.ahead)
	if lack > 0 && (a.denied == 0 || now.Sub(a.denied) < time.Second) {
		if a.denied == 0 {
			a.denied = now
		}
		return min(max(time.Duration(float64(lack)/rateOf(quota)), quotaNap), quotaNapMax)
	}
	a.denied = 0
	a.ahead += max(cost, need)
	return 0
}

// save keeps a worker from its next job until the quota allows the job. As in hold, the job is not claimed, so
// its cost is not known: the cost of the worker's last job stands for it.
func (w *Worker) save() {
	p := w.pool
	cost := time.Duration(0)
	if g := w.gauges.last; g != nil {
		cost = g.est.Mean()
	}
	for p.state.Load() == running {
		wait := p.allowance.mayBegin(cost, false)
		if wait == 0 {
			return
		}
		time.Sleep(wait) // osthread.Nap cost half of the jobs: Go's monitor works while a thread is in a system call
	}
}
