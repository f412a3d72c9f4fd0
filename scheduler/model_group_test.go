package scheduler_test

import (
	"fmt"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// refGroup is a group of the reference. What is asked of it takes effect when the inbox is read.
type refGroup struct {
	id       int
	canceled bool
	members  []*refTask // in the order in which the scheduler looks at them
	ended    []func()
	prio     deadline.Priority
	stamp    int
	busy     bool
}

func (r *ref) group(id int) *refGroup {
	if id == 0 {
		return nil
	}
	for len(r.groups) <= id {
		r.groups = append(r.groups, &refGroup{id: len(r.groups)})
	}
	return r.groups[id]
}

// doGroup is an act on a group.
func (r *ref) doGroup(a act) {
	g := r.group(a.target%3 + 1)
	switch a.op {
	case 'C':
		r.log = append(r.log, fmt.Sprintf("cancel group %d: %v", g.id, !g.canceled))
		if !g.canceled {
			g.canceled = true
			r.inbox = append(r.inbox, func() { r.work(g) })
		}
	case 'P':
		r.inbox = append(r.inbox, func() {
			g.prio = a.prio
			g.stamp++
			r.work(g)
		})
	case 'N':
		r.askEnded(g, func() { r.log = append(r.log, fmt.Sprintf("group %d has ended", g.id)) })
	}
}

func (r *ref) askEnded(g *refGroup, f func()) {
	r.inbox = append(r.inbox, func() {
		if len(g.members) == 0 {
			f()
			return
		}
		g.ended = append(g.ended, f)
	})
}

// work has a group looked at when the inbox has been read.
func (r *ref) work(g *refGroup) {
	if !g.busy {
		g.busy = true
		r.busy = append(r.busy, g)
	}
}

func (r *ref) join(t *refTask) {
	if g := t.group; g != nil {
		t.stamp = g.stamp
		g.members = append(g.members, t)
	}
}

func (r *ref) part(t *refTask) {
	g := t.group
	if g == nil {
		return
	}
	i := slices.Index(g.members, t)
	if i < 0 {
		return
	}
	last := len(g.members) - 1
	g.members[i] = g.members[last]
	if g.members = g.members[:last]; last == 0 {
		ended := g.ended
		g.ended = nil
		for _, f := range ended {
			r.askEnded(g, f)
			r.again = true
		}
	}
}

// catchUp gives t the priority that was asked for its group.
func (r *ref) catchUp(t *refTask) {
	if g := t.group; g != nil && t.stamp != g.stamp && !t.unwind && t.state != 'n' {
		t.stamp = g.stamp
		r.setPriority(t, g.prio)
	}
}

// drain reads the inbox.
func (r *ref) drain() {
	inbox := r.inbox
	r.inbox = nil
	for _, f := range inbox {
		f()
	}
	for len(r.busy) > 0 {
		g := r.busy[len(r.busy)-1]
		r.busy = r.busy[:len(r.busy)-1]
		g.busy = false
		for i := len(g.members) - 1; i >= 0; i-- {
			if t := g.members[i]; g.canceled {
				r.cancel(t)
				r.again = true
			} else {
				r.catchUp(t)
			}
		}
	}
	if r.again { // what the cancellations asked for
		r.again = false
		r.drain()
	}
}

// own reports whether t goes by a timeout of its own, which no share concerns.
func (r *ref) own(t *refTask) bool {
	return r.policy == deadline.ByExpiration && t.timeout != 0 && !t.plain
}

// first returns the first ready task of those that are wanted, in the order of the policy.
func (r *ref) first(want func(*refTask) bool) *refTask { return r.least(r.before, want) }

func (r *ref) before(a, b *refTask) bool {
	if r.policy == deadline.ByPriority {
		return byPriority(a, b)
	}
	return byExpiration(a, b)
}

// owedTo returns what runs in the place of t because a share is owed to it.
func (r *ref) owedTo(t *refTask) *refTask {
	if t == nil || t.cur == deadline.Immediate || r.ran == 0 && r.overdue(t) {
		return nil
	}
	for i, p := range [2]deadline.Priority{deadline.Low, deadline.Idle} {
		if !r.owing[i] {
			continue
		}
		x := r.first(func(x *refTask) bool { return x.cur == p && !r.own(x) })
		if x == nil || r.owe[i] < 0 {
			r.owing[i] = false
			continue
		}
		r.owing[i] = r.fits(x)
		r.owed = x
		return x
	}
	return nil
}

// pay charges the run of t that has just ended.
func (r *ref) pay(owed bool, p deadline.Priority, cost time.Duration) {
	if p < deadline.Normal {
		r.ownUsed[deadline.Low-p] += cost
	}
	if owed {
		owe := &r.owe[deadline.Low-p]
		*owe = max(*owe-20*max(cost, time.Microsecond), -r.grace)
	}
}

// starve counts what others used at the end of a slice that took used.
func (r *ref) starve(used time.Duration) {
	for i, p := range [2]deadline.Priority{deadline.Low, deadline.Idle} {
		switch {
		case p == deadline.Low && r.policy == deadline.ByExpiration:
		case r.first(func(x *refTask) bool { return x.cur == p && !r.own(x) }) == nil:
			r.owe[i] = -r.grace
		default:
			r.owe[i] = min(r.owe[i]+used-r.ownUsed[i], scheduler.OwedMost)
		}
	}
}

// doGroup is an act on a group of the scheduler.
func (w *real) doGroup(a act) {
	g := w.group(a.target%3 + 1)
	switch a.op {
	case 'C':
		w.log = append(w.log, fmt.Sprintf("cancel group %d: %v", a.target%3+1, g.Cancel()))
	case 'P':
		g.SetPriority(a.prio)
	case 'N':
		scheduler.OnEnd(g, func() { w.log = append(w.log, fmt.Sprintf("group %d has ended", a.target%3+1)) })
	}
}

func (w *real) group(id int) *scheduler.Group {
	if id == 0 {
		return nil
	}
	for len(w.groups) <= id {
		w.groups = append(w.groups, w.s.NewGroup(fmt.Sprint(len(w.groups))))
	}
	return w.groups[id]
}

// drawGroup draws the group of a task: none, as a rule, in scripts without groups.
func drawGroup(t *rapid.T) int {
	return rapid.SampledFrom([]int{0, 0, 1, 1, 2, 3}).Draw(t, "group")
}
