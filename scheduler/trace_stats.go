package scheduler

import (
	"github.com/frameslice/frameslice/deadline"
)

// Stats is a snapshot of a Scheduler. Arrays are indexed by Priority.Lane: the most urgent first.
type Stats struct {
	Ready   [deadline.NumPriorities]int // may run now; at most 256 that were delayed
	Delayed [deadline.NumPriorities]int // wait for their start
	Frame   int                         // coroutines in NextFrame
	Waiting int                         // coroutines in Wait and Await
	Drawing int                         // coroutines in AfterDraw
	Idle    int                         // idle callbacks

	Ran      uint64 // runs, as in Result
	Expired  uint64 // runs that started overdue
	Deferred uint64 // times that a task did not fit
	TooBig   uint64 // runs that do not fit into a whole slice
	Done     uint64 // tasks, callbacks of Once and microtasks that returned
	Failed   uint64 // panicked or called Goexit
	Canceled uint64 // ended by Cancel or Close
	Dropped  uint64 // ended by Close before their run, or came after Close
	Resumed  uint64 // coroutines that came back from an Awaitable

	Coroutines int    // coroutines alive
	Abandoned  uint64 // lost because the thread lock had changed

	HostCause string // the kind of task with the most late frames of the host, or ""; see NoteHost
	HostLate  uint64 // how many
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

// Stats returns a snapshot, without the inbox. The totals of runs are those at the end of the last slice. Frame
// goroutine; 100 ns or more.
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
	r.HostCause, r.HostLate = s.kinds.hostCause()
	for i, p := range deadline.Priorities() {
		if n := s.q.LenOf(p); n > 0 {
			r.Ready[i] = s.q.LenReady(p, now, readyLimit)
			r.Delayed[i] = n - r.Ready[i]
		}
	}
	return r
}
