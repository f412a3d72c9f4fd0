package scheduler_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// The reference: a list that is searched from end to end for every decision. Here is what it consists of, and
// what is done to its tasks.

// The reference: a list that is searched from end to end for every decision.
type ref struct {
	policy  deadline.Policy
	now     deadline.Instant
	seq     int
	tasks   []*refTask // by id
	inbox   []func()
	forced  []*refTask
	log     []string
	slice   int
	framed  bool
	begun   bool
	until   deadline.Instant
	length  time.Duration
	fresh   bool
	ran     int
	passed  int
	lateRan int
	late    time.Duration
	forcedN bool
	force   *refTask
	turn    deadline.Priority
	leaps   int

	// See model_group_test.go.
	groups []*refGroup
	busy   []*refGroup
	again  bool
}

type refTask struct {
	*spec
	cur, want  deadline.Priority
	plain      bool
	start, exp deadline.Instant
	seq        int
	cont       bool
	state      byte // 'n'ew, 'q'ueued, 'r'unning, 'e'nded
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
	group      *refGroup
	stamp      int
}

var refTimeouts = deadline.Timeouts{}

const refForever = time.Duration(1 << 61)

func (r *ref) push(t *refTask, p deadline.Priority, delay time.Duration) {
	r.seq++
	timeout := t.timeout
	if timeout == 0 || t.plain || t.unwind {
		timeout = min(refTimeouts.Of(p), refForever)
	}
	t.cur, t.seq, t.cont, t.state, t.passed = p, r.seq, false, 'q', false
	t.start = r.now.Add(delay)
	t.exp = t.start.Add(timeout)
}

func (r *ref) do(a act) {
	switch a.op {
	case 's':
		t := &refTask{spec: a.child, state: 'n', cur: a.child.prio, group: r.group(a.child.group)}
		if t.group != nil && t.group.canceled {
			t.state = 'e'
		}
		for len(r.tasks) <= t.id {
			r.tasks = append(r.tasks, nil)
		}
		r.tasks[t.id] = t
		due := r.now.Add(t.delay) // a delay counts from the submission
		r.inbox = append(r.inbox, func() {
			if t.state == 'n' {
				delay := time.Duration(0)
				if t.delay > 0 {
					delay = due.Sub(r.now)
				}
				t.plain = t.cur != t.prio
				r.join(t)
				r.push(t, t.cur, delay)
				if t.group != nil && t.group.canceled {
					r.cancel(t)
					r.again = true
				}
			}
		})
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
	default:
		r.doGroup(a)
	}
}

func (r *ref) cancel(t *refTask) (ok bool) {
	switch {
	case t.cancel || t.state == 'e':
	case t.state == 'r':
		ok = t.kind == 's' || t.kind == 'c'
		t.cancel = ok
	case t.kind == 'c' && t.done > 0:
		ok, t.cancel = true, true
		r.message(t)
	default:
		ok = true
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
		if t.cancel {
			r.unwind(t)
		} else if t.wants {
			r.catchUp(t)
			r.setPriority(t, t.want)
		}
		if t.wants = false; t.state == 'e' {
			r.part(t)
		}
	})
}

func (r *ref) unwind(t *refTask) {
	if t.state == 'q' && !t.unwind {
		r.unforce(t)
		t.unwind = true
		r.push(t, deadline.Immediate, 0)
	}
}

func (r *ref) setPriority(t *refTask, p deadline.Priority) {
	switch {
	case t.state == 'e':
	case p != t.cur:
		t.cur, t.plain = p, true
		t.exp = t.start.Add(min(refTimeouts.Of(p), refForever))
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
	r.unforce(t)
}

func (r *ref) unforce(t *refTask) {
	if i := slices.Index(r.forced, t); i >= 0 {
		r.forced = slices.Delete(r.forced, i, i+1)
		t.skips = 0
	}
}

// forcedFirst returns what runs first in the frame because it was passed over too often.
func (r *ref) forcedFirst() *refTask {
	if !r.fresh || r.ran > 1 || r.ran > r.lateRan || r.forcedN {
		return nil
	}
	for _, t := range r.forced {
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

func (r *ref) overdue(t *refTask) bool {
	return t.cur != deadline.Immediate && t.exp <= r.now && t.exp.Sub(t.start) < refForever
}
