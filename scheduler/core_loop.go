package scheduler

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/regions"
)

// runPlain runs plain functions and steps on the carrier, beginning with it, until the next item is a coroutine's or
// there is none. One deferred function (in guarded) serves the whole run.
func (s *Scheduler) runPlain(it *item) {
	for it != nil {
		if s.loggedRuns {
			s.markRun(it)
		}
		if it.isPosted() {
			it.fn()
			if !s.sharesReading() {
				s.stepped(it)
			}
			s.endPosted(it)
			it = s.claimNext()
			continue
		}
		t := it.task
		switch {
		case t.Func != nil:
			begun := s.now
			if g := s.groupOf(it); g != nil {
				begun = s.timeOf(g, begun)
			}
			t.Func()
			s.steppedBriefly(it)
			if t.Period > 0 {
				s.ticked(it, begun)
			} else {
				s.endGeneration(it, endDone)
			}
		case t.Idle != nil:
			s.runIdle(t)
			s.stepped(it)
			s.endGeneration(it, endDone)
		case t.Co != nil:
			s.handOver(it)
			return
		case t.Step():
			s.steppedBriefly(it)
			if s.goesOn(it) {
				continue
			}
			if it.release(stateReady) {
				s.note(Queued, it)
				s.requeue(it)
			} else {
				s.endGeneration(it, endCanceled)
			}
		default:
			s.stepped(it)
			s.endGeneration(it, endDone)
		}
		it = s.claimNext()
	}
	s.row.End()
	s.handOver(nil)
}

// loop runs the slice.
func (s *Scheduler) loop() {
	for it := s.claimNext(); it != nil; {
		c := s.turns(it)
		if c == nil {
			return
		}
		it = s.turned(c)
	}
}

// turns gives turns to coroutines, beginning with the coroutine that runs it, until the slice is over. It returns early
// if a Goexit has ended the goroutine of a coroutine: then it returns this coroutine. One deferred function
// serves many turns.
func (s *Scheduler) turns(it *item) (dead *coroutine) {
	var c *coroutine
	var turn regions.Region // on this goroutine: see trace_region.go
	defer func() {
		turn.End()
		if v := recover(); v != nil {
			if c == nil || c.Alive() {
				panic(v)
			}
			dead = c
		}
	}()
	for it != nil {
		s.isHanded = false
		if t := it.task; t != nil && t.Co != nil {
			c = s.coroutineOf(it)
			c.job = jobCo
			if s.traced {
				turn = s.meter.Begin(regions.Task, s.kinds.of(it).Short())
			}
		} else {
			c = s.carry(it)
			c.job = jobPlain
		}
		c.Next()
		turn.End()
		it = s.turned(c)
	}
	return nil
}

// turned ends c's turn, and returns the next item to run.
func (s *Scheduler) turned(c *coroutine) *item {
	s.putCoroutine(c)
	if len(s.reports) > 0 {
		s.reportAll()
		s.now = s.clock() // the time of the handler must not count for the next task
	}
	if s.isHanded {
		it := s.handed
		s.handed = nil
		return it
	}
	return s.claimNext()
}

// Missed returns how many ticks of a periodic task were skipped, after all its Submits. Any goroutine.
func (t *Task) Missed() uint64 { return t.missed.Load() }

// ticked ends a run of a periodic task that began at begun, and queues the next.
//
// S16. The ticks of a periodic task lie on a grid that begins with its first start. Each tick runs once or counts as
// missed. The time of a tick is the node's start in the queue less t.behind, by which the tick was late when it was
// queued. So Shift moves the grid with everything else. The grid of a member is one of its group's time, and so is
// begun. There t.behind is the time of the tick itself, as an Instant.
func (s *Scheduler) ticked(it *item, begun deadline.Instant) {
	s.readShared() // the ticks depend on the exact time
	t := it.task
	if it.word.Load()&flagAgain != 0 || t.Period <= 0 {
		s.endGeneration(it, endDone) // submitted again: a new generation, with a new grid
		return
	}
	if !it.release(stateReady) {
		s.endGeneration(it, endCanceled)
		return
	}
	s.note(Queued, it)
	now, tick, g := s.now, s.q.Start(&it.node).Add(-t.behind), s.groupOf(it)
	if g != nil {
		now, tick = s.timeOf(g, s.now), deadline.Instant(t.behind)
	}
	skip := max(begun.Sub(tick), 0) / t.Period // ticks after this one that were due when it ran
	t.missed.Add(uint64(skip))
	tick = tick.Add((skip + 1) * t.Period)
	delay := tick.Sub(now)
	s.resubmit(it, s.now, delay)
	if t.behind = max(-delay, 0); g != nil {
		t.behind = time.Duration(tick)
	}
}

// runIdle calls an idle callback, on the carrier.
func (c *pacing) runIdle(t *Task) {
	end := c.now
	if !t.overdue {
		end = c.idleEnd
		if at, ok := c.nextStart(c.now); ok {
			end = min(end, at)
		}
	}
	t.Idle(deadline.At(end-c.skew), t.overdue)
}
