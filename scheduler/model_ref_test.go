package scheduler_test

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// The reference: a list that is searched from end to end for every decision. Here is what it consists of, and
// what is done to its tasks.

// The reference: a list that is searched from end to end for every decision.
type ref struct {
	byPriority bool
	timeouts   deadline.Timeouts
	share      float64
	patience   int

	now     deadline.Instant
	seq     int
	tasks   []*refTask // by id
	inbox   []func()
	starved []*refTask
	log     []string
	slices  int // begun
	framed  bool
	begun   bool
	leaps   int
	agains  agains
	refSlice

	// See model_group_test.go.
	groups  []*refGroup
	changed []*refGroup // in this frame
	again   bool

	shifted time.Duration
	jump    time.Duration // that is not taken out

	refFrames
}

// refSlice is the state of one slice.
type refSlice struct {
	start       deadline.Instant
	slice       int
	until       deadline.Instant
	length      time.Duration
	fresh       bool
	ran         int
	passed      int
	tooBig      int
	big         bool
	overdueRan  int
	overdueUsed time.Duration
	starvedRan  bool
	starvedNext *refTask
	turn        deadline.Priority
}

func newRef(o scheduler.Options, share float64, patience int) *ref {
	r := &ref{byPriority: o.ByPriority, timeouts: o.Timeouts, share: share, patience: patience}
	r.now, r.agains = 1, agains{}
	return r
}

type refTask struct {
	*spec
	cur, want  deadline.Priority
	plain      bool
	start, exp deadline.Instant
	seq        int
	cont       bool
	due        deadline.Instant // if it has a delay, and is new
	state      byte             // 'n'ew, 'q'ueued, de'l'ayed in its group, par'k'ed, 'r'unning, in a 'f'rame, 'e'nded
	passed     bool
	passedAt   int
	skips      int
	done       int // steps
	cancel     bool
	linked     bool
	wants      bool
	unwind     bool
	slice      int
	used       time.Duration
	overdueRun bool // the run began overdue
	again      bool // submitted again in its run
	begun      deadline.Instant
	behind     time.Duration // by how much a tick was late when it was queued
	missed     uint64
	group      *refGroup
	age        time.Duration    // of what is parked
	parkedAt   deadline.Instant // without what Shift has taken out; Never if it was delayed since
	tick       deadline.Instant // of a member: by the time of its group
	rung       deadline.Instant // the end of its delay, by that time, if it was queued then
}

const refForever = time.Duration(1 << 61)

// enter is push of what was submitted. A delay by the time of a group counts even if nothing is left of it.
func (r *ref) enter(t *refTask, p deadline.Priority) {
	r.push(t, p, r.left(t))
	if t.group != nil && t.delay > 0 && t.state != 'l' {
		d := t.tick.Sub(t.start)
		t.start, t.exp, t.state = t.start.Add(d), t.exp.Add(d), 'l'
		t.parkedAt = deadline.Never
	}
}

func (r *ref) push(t *refTask, p deadline.Priority, delay time.Duration) {
	r.seq++
	timeout := t.timeout
	if timeout == 0 || t.plain || t.unwind {
		timeout = min(r.timeouts.Of(p), refForever)
	}
	t.cur, t.seq, t.cont, t.state, t.passed = p, r.seq, false, 'q', false
	t.start = r.now.Add(delay)
	if g := t.group; g != nil {
		t.tick = r.timeOf(g, r.now).Add(delay)
		if delay != 0 {
			t.state, t.start, t.parkedAt = 'l', t.tick, deadline.Never
		}
	}
	t.exp = t.start.Add(timeout)
	if t.group != nil {
		t.rung = math.MinInt64
		r.park(t)
	}
}

// dueAfter returns when a delay that begins now is over, by the time of t's group.
func (r *ref) dueAfter(t *refTask) deadline.Instant { return r.timeOf(t.group, r.now).Add(t.delay) }

// left returns what is left of a delay.
func (r *ref) left(t *refTask) time.Duration {
	if t.delay <= 0 {
		return 0
	}
	return t.due.Sub(r.timeOf(t.group, r.now))
}

func (r *ref) do(a act) {
	switch a.op {
	case 's':
		if t := r.task(a.child.id); t == nil || t.state == 'e' {
			r.submit(a.child)
		}
	case 'a':
		switch t := r.task(a.target); {
		case t == nil || t.kind == 'p' || t.kind == 't' || !r.agains.more(a.target):
		case t.state == 'e':
			used, slice := t.used, t.slice
			r.submit(t.spec)
			r.tasks[t.id].used, r.tasks[t.id].slice = used, slice
		case t.state == 'r' && !t.again:
			t.again, t.due = true, r.dueAfter(t)
		}
	case 'c':
		t := r.task(a.target)
		ok := t != nil && r.cancel(t)
		r.log = append(r.log, fmt.Sprintf("cancel %d: %v", a.target, ok))
	case 'p':
		t := r.task(a.target)
		ok := t != nil && t.state != 'e'
		if ok && t.state == 'n' {
			t.cur = a.prio
		} else if ok {
			t.want, t.wants = a.prio, true
			r.message(t)
		}
		r.log = append(r.log, fmt.Sprintf("priority %d: %v", a.target, ok))
	case 'J':
		if r.jump != 0 {
			r.shift(r.jump)
		}
		r.jump = 0
	case 'C', 'P', 'N', 'Z', 'R', 'V':
		r.doGroup(a)
	default:
		r.doFrame(a)
	}
}

func (r *ref) submit(c *spec) {
	t := &refTask{spec: c, state: 'n', cur: c.prio, group: r.group(c.group)}
	t.parkedAt, t.rung = deadline.Never, math.MinInt64
	if t.group.isCanceled() {
		t.state, t.cancel = 'e', true
	}
	for len(r.tasks) <= t.id {
		r.tasks = append(r.tasks, nil)
	}
	r.tasks[t.id] = t
	t.due = r.dueAfter(t) // a delay counts from the submission
	r.inbox = append(r.inbox, func() {
		if t.state == 'n' {
			t.plain = t.cur != t.prio
			r.join(t, t.group)
			r.enter(t, t.cur)
			if t.group.isCanceled() {
				r.cancel(t)
				r.again = true
			}
		}
	})
}

// shift moves all that waits, when the clock has jumped.
func (r *ref) shift(d time.Duration) {
	r.shifted += d
	for _, t := range r.tasks {
		if t != nil {
			if t.group == nil {
				t.due = t.due.Add(d)
			}
			if t.state != 'l' {
				t.start, t.exp = t.start.Add(d), t.exp.Add(d)
			}
		}
	}
	for _, g := range r.changed {
		r.rewind(g, r.now.Add(-r.shifted), d)
	}
	r.delayAgain()
}

// nextWork returns when there is something to do.
func (r *ref) nextWork() (at deadline.Instant, ok bool) {
	if len(r.inbox) > 0 || r.frameWaits() {
		return r.now, true
	}
	r.ring()
	for _, t := range r.tasks {
		if t != nil && (t.state == 'q' || t.state == 'l' && t.group.stopped() == nil) {
			start := t.start
			if t.cont {
				start = r.now
			}
			if t.state == 'l' {
				start = r.outside(t.group, start)
			}
			if !ok || start < at {
				at, ok = start, true
			}
		}
	}
	return at, ok
}

// outcome is what State says.
func (t *refTask) outcome() scheduler.State {
	switch {
	case t.state == 'e' && t.cancel:
		return scheduler.Canceled
	case t.state == 'e':
		return scheduler.Done
	case t.state == 'f':
		return scheduler.Suspended
	}
	return scheduler.Queued
}

func (r *ref) cancel(t *refTask) (ok bool) {
	switch {
	case t.cancel && !(t.again && t.state == 'r') || t.state == 'e':
	case t.state == 'r':
		steps := t.kind == 's' || t.kind == 'c' || t.kind == 't'
		ok = t.again || steps
		t.again, t.cancel = false, steps
	case t.kind == 'c' && t.done > 0:
		ok, t.cancel, t.again = true, true, false
		r.message(t)
	default:
		ok, t.cancel, t.again = true, true, false
		if t.state != 'n' {
			r.message(t)
		}
		r.end(t)
	}
	return ok
}

// message puts t into the inbox; what is asked of it until the inbox is read is one message, at the place
// of the first.
func (r *ref) message(t *refTask) {
	if t.linked {
		return
	}
	t.linked = true
	r.inbox = append(r.inbox, func() {
		t.linked = false
		switch {
		case t.cancel && t.state != 'e':
			r.unwind(t)
		case t.wants:
			r.setPriority(t, t.want)
		}
		if t.wants = false; t.state == 'e' {
			r.part(t, t.group)
		}
	})
}

func (r *ref) unwind(t *refTask) {
	if (t.state == 'q' || t.state == 'l' || t.state == 'k' || t.state == 'f') && !t.unwind {
		r.unframe(t)
		r.unstarve(t)
		t.unwind = true
		r.push(t, deadline.Immediate, 0)
	}
}

func (r *ref) setPriority(t *refTask, p deadline.Priority) {
	switch {
	case t.state == 'e':
	case p != t.cur:
		t.cur, t.plain = p, true
		t.exp = t.start.Add(min(r.timeouts.Of(p), refForever))
	}
}

func (r *ref) task(id int) *refTask {
	if id >= len(r.tasks) {
		return nil
	}
	return r.tasks[id]
}

func (r *ref) end(t *refTask) {
	t.state = 'e'
	r.unstarve(t)
}

func (r *ref) unstarve(t *refTask) {
	if i := slices.Index(r.starved, t); i >= 0 {
		r.starved = slices.Delete(r.starved, i, i+1)
		t.skips = 0
	}
}

// starvedFirst returns what runs first in the frame because it was passed over too often.
func (r *ref) starvedFirst() *refTask {
	if !r.fresh || r.ran > 1 || r.ran > r.overdueRan || r.starvedRan {
		return nil
	}
	for _, t := range r.starved {
		if r.leaps == 0 || !r.waitFor(t) {
			return t
		}
	}
	return nil
}

// waitFor reports whether something more urgent than t is ready.
func (r *ref) waitFor(t *refTask) bool {
	return slices.ContainsFunc(r.tasks, func(x *refTask) bool {
		return x != nil && x.state == 'q' && (x.start <= r.now || x.cont) && x.cur > t.cur
	})
}

func (r *ref) isOverdue(t *refTask) bool {
	return t.cur != deadline.Immediate && t.exp <= r.now && t.exp.Sub(t.start) < refForever
}
