package scheduler_test

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"github.com/frameslice/frameslice/scheduler"
)

// refGroup is a group of the reference. What is asked of it takes effect when the inbox is read.
type refGroup struct {
	id       int
	canceled bool
	members  []any // *refTask or *refCall, in the order in which the scheduler looks at them
	ended    []func()
	parent   *refGroup
	children []*refGroup // with members

	paused        bool
	speed         float64
	times, before refClock // since the last change, and when the frame began
	changed       bool     // in this frame
}

func (r *ref) group(id int) *refGroup {
	if id == 0 {
		return nil
	}
	for len(r.groups) <= id {
		g := &refGroup{id: len(r.groups), speed: 1, times: refClock{rate: 1}}
		if g.id == 2 {
			g.parent = r.groups[1]
		}
		r.groups = append(r.groups, g)
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
			r.inbox = append(r.inbox, func() { r.each(g, r.cancelMember) })
		}
	case 'P':
		r.inbox = append(r.inbox, func() {
			r.each(g, func(m any) {
				if t, ok := m.(*refTask); ok && !t.unwind {
					r.setPriority(t, a.prio)
				}
			})
		})
	case 'N':
		r.askEnded(g, func() { r.log = append(r.log, fmt.Sprintf("group %d has ended", g.id)) })
	case 'Z':
		r.setPace(g, true, g.speed)
	case 'R':
		r.setPace(g, false, g.speed)
	case 'V':
		r.setPace(g, g.paused, a.speed)
	}
}

func (r *ref) askEnded(g *refGroup, f func()) {
	r.inbox = append(r.inbox, func() {
		if len(g.members)+len(g.children) == 0 {
			f()
			return
		}
		g.ended = append(g.ended, f)
	})
}

// each calls f with the members of a group, and of those within.
func (r *ref) each(g *refGroup, f func(m any)) {
	for _, m := range g.members {
		f(m)
	}
	for _, child := range g.children {
		r.each(child, f)
	}
}

func (r *ref) cancelMember(m any) {
	switch m := m.(type) {
	case *refTask:
		r.cancel(m)
	case *refCall:
		r.cancelCall(m)
	}
	r.again = true
}

func (r *ref) join(m any, g *refGroup) {
	if g != nil {
		g.members = append(g.members, m)
		for ; g.parent != nil && !slices.Contains(g.parent.children, g); g = g.parent {
			g.parent.children = append(g.parent.children, g)
		}
	}
}

func (r *ref) part(m any, g *refGroup) {
	if g == nil {
		return
	}
	i := slices.Index(g.members, m)
	if i < 0 {
		return
	}
	last := len(g.members) - 1
	g.members[i] = g.members[last]
	g.members = g.members[:last]
	for ; g != nil && len(g.members)+len(g.children) == 0; g = g.parent {
		ended := g.ended
		g.ended = nil
		for _, f := range ended {
			r.askEnded(g, f)
			r.again = true
		}
		if up := g.parent; up != nil {
			last := len(up.children) - 1
			if i := slices.Index(up.children, g); i >= 0 {
				up.children[i] = up.children[last]
				up.children = up.children[:last]
			}
		}
	}
}

// drain reads the inbox.
func (r *ref) drain() {
	inbox := r.inbox
	r.inbox = nil
	for _, f := range inbox {
		f()
	}
	if r.again { // what the cancellations asked for
		r.again = false
		r.drain()
	}
}

// first returns the first ready task of those that are wanted, in the order of the policy.
func (r *ref) first(want func(*refTask) bool) *refTask { return r.least(r.before, want) }

func (r *ref) before(a, b *refTask) bool {
	if r.byPriority {
		return byPriority(a, b)
	}
	return byExpiration(a, b)
}

// doGroup is an act on a group: 'C'ancel, 'P'riority, 'N'otify, 'R'esume, 'Z' pauses it, and 'V' sets its speed.
func (w *real) doGroup(a act) {
	g := w.group(a.target%3 + 1)
	switch a.op {
	case 'C':
		w.log = append(w.log, fmt.Sprintf("cancel group %d: %v", a.target%3+1, g.Cancel()))
	case 'P':
		g.SetPriority(a.prio)
	case 'N':
		scheduler.OnEnd(g, func() { w.log = append(w.log, fmt.Sprintf("group %d has ended", a.target%3+1)) })
	case 'Z':
		g.Pause()
	case 'R':
		g.Resume()
	case 'V':
		g.SetSpeed(a.speed)
	}
}

func (w *real) group(id int) *scheduler.Group {
	if id == 0 {
		return nil
	}
	for len(w.groups) <= id {
		id := len(w.groups)
		g := w.s.NewGroup(fmt.Sprint(id))
		if id == 2 {
			g = w.groups[1].NewGroup("within 1")
		}
		w.groups = append(w.groups, g)
	}
	return w.groups[id]
}

// drawGroup draws the group of a task: none, as a rule, in scripts without groups.
func drawGroup(t *rapid.T) int {
	return rapid.SampledFrom([]int{0, 0, 1, 1, 2, 3}).Draw(t, "group")
}
