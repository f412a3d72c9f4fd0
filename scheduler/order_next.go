package scheduler

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// nextRunnable returns the node to run next, still queued, or nil if nothing is ready or nothing more fits.
func (o *order) nextRunnable() *node {
	o.starvedNext = o.starvedFirst()
	n := o.nextByPolicy()
	if n == nil || o.fits(n) {
		return n
	}
	return o.nextRunnableSlow(n)
}

// nextByPolicy returns the first ready node that was not passed over, by the policy and the share of overdue work.
func (o *order) nextByPolicy() *node {
	if it := o.starvedNext; it != nil {
		// Passed over in too many frames: first in this frame, but after one overdue task (S11).
		if o.ran == 1 || o.overdueAside.head == nil && o.q.Overdue(o.now) == nil {
			return &it.node
		}
	}
	if o.q.ByPriority {
		if o.ran == 0 {
			if n := o.q.Overdue(o.now); n != nil {
				return n
			}
		}
	}
	n := o.firstReady(o.now)
	if n != nil && !o.q.ByPriority && o.overdueUsed >= o.overdueQuota && o.overdueRan > 0 && o.isOverdue(n) {
		n = o.firstFresh(n)
	}
	return n
}

// firstFresh returns the first ready node that is not overdue and will expire. If there is none, it returns overdue,
// the first overdue node. The overdue nodes come first in the queue, so firstFresh sets them aside, each once, in the
// order of expiration. They stay aside across slices: the queue keeps their places, and s.overdueAside keeps their
// order.
func (o *order) firstFresh(overdue *node) *node {
	for range sweepLimit {
		n := o.q.Peek(o.now)
		if n == nil {
			return overdue
		}
		if !o.isOverdue(n) {
			if o.q.Expiration(n) == deadline.Never {
				return overdue
			}
			return n
		}
		o.q.Defer(n)
		o.setOverdueAside(n.Value)
	}
	return overdue
}

// setOverdueAside adds an item that is set aside to the list of overdue work, in the order of expiration. Its place is
// usually at an end of the list, or behind the item that was added before: work that was passed over comes back in its
// order.
func (o *order) setOverdueAside(it *item) {
	if it.where == inIdleTimed {
		o.idles.remove(it)
	}
	it.where = inOverdue
	if h := o.overdueAside.head; h != nil && o.sooner(it, h) {
		o.overdueAside.insert(it, h)
		return
	}
	var at *item
	b := o.overdueAside.tail
	if o.overdueAside.last != nil && o.sooner(it, b) { // so its place is ahead of the tail
		for b = o.overdueAside.last; !o.sooner(it, b); b = b.fore {
		}
	}
	for ; b != nil && o.sooner(it, b); b = b.back {
		at = b
	}
	o.overdueAside.insert(it, at)
}

// nextRunnableSlow returns the next item that may run, where n, the first by the policy, does not fit.
func (o *order) nextRunnableSlow(n *node) *node {
	first := n
	for n != nil && !o.fits(n) {
		if o.must(n) {
			o.noteTooBig(n.Value)
			return n
		}
		if len(o.passed) >= heldLimit || len(o.passed) >= passLimit && !o.held(n.Value) {
			n = nil
			break
		}
		o.pass(n)
		n = o.nextByPolicy()
	}
	if n == nil && o.ran == 0 && !o.heldByControl(first.Value) {
		o.noteTooBig(first.Value)
		return first // nothing fits: one task runs all the same
	}
	return n
}

// noteTooBig notes whether a task, which is about to run although it does not fit, is too long even for a whole slice
// of this length.
func (o *order) noteTooBig(it *item) {
	o.tooLong = o.predict(it) > o.length // counted when the task is claimed: see claimNextSlow
}

// heldByControl reports whether the item waits because the frame shows the host without such items. Then the rule that
// a frame runs at least one task does not hold.
func (o *order) heldByControl(it *item) bool { return o.kinds.host.Controls() && o.held(it) }

// must reports whether n runs although it does not fit: n is the first overdue task of this slice, or was passed over
// too often.
func (o *order) must(n *node) bool {
	if o.heldByControl(n.Value) {
		return false
	}
	if o.ran == 0 && o.isOverdue(n) {
		return true
	}
	return n.Value == o.starvedNext
}

// pass sets n aside for the rest of the slice.
func (o *order) pass(n *node) {
	it := n.Value
	if it.where == inOverdue {
		o.overdueAside.remove(it)
	} else {
		o.q.Defer(n)
	}
	if it.where == inIdleTimed {
		o.idles.remove(it)
	}
	it.where = inPassed
	if len(o.passed) == 0 {
		o.turn = n.Priority()
	}
	o.passed = append(o.passed, it)
}

// restore ends the slice for the tasks that were passed over, and notes the tasks that were passed over too often.
func (o *order) restore() {
	if len(o.passed) == 0 {
		return
	}
	for _, it := range o.passed {
		if it == nil || !o.firstOfFrame || o.held(it) {
			continue
		}
		o.refused(it)
		if it.skips < o.patience && it.node.Priority() >= o.turn {
			it.skips++
			if it.skips == o.patience {
				o.starved = append(o.starved, it)
			}
		}
	}
	o.takeBack()
}

// fits reports whether n is expected to end within the slice. If no time is left, the first task in order runs all the
// same.
func (o *order) fits(n *node) bool {
	left := time.Duration(o.until - o.now) // very long if until is Never
	if left <= 0 {
		return true
	}
	it := n.Value
	if o.held(it) {
		return false
	}
	if left >= o.kinds.high && (it.task == nil || it.task.sent.cost.Load() == 0) {
		return true // no kind is expected to take longer
	}
	return o.predict(it) <= left
}

// turns is the part of a slice that counts for patience (S34).
type turns struct {
	turn        deadline.Priority // of the first task that was passed over
	starvedNext *item             // the task that must run next, as it was passed over too often; or nil
}

// starvedFirst returns the task that was passed over too often and runs first in this frame, after at most one overdue
// task. It returns nil if there is none.
func (o *order) starvedFirst() *item {
	if len(o.starved) == 0 || !o.firstOfFrame || o.ran > 1 || o.ran > o.overdueRan || o.starvedRan {
		return nil
	}
	if o.leaps == 0 {
		return o.starved[0]
	}
	top := o.mostUrgent()
	for _, it := range o.starved {
		if it.node.Priority() >= top {
			return it
		}
	}
	return nil
}

// noteStarvedRun notes that the item is about to run. If it is starved and goes ahead of more urgent work, no other
// item does so in the next patience frames.
func (o *order) noteStarvedRun(it *item) {
	if it != o.starvedNext {
		return
	}
	o.starvedRan = true
	if it.node.Priority() < o.mostUrgent() {
		o.leaps = uint16(o.patience) + 1
	}
}

// countLeaps counts a frame down when its first slice begins.
func (o *order) countLeaps() {
	if o.firstOfFrame && o.leaps > 0 {
		o.leaps--
	}
}

// mostUrgent returns the highest priority of ready work.
func (o *order) mostUrgent() deadline.Priority {
	for _, p := range deadline.Priorities() {
		if o.ready(p, o.now) > 0 {
			return p
		}
	}
	return deadline.Idle
}

// preempts reports whether something is ready that goes before the running item.
func (o *order) preempts(it *item) bool {
	n := o.q.Peek(o.lastRead)
	if n == nil {
		return false
	}
	if t := it.task; t != nil && t.Idle != nil && !t.overdue {
		return true
	}
	return n.Priority() > it.node.Priority() && !o.goesOnBefore(it, n)
}

// goesOnBefore reports whether the next step of the running item would come before n, although n has a higher priority.
// Its expiration must be earlier than that of n. Its continuations must have time left in the slice (requeue), and so
// must overdue work (nextByPolicy). A function has no next step.
func (o *order) goesOnBefore(it *item, n *node) bool {
	t := it.task
	if o.q.ByPriority || t == nil || t.Step == nil && t.Co == nil || !o.sooner(it, n.Value) {
		return false
	}
	run := time.Duration(o.lastRead - o.now)
	used, steps, quota, overdueUsed := run, uint32(1), o.contQuota, o.overdueUsed
	if t.slice == o.n {
		used += t.usedTime
		steps += t.steps
	}
	if o.currentOverdue {
		quota = min(quota, o.overdueQuota)
		overdueUsed += run
	}
	if used >= quota || steps >= contSteps {
		return false
	}
	return o.overdueRan == 0 || overdueUsed < o.overdueQuota || !o.q.Expired(&it.node, o.lastRead)
}
