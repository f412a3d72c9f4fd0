package workers

import (
	"time"

	"github.com/frameslice/frameslice/internal/osthread"
)

// Background workers: threads of the lowest priority, which hold back for frames that are late, and which change
// threads while other programs keep the processors busy (internal/lowprio).
//
//	Y1  Only one goroutine at a time is a worker's. The worker changes threads between two jobs, and keeps what it has
//	    taken (carried). The old goroutine touches nothing of the worker after it has started the new one, as after a
//	    Goexit (rescue).
//	Y2  A worker takes a job, then looks whether other programs crowd the processors (Crowd.On), and then begins the
//	    job; it may stand back (L2) in between. So a job begins on a thread of the lowest priority only if the pool
//	    had not noticed a crowd when the worker looked. A worker that has changed threads first runs or drops the job
//	    that it carries, and only then looks whether the pool is gone.
//
// So nothing is lost when a worker changes threads. The goroutine that comes after begins what the worker carries, or
// ends it where the pool is gone.

// waitForFrame is called before a job of a lane (L2). A frame that is late goes first, and so does a collection.
func (w *Worker) waitForFrame() {
	if p := w.pool; p.frameFirst.On() {
		w.ledger.breakStretch()
		p.frameFirst.Wait(func() bool { return p.state.Load() == running })
	}
}

// mustChangeThread reports whether the worker has to continue with another thread (Y2). Where the thread may have the
// lowest priority again, mustChangeThread lowers it.
func (w *Worker) mustChangeThread() bool {
	if !w.class.low || !w.pool.machine.crowds {
		return false
	}
	switch on := w.pool.machine.crowd.On(); {
	case on && w.isLowest():
		return true
	case !on && !w.isLowest():
		w.lower()
	}
	return false
}

// isLowest reports whether the worker's thread has the lowest priority.
func (w *Worker) isLowest() bool { return osthread.Class(w.osClass.Load()) == osthread.Lowest }

// lower gives the thread of a background worker the lowest priority, unless the thread is new and other programs crowd
// this process.
func (w *Worker) lower() {
	p := w.pool
	if p.machine.virtual || p.machine.crowd.On() && osthread.Class(w.osClass.Load()) == osthread.Ordinary {
		return
	}
	class, err := osthread.Lower()
	if err != nil {
		p.machine.notes.add("thread priority: " + err.Error())
	}
	w.osClass.Store(uint32(class))
}

// waitForQuota keeps a worker from its next job until the quota allows the job. As in waitForFrame, the job is not
// claimed, so its cost is not known: the cost of the worker's last job stands for it.
func (w *Worker) waitForQuota() {
	p := w.pool
	cost := w.ledger.gauges.Last()
	for p.state.Load() == running {
		wait := p.machine.quota.Bucket.MayBegin(cost, false)
		if wait == 0 {
			return
		}
		w.ledger.breakStretch()
		time.Sleep(wait) // osthread.Nap cost half of the jobs: Go's monitor works while a thread is in a system call
	}
}
