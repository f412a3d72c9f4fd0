package scheduler

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// Every queues f to run every period, the first time after one period, until the Task is cancelled. Any
// goroutine. It allocates the Task; see [Task.Period] for the rules, and to catch up with missed ticks. It
// panics if f is nil, p invalid or period not positive.
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
// Ticks lie on the grid of the first start; what the queue knows as the start is the tick itself, or, for a
// tick that was late already when it was queued, t.behind after it. So Shift moves the grid too.
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
