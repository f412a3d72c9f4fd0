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
//   - All that claimNextSlow returns is timed alone, because it knows the exact time: work that is late, passed over,
//     watched, in a group or with a Cost of its own, and everything under ByPriority. So is periodic work, and so is
//     everything with a clock of the caller's, because virtual time must be exact.
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
func (r *runs) makeRoom() {
	r.room = 0
	if !r.exact && r.watch == nil && !r.loggedRuns && r.until.Sub(r.now) > shareRuns*briefCost {
		r.room = shareRuns
	}
}

// isBrief reports whether the run of the item, which is the first of the queue, may share a reading. If so, it notes
// the item's kind.
func (r *runs) isBrief(it *item) bool {
	var k *kind
	if it.isPosted() {
		k = r.kinds.ofCode(codeOf(it.fn))
	} else if it.task.sentWork() <= workCo {
		k = r.kinds.of(it)
	} else {
		return false
	}
	r.sharers[r.shared%shareRuns] = k
	t := &k.Extra.trust
	return t.slice == r.n && t.brief == t.enough()
}

// steppedBriefly accounts for a run after which nobody needs the exact time. It reads the clock only if it must.
// Code that needs the time after all calls readShared.
func (r *runs) steppedBriefly(it *item) {
	if !r.sharesReading() {
		r.stepped(it)
		return
	}
	if !it.isPosted() {
		r.countStep(it, 0)
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
func (r *runs) readShared() {
	if r.shared == 0 {
		return
	}
	t := r.clock()
	cost := t.Sub(r.now)
	r.now = t
	r.tally(cost)
}

// tally accounts for a reading that the runs since the last one have shared.
func (r *runs) tally(cost time.Duration) {
	runs := r.shared
	r.shared = 0
	r.flatten(cost, int(runs))
	if cost < time.Duration(runs)*briefCost {
		cost /= time.Duration(runs)
	} else {
		for _, k := range r.sharers[:runs] {
			k.Extra.trust.lose(cost)
		}
	}
	if cost > r.worstCost {
		last := r.sharers[runs-1]
		r.worstCost, r.worstPC, r.worstLabel = cost, last.Code, last.Label
	}
	r.makeRoom()
}

// flatten counts runs during which the clock stood still.
func (l *slice) flatten(cost time.Duration, runs int) {
	if cost > 0 {
		l.clockStalled = 0
		return
	}
	l.clockStalled += runs
	l.slowPath = l.slowPath || l.clockStalled >= flatLimit
}

// stepped accounts for the run that just ended. It reads the clock: the end of this run is the start of the next run.
func (r *runs) stepped(it *item) {
	t := r.clock()
	cost := time.Duration(t - r.now)
	r.now = t
	if r.currentOverdue {
		r.overdueUsed += cost
	}
	unasked := r.unasked(t, cost)
	if r.shared > 0 {
		r.shared++
		r.tally(cost)
	} else {
		r.flatten(cost, 1)
		if cost > r.worstCost {
			r.worstCost = cost
			r.worstPC, r.worstLabel = it.name()
		}
		r.observe(it, unasked)
		r.makeRoom()
		if r.room > 0 {
			r.kinds.of(it).Extra.trust.learn(cost, r.n)
		}
	}
	if r.traced && cost >= kindFloor {
		r.row.End()
	}
	if r.watch != nil {
		r.watch.ran += cost
		r.watch.spare = cost - unasked
	}
	if !it.isPosted() {
		r.countStep(it, cost)
	}
	it.skips = 0
	r.current = nil
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
func (r *runs) observe(it *item, cost time.Duration) {
	if it.word.Load()&flagOwnCost != 0 {
		return
	}
	e := r.kinds.of(it)
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
	r.kinds.expect(e)
	high := e.Expected()
	if high < before {
		r.fell()
	}
	if r.kinds.host.Told() && high >= kindFloor {
		r.kinds.host.Spent(&e.Extra.after, min(cost, high)) // an outlier leaves no more work than other runs
		r.slowPath = r.slowPath || r.kinds.host.Exhausted()
	}
}
