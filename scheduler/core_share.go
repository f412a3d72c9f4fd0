package scheduler

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// Runs of kinds that are known to be brief share a reading of the clock, because a reading takes longer than such a
// run. There are at most shareRuns runs between two readings. So a kind that suddenly becomes long makes the slice
// overrun by at most shareRuns runs, where it overran by one. These rules keep that rare.
//
//   - A kind is brief after trustRuns runs of less than briefCost each, each timed alone. A longer run, or a shared
//     reading that is too long for brief runs, takes trustLoss of those back: of each kind that shared the reading,
//     because nobody knows whose run was long. Less than kindFloor is often an interrupt. From kindFloor on all are
//     taken back, and the kind must then show twice as many brief runs, up to trustRuns<<maxWary.
//   - The first run of a kind in a slice is timed alone. So what has changed since the last slice is noticed after one
//     run.
//   - Runs share a reading only while there is time for shareRuns brief runs. So brief runs do not overrun at all.
//   - All that pickSlow picks is timed alone, because it knows the exact time: work that is late, passed over, watched,
//     in a group or with a Cost of its own, and everything under ByPriority. So is periodic work, and so is everything
//     with a clock of the caller's, because virtual time must be exact.
//
// The time between two readings counts for the slice, for the task's quota and for Result.Worst. It teaches no
// estimate.
const (
	shareRuns = 8
	briefCost = time.Microsecond
	trustRuns = 16
	trustLoss = 8
	maxWary   = 3
)

// trust is what is known about the briefness of a kind.
type trust struct {
	brief uint8  // brief runs that were timed alone, at most enough
	wary  uint8  // how often it was lost, at most maxWary
	slice uint32 // the last slice with such a run
}

func (t *trust) enough() uint8 { return trustRuns << t.wary }

// learn learns from a run that was timed alone.
func (t *trust) learn(cost time.Duration, slice uint32) {
	if cost >= briefCost {
		t.lose(cost)
		return
	}
	t.brief = min(t.brief+1, t.enough())
	t.slice = slice
}

// lose learns that cost was not brief.
func (t *trust) lose(cost time.Duration) {
	if cost < kindFloor {
		t.brief -= min(t.brief, trustLoss)
		return
	}
	if t.brief == t.enough() {
		t.wary = min(t.wary+1, maxWary)
	}
	t.brief = 0
}

// sharing is the part of a slice for runs that share a reading of the clock.
type sharing struct {
	room    uint8            // how many runs may share the next reading; 0 if each is to be timed alone
	shared  uint8            // runs since the last reading
	brief   bool             // the running task's kind is brief
	sharers [shareRuns]*kind // the kinds of those runs, and of the running task
}

// makeRoom decides after a reading how many runs may share the next one.
func (s *Scheduler) makeRoom() {
	s.room = 0
	if !s.exact && s.watch == nil && !s.loggedRuns && s.until.Sub(s.now) > shareRuns*briefCost {
		s.room = shareRuns
	}
}

// isBrief reports whether the run of the item, which is the first of the queue, may share a reading. If so, it notes
// the item's kind.
func (s *Scheduler) isBrief(it *item) bool {
	var k *kind
	if it.isPosted() {
		k = s.kinds.ofCode(codeOf(it.fn))
	} else if it.task.sentWork() <= workCo {
		k = s.kinds.of(it)
	} else {
		return false
	}
	s.sharers[s.shared%shareRuns] = k
	t := &k.Extra.trust
	return t.slice == s.n && t.brief == t.enough()
}

// steppedBriefly is stepped for a run after which nobody needs the exact time. It reads the clock only if it must.
// Code that needs the time after all calls readShared.
func (s *Scheduler) steppedBriefly(it *item) {
	if !s.sharesReading() {
		s.stepped(it)
		return
	}
	if !it.isPosted() {
		s.countStep(it, 0)
	}
}

// sharesReading ends a run without a reading of the clock if it may, and reports whether it has.
func (l *slice) sharesReading() bool {
	if !l.brief || l.shared+1 >= l.room || l.asked != 0 {
		return false
	}
	l.shared++
	l.current = nil
	return true
}

// readShared reads the clock if runs have ended since the last reading.
func (s *Scheduler) readShared() {
	if s.shared == 0 {
		return
	}
	t := s.clock()
	cost := t.Sub(s.now)
	s.now = t
	s.tally(cost)
}

// tally accounts for a reading that the runs since the last one have shared.
func (s *Scheduler) tally(cost time.Duration) {
	runs := s.shared
	s.shared = 0
	s.flatten(cost, int(runs))
	if cost < time.Duration(runs)*briefCost {
		cost /= time.Duration(runs)
	} else {
		for _, k := range s.sharers[:runs] {
			k.Extra.trust.lose(cost)
		}
	}
	if cost > s.worstCost {
		last := s.sharers[runs-1]
		s.worstCost, s.worstPC, s.worstLabel = cost, last.Code, last.Label
	}
	s.makeRoom()
}

// flatten counts runs during which the clock stood still.
func (l *slice) flatten(cost time.Duration, runs int) {
	if cost > 0 {
		l.clockStalled = 0
		return
	}
	l.clockStalled += runs
	l.special = l.special || l.clockStalled >= flatLimit
}

// stepped accounts for the run that just ended. It reads the clock: the end of this run is the start of the next run.
func (s *Scheduler) stepped(it *item) {
	t := s.clock()
	cost := time.Duration(t - s.now)
	s.now = t
	if s.currentLate {
		s.lateUsed += cost
	}
	unasked := s.unasked(t, cost)
	if s.shared > 0 {
		s.shared++
		s.tally(cost)
	} else {
		s.flatten(cost, 1)
		if cost > s.worstCost {
			s.worstCost = cost
			s.worstPC, s.worstLabel = it.name()
		}
		s.observe(it, unasked)
		s.makeRoom()
		if s.room > 0 {
			s.kinds.of(it).Extra.trust.learn(cost, s.n)
		}
	}
	if s.traced && cost >= kindFloor {
		s.row.End()
	}
	if s.watch != nil {
		s.watch.ran += cost
		s.watch.spare = cost - unasked
	}
	if !it.isPosted() {
		s.countStep(it, cost)
	}
	it.skips = 0
	s.current = nil
}

// countStep counts a run of a Task for the quota of its continuations.
func (l *slice) countStep(it *item, cost time.Duration) {
	if it.word.Load()&flagSteps == 0 {
		return
	}
	t := it.task
	if t.slice != l.n {
		t.slice, t.usedTime, t.steps = l.n, 0, 0
	}
	t.usedTime += cost
	t.steps++
}

// unasked returns the longest stretch in which the task did not ask whether to yield. The run ends at now and took
// cost. The estimates learn this stretch. They do not learn the length of such a run, which depends on the time that
// was left.
func (l *slice) unasked(now deadline.Instant, cost time.Duration) time.Duration {
	if l.asked == 0 {
		return cost
	}
	d := max(l.stretch, now.Sub(l.asked))
	l.asked, l.stretch = 0, 0
	return d
}

// observe learns from a run. A run below the floor, where the estimate is below too, is only counted. Counting takes
// half as long, and nearly all runs are such.
func (s *Scheduler) observe(it *item, cost time.Duration) {
	if it.word.Load()&flagOwnCost != 0 {
		return
	}
	e := s.kinds.of(it)
	before := e.Expected()
	if cost < kindFloor && before < kindFloor {
		if e.Extra.cheap < cheapRuns {
			e.Extra.cheap++
		}
		return
	}
	for ; e.Extra.cheap > 0; e.Extra.cheap-- {
		e.Extra.est.Observe(0)
	}
	e.Extra.est.Observe(cost)
	s.kinds.expect(e)
	high := e.Expected()
	if high < before && len(s.passed) > 0 {
		s.takeBack() // what did not fit may fit now
	}
	if s.kinds.host.Told() && high >= kindFloor {
		s.kinds.host.Spent(&e.Extra.after, min(cost, high)) // an outlier leaves no more work than other runs
		s.special = s.special || s.kinds.host.Exhausted()
	}
}
