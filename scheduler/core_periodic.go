package scheduler

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// Every queues f to run every period, first after one period, until the Task is cancelled or f fails: see Task.Period.
// Any goroutine. It allocates the Task. It panics if f is nil, p invalid or period not positive.
func (s *Scheduler) Every(p deadline.Priority, period time.Duration, f func()) *Task {
	if period <= 0 {
		panic("scheduler: Every with a period that is not positive: " + period.String())
	}
	if f == nil {
		panic("scheduler: Every with a nil function")
	}
	t := &Task{Priority: p, Func: f, Period: period, Delay: period}
	s.Submit(t)
	return t
}

// Missed returns how many ticks of a periodic task were skipped, in all its lives. Any goroutine.
func (t *Task) Missed() uint64 { return t.missed.Load() }

// ticked ends a run of a periodic task that began at begun, and queues the next.
//
// S16. The ticks of a periodic task lie on a grid that begins with its first start. Each tick runs once or counts as
// missed, and at most CatchUp of those that have passed wait. The tick is what the queue has for the node's start, less
// t.behind: by how much the tick was late when it was queued. So Shift moves the grid with everything else.
func (s *Scheduler) ticked(it *item, begun deadline.Instant) {
	t := it.task
	if it.word.Load()&flagAgain != 0 || t.Period <= 0 {
		s.end(it, endDone) // submitted again: a new life, with a new grid
		return
	}
	if !it.release(phaseReady) {
		s.end(it, endCanceled)
		return
	}
	s.note(Queued, it)
	tick := s.q.Start(&it.node).Add(-t.behind)
	due := max(begun.Sub(tick), 0) / t.Period // ticks after this one that were due when it ran
	skip := max(due-time.Duration(max(t.CatchUp, 0)), 0)
	if skip > 0 {
		t.missed.Add(uint64(skip))
	}
	delay := tick.Add((skip + 1) * t.Period).Sub(s.now)
	t.behind = max(-delay, 0)
	s.resubmit(it, s.now, delay)
}
