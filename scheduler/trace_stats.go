package scheduler

import (
	"github.com/frameslice/frameslice/deadline"
)

// Stats is a snapshot of a Scheduler. Arrays are indexed by Priority.Lane: the most urgent first. Dropped counts
// microtasks and callbacks of Once and WhenIdle too, and those of Each only if they came too late for any frame.
type Stats struct {
	Ready   [deadline.NumPriorities]int // may run now; of what was delayed and has come due, the first 256
	Delayed [deadline.NumPriorities]int // wait for their start
	Frame   int                         // coroutines in NextFrame
	Waiting int                         // coroutines in Wait and Await
	Drawing int                         // coroutines in AfterDraw
	Idle    int                         // idle callbacks

	Ran      uint64 // runs, as in Result
	Expired  uint64 // runs that were overdue when they started
	Deferred uint64 // times that a task was passed over because it did not fit
	TooBig   uint64 // runs that were expected not to fit into a whole slice
	Done     uint64 // tasks, callbacks of Once and microtasks that returned
	Failed   uint64 // tasks that panicked or called Goexit
	Canceled uint64 // tasks cancelled, by Cancel or Close
	Dropped  uint64 // functions, callbacks and tasks that waited for a run when Close ended them, or came after Close
	Resumed  uint64 // hand-backs: coroutines that waited for an Awaitable and were woken by it (or gave up)

	Coroutines int    // coroutines alive, with and without a task
	Abandoned  uint64 // coroutines that could not be resumed any more after the thread lock had changed
}

type totals struct {
	ran, expired, deferred, tooBig uint64
	done, failed, resumed          uint64
}

func (t *totals) add(r Result) {
	t.ran += uint64(r.Ran)
	t.expired += uint64(r.Expired)
	t.deferred += uint64(r.Deferred)
	t.tooBig += uint64(r.TooBig)
}

// Stats returns a snapshot. The totals of tasks are up to date within a slice too. The totals of runs are those at the
// end of the last slice. The inbox is not counted. Frame goroutine. Stats takes about 100 ns. Each task that was
// delayed and is due, and each task with a timeout of its own, takes some 5 ns more, up to 256 of them in each
// priority.
func (s *Scheduler) Stats() Stats {
	now := s.clock()
	r := Stats{
		Frame: s.framing, Waiting: s.waiting, Drawing: s.drawWaits, Idle: s.idleCount,
		Ran: s.total.ran, Expired: s.total.expired, Deferred: s.total.deferred, TooBig: s.total.tooBig,
		Done: s.total.done, Failed: s.total.failed,
		Canceled:   s.canceled.Load(),
		Dropped:    s.dropped.Load(),
		Resumed:    s.total.resumed,
		Coroutines: s.alive,
		Abandoned:  s.lost,
	}
	for i, p := range deadline.Priorities() {
		if n := s.q.LenOf(p); n > 0 {
			r.Ready[i] = s.q.LenReady(p, now, readyLimit)
			r.Delayed[i] = n - r.Ready[i]
		}
	}
	return r
}
