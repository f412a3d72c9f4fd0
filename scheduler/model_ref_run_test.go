package scheduler_test

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// The reference's slice: in which order, what fits, and what follows when a task has run.

func byExpiration(a, b *refTask) bool { return a.exp < b.exp || a.exp == b.exp && a.seq < b.seq }

func byPriority(a, b *refTask) bool {
	switch {
	case a.cur != b.cur:
		return a.cur > b.cur
	case a.cont != b.cont:
		return a.cont
	case a.cont || a.start == b.start:
		return a.seq < b.seq
	}
	return a.start < b.start
}

// least returns the first ready task by the order among those that are wanted.
func (r *ref) least(before func(a, b *refTask) bool, want func(*refTask) bool) (first *refTask) {
	for _, t := range r.tasks {
		if t != nil && t.state == 'q' && !t.passed && (t.start <= r.now || t.cont) && want(t) {
			if first == nil || before(t, first) {
				first = t
			}
		}
	}
	return first
}

func all(*refTask) bool { return true }

// expired reports whether t is seen to be overdue. Under ByPriority a continuation hides those behind it.
func (r *ref) expired(t *refTask) bool {
	if r.byPriority && t.cont {
		first := r.least(byPriority, func(x *refTask) bool { return x.cont && x.cur == t.cur })
		if first != t {
			return false
		}
	}
	return t.exp <= r.now && t.exp.Sub(t.start) < refForever
}

func (r *ref) nextByPolicy() *refTask {
	if r.starvedNext != nil && (r.ran == 1 || r.least(byExpiration, r.expired) == nil) {
		return r.starvedNext
	}
	if r.byPriority && r.ran == 0 {
		if t := r.least(byExpiration, r.expired); t != nil {
			return t
		}
	}
	t := r.first(all)
	if !r.byPriority && t != nil && r.overdueUsed >= r.overdueQuota() && r.overdueRan > 0 && r.isOverdue(t) {
		f := r.least(byExpiration, func(t *refTask) bool {
			return !r.isOverdue(t) && t.exp.Sub(t.start) < refForever
		})
		if f != nil {
			t = f
		}
	}
	return t
}

func (r *ref) overdueQuota() time.Duration { return time.Duration(r.share * float64(r.length)) }

func (r *ref) fits(t *refTask) bool {
	left := r.until.Sub(r.now)
	return left <= 0 || t.unwind || t.cost <= left
}

func (r *ref) claimNext() *refTask {
	for {
		r.runMicros()
		r.drain()
		if r.ran > 0 && (r.now >= r.until || r.drawAsked) {
			return nil
		}
		if t := r.nextRunnable(); t != nil || len(r.inbox) == 0 || r.now >= r.until {
			return t
		}
	}
}

func (r *ref) nextRunnable() *refTask {
	r.ring()
	r.starvedNext, r.big = r.starvedFirst(), false
	t := r.nextByPolicy()
	first := t
	for t != nil && !r.fits(t) {
		if r.ran == 0 && r.isOverdue(t) || t == r.starvedNext {
			r.big = t.cost > r.length
			return t
		}
		if r.passed == scheduler.PassLimit {
			t = nil
			break
		}
		if r.passed == 0 {
			r.turn = t.cur
		}
		t.passed, t.passedAt = true, r.passed
		r.passed++
		t = r.nextByPolicy()
	}
	if t == nil && r.ran == 0 && first != nil {
		r.big = first.cost > r.length
		return first
	}
	return t
}

func (r *ref) run(budget time.Duration) {
	r.slices++
	r.refSlice = refSlice{
		slice: r.slices, start: r.now, until: r.now.Add(budget), length: max(budget, 0), fresh: r.begun || !r.framed,
	}
	r.begun = false
	if r.fresh {
		r.leaps = max(r.leaps-1, 0)
	}
	if !r.framed {
		r.forgetPaces()
		r.releaseFrames()
	}
	if r.fresh {
		r.unhostedPhases()
	}
	for t := r.claimNext(); t != nil; t = r.claimNext() {
		if t == r.starvedNext {
			r.starvedRan = true
			if r.waitFor(t) {
				r.leaps = r.patience + 1
			}
		}
		r.unstarve(t)
		t.overdueRun = r.isOverdue(t)
		r.ran++
		if t.overdueRun {
			r.overdueRan++
		}
		if r.big {
			r.tooBig++
		}
		t.passed = false
		from := r.now
		r.step(t)
		cost := r.now.Sub(from)
		if t.overdueRun {
			r.overdueUsed += cost
		}
		t.skips = 0
		if t.slice != r.slice {
			t.slice, t.used = r.slice, 0
		}
		t.used += cost
		r.after(t)
	}
	r.restore()
}

// restore ends the slice for what was passed over.
func (r *ref) restore() {
	var passed []*refTask
	for _, t := range r.tasks {
		if t != nil && t.passed {
			t.passed = false
			if t.state == 'q' {
				passed = append(passed, t)
			}
		}
	}
	slices.SortFunc(passed, func(a, b *refTask) int { return a.passedAt - b.passedAt })
	for _, t := range passed {
		if r.fresh && t.skips < r.patience && t.cur >= r.turn {
			if t.skips++; t.skips == r.patience {
				r.starved = append(r.starved, t)
			}
		}
	}
}

func (r *ref) step(t *refTask) {
	t.state, t.begun = 'r', r.now
	if t.group != nil {
		t.begun = r.timeOf(t.group, r.now)
	}
	if t.unwind {
		r.log = append(r.log, fmt.Sprintf("unwound %d", t.id))
		return
	}
	t.done++
	r.log = append(r.log, fmt.Sprintf("%d.%d at %v", t.id, t.done, time.Duration(r.now)))
	r.now += deadline.Instant(t.cost)
	for _, a := range t.acts {
		if a.step == t.done {
			r.do(a)
		}
	}
}

func (r *ref) after(t *refTask) {
	quota := r.length / 2
	if t.overdueRun {
		quota = min(quota, r.overdueQuota())
	}
	switch {
	case t.kind == 'c' && t.cancel && t.done < t.steps && !t.unwind:
		r.log = append(r.log, fmt.Sprintf("unwound %d", t.id))
		fallthrough
	case t.unwind || t.cancel || t.done == t.steps:
		r.end(t)
		if t.again {
			r.beginAgain(t)
		} else {
			r.part(t, t.group)
		}
	case t.kind == 't':
		now, tick := r.now, t.start.Add(-t.behind)
		if t.group != nil {
			now, tick = r.timeOf(t.group, now), t.tick
		}
		skip := max(t.begun.Sub(tick), 0) / t.period
		t.missed += uint64(skip)
		tick = tick.Add((skip + 1) * t.period)
		delay := tick.Sub(now)
		t.behind = max(-delay, 0)
		r.push(t, t.cur, max(delay, 0))
		t.tick = tick
	case t.pause == -1:
		t.state = 'f'
		r.frames = append(r.frames, t)
	case t.pause == -2:
		t.state = 'f'
		if r.drawOwed {
			r.drawLate = append(r.drawLate, t)
		} else {
			r.draws = append(r.draws, t)
		}
	case t.pause > 0:
		r.push(t, t.cur, t.pause)
	case t.used < quota:
		t.state = 'q'
		if r.byPriority {
			r.seq++
			t.seq, t.cont = r.seq, true
		}
		if t.group != nil {
			t.rung = math.MinInt64
			r.park(t)
		}
	default:
		t.used = 0
		r.push(t, t.cur, 0)
	}
}

// beginAgain begins the next generation of what was submitted in its own run.
func (r *ref) beginAgain(t *refTask) {
	t.again, t.cancel, t.unwind, t.wants, t.plain, t.done = false, false, false, false, false, 0
	r.enter(t, t.prio)
	if t.group.isCanceled() {
		r.cancel(t)
		r.again = true
	}
}

func (r *ref) releaseFrames() {
	waiting := r.frames
	r.frames = nil
	r.wake(waiting)
}

func (r *ref) wake(waiting []*refTask) {
	for _, t := range waiting {
		r.push(t, t.cur, 0)
	}
}

func (r *ref) unframe(t *refTask) {
	for _, l := range []*[]*refTask{&r.frames, &r.draws, &r.drawLate} {
		*l = slices.DeleteFunc(*l, func(x *refTask) bool { return x == t })
	}
}
