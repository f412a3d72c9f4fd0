package scheduler

import (
	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/costs"
	"github.com/frameslice/frameslice/internal/hist"
)

// Stats is a snapshot of a Scheduler. Arrays are indexed by Priority.Lane: the most urgent first.
type Stats struct {
	Ready   [deadline.NumPriorities]int // may run now; at most 256 that were delayed
	Delayed [deadline.NumPriorities]int // wait for their start
	Frame   int                         // coroutines in NextFrame
	Waiting int                         // coroutines in Wait and Await
	Drawing int                         // coroutines in Co.AfterDraw
	Idle    int                         // idle callbacks
	Paused  int                         // members of paused groups that would be ready

	Ran      uint64 // runs, as in Result
	Expired  uint64 // runs that started overdue
	Deferred uint64 // times that a task did not fit
	TooBig   uint64 // runs that do not fit into a whole slice
	Done     uint64 // tasks, callbacks of Once and microtasks that returned
	Failed   uint64 // panicked or called Goexit
	Canceled uint64 // ended by Cancel or Close, or came after Close
	Dropped  uint64 // of Canceled: ended by Close before their run, or came after Close
	Resumed  uint64 // coroutines that came back from an Awaitable

	Coroutines int    // coroutines alive
	Abandoned  uint64 // lost because the thread lock had changed

	HostCause string // the kind of task with the most late frames of the host, or ""
	HostLate  uint64 // how many
}

// add counts the runs of a slice.
func (t *Stats) add(r Result) {
	t.Ran += uint64(r.Ran)
	t.Expired += uint64(r.Expired)
	t.Deferred += uint64(r.Deferred)
	t.TooBig += uint64(r.TooBig)
}

// Stats returns a snapshot, without the inbox. The totals of runs are those at the end of the last slice. Frame
// goroutine; 100 ns or more.
func (s *Scheduler) Stats() Stats {
	now := s.clock()
	r := s.total
	r.Frame, r.Waiting, r.Drawing, r.Idle, r.Paused = s.frames.n, s.waiting, s.draws.n, s.idles.n, s.parked
	r.Canceled, r.Dropped = s.canceled.Load(), s.dropped.Load()
	r.Coroutines, r.Abandoned = s.alive, s.lost
	r.HostCause, r.HostLate = s.kinds.hostCause()
	for i, p := range deadline.Priorities() {
		r.Ready[i] = s.ready(p, now)
		r.Delayed[i] = s.q.LenOf(p) - r.Ready[i]
		if len(s.kept) > 0 {
			r.Delayed[i] += s.delayedBy(p)
		}
	}
	return r
}

// Times are histograms of the runs of each priority, by Priority.Lane. A run is a function, a step, a tick, or a
// stretch of a coroutine. A Histogram counts durations, in buckets no wider than 1/32 of them. It has Count, Max, Mean
// and Percentile(p); the median is Percentile(50).
type Times struct {
	Wait [deadline.NumPriorities]hist.Histogram // from ready to the run's start
	Late [deadline.NumPriorities]hist.Histogram // from the expiration to the run's start; 0 is in time
	// Of runs in time: from their start to the expiration.
	Early [deadline.NumPriorities]hist.Histogram
	Run   [deadline.NumPriorities]hist.Histogram

	// By how much a run was longer, or shorter, than the estimate (or Task.Cost) that admitted it. Kinds of less than
	// 20 µs have no estimate. If a run asks ShouldYield, its longest stretch counts.
	Over, Under [deadline.NumPriorities]hist.Histogram

	// Kinds are the costs of each kind of task, the greatest total first. They count since New, or since there were
	// 1,024 kinds.
	Kinds []Cost
}

// ReadTimes copies the times since New, and uses the memory of into.Kinds. It reports false without
// Options.Profile of package frame. Frame goroutine; 35 µs, and 0.1 µs a kind.
func (s *Scheduler) ReadTimes(into *Times) bool {
	if s.watch == nil || s.watch.times == nil {
		return false
	}
	kinds := into.Kinds[:0]
	*into = *s.watch.times
	into.Kinds = s.kinds.Report(kinds)
	return true
}

// Add adds the counts of o.
func (t *Times) Add(o *Times) {
	to, from := t.all(), o.all()
	for i := range to {
		for l := range to[i] {
			to[i][l].Add(&from[i][l])
		}
	}
	t.Kinds = costs.Merge(t.Kinds, o.Kinds)
}

func (t *Times) all() [6]*[deadline.NumPriorities]hist.Histogram {
	return [...]*[deadline.NumPriorities]hist.Histogram{&t.Wait, &t.Late, &t.Early, &t.Run, &t.Over, &t.Under}
}

// Cost is what the runs (see [Times]) of one kind of task have taken: of one Label, or of one function. Expected is the
// estimate by which a slice admits a run; 0 is less than 20 µs, which always fits.
type Cost = costs.Cost
