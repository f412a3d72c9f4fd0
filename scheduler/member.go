package scheduler

import "github.com/frameslice/frameslice/deadline"

// ask sends a message: an item of the arena that never was anybody's task. Any goroutine. Each message is an
// item of its own, so it keeps its place among what its sender submits (S4), and never waits for a place.
func (g *Group) ask(what, arg uint32, f func()) { g.s.message(&g.anchor.item, what, arg, f) }

// message is ask, or askJoin of a task's item. Any goroutine.
func (s *Scheduler) message(of *item, what, arg uint32, f func()) {
	if s.closed.Load() { // nobody would read it, nor give the item back
		if what == askEnded {
			f()
		}
		return
	}
	it := s.arena.get(noLane)
	it.where, it.life, it.order, it.fore, it.fn = isMessage, what, arg, of, f
	it.word.Or(flagMessage) // for sweep, which may not look at where
	s.push(it)              // as with a relay, the rest of its word stays as it is
}

// answer notes what a message asks. What concerns the members is done when the inbox has been read, so that
// many requests cost one look at each.
func (s *Scheduler) answer(it *item, now deadline.Instant) {
	of, what, arg, f := it.fore.task, it.life, it.order, it.fn
	it.where, it.fore, it.fn = nowhere, nil, nil
	it.word.And(^flagMessage)
	s.arena.put(it)
	if what == askJoin {
		s.noteJoin(of, arg)
		return
	}
	g := of.Group
	switch what {
	case askEnded:
		if len(g.members) == 0 && g.coming == 0 {
			s.tellEnded(f)
		} else {
			g.ended = append(g.ended, f)
		}
		return
	case askRest:
		return // whoever reads the inbox sees s.busy
	case askPriority:
		g.prio = deadline.Immediate - deadline.Priority(arg)
		g.stamp++
	}
	g.cursor = len(g.members)
	if !g.busy {
		g.busy = true
		s.busy = append(s.busy, g)
	}
}

// tellEnded calls what waits for the end of a group, in the middle of reading the inbox: whatever it asks of the
// scheduler must not read on, ahead of what was read before.
func (s *Scheduler) tellEnded(f func()) {
	s.telling = true
	defer func() { s.telling = false }()
	f()
}

// refused is answer after Close. Any goroutine.
func (it *item) refused() {
	if it.life == askEnded {
		it.fn()
	}
	it.where, it.fore = nowhere, nil
	it.word.And(^flagMessage)
}

// workOn does what was asked of groups for all their members, from the last one to the first, until the
// deadline; then a message remains, so that the inbox is read again, and it reports false. A member that
// leaves gives its spot to the last one, which was looked at before, so none is overlooked; one that is looked
// at twice is none the worse for it.
func (s *Scheduler) workOn(now deadline.Instant) (finished bool) {
	n := 0
	for len(s.busy) > 0 {
		last := len(s.busy) - 1
		g := s.busy[last]
		for g.cursor = min(g.cursor, len(g.members)); g.cursor > 0; {
			g.cursor--
			it := g.members[g.cursor]
			if g.canceled.Load() {
				it.cancel(s, s.memberOf(it).life, endCanceled)
				s.readAgain = true
			} else {
				s.upToDate(it, now)
			}
			if n++; n%groupChunk != 0 {
				continue
			}
			var over bool
			if now, over = s.portion(now); over {
				g.ask(askRest, 0, nil)
				return false
			}
		}
		g.busy = false
		s.busy[last] = nil
		s.busy = s.busy[:last]
	}
	return true
}

// upToDate gives a member the priority that was asked for its group, and reports whether it had it.
func (s *Scheduler) upToDate(it *item, now deadline.Instant) bool {
	m := s.memberOf(it)
	if m.stamp == m.g.stamp || it.fatal {
		return true
	}
	s.reprioritise(it, m.g.prio, now)
	return false
}

// mayRun reports whether a member that was chosen may run. If not, it has been moved to where it belongs: its
// group was cancelled, or given another priority, and the frame goroutine has not come to this member yet.
func (s *Scheduler) mayRun(it *item) bool {
	m := s.memberOf(it)
	if m.g == nil || it.fatal {
		return true
	}
	if m.g.canceled.Load() {
		s.unlink(it)
		it.cancel(s, m.life, endCanceled)
		if it.word.Load()&phaseMask == phaseIdle {
			s.part(it) // not with the message of that: Close may be ahead of it
		}
		return false
	}
	return s.upToDate(it, s.now)
}

// priorityOf returns the item's priority, with what was asked for its group.
func (s *Scheduler) priorityOf(it *item) deadline.Priority {
	if m := s.memberOf(it); m != nil && m.g != nil && m.stamp != m.g.stamp {
		s.upToDate(it, s.now)
	}
	return it.node.Priority()
}

// enroll has a member, which is about to be queued, queued with its group, by the present priority of that.
func (s *Scheduler) enroll(it *item) {
	m := s.memberOf(it)
	if m == nil || m.g == nil || it.fatal {
		return
	}
	s.upToDate(it, s.now)
}

// memberOf returns the item's membership. For a posted function, that is in a table beside the arena, so that
// those in no group need no room for it; nil says that the table does not reach that far.
func (s *Scheduler) memberOf(it *item) *member {
	if it.index == 0 {
		return &it.task.member
	}
	if i := int(it.index) - 1; i < len(s.posted) {
		return &s.posted[i]
	}
	return nil
}

// join makes an item that is about to be queued for the given life a member of the group that it was submitted
// to.
func (s *Scheduler) join(it *item, life uint32) {
	var g *Group
	if it.index == 0 {
		g = it.task.sent.group.Load()
	} else {
		g = it.fore.task.Group
		it.fore = nil
		if n := int(it.index) - len(s.posted); n > 0 {
			s.posted = append(s.posted, make([]member, n)...)
		}
	}
	m := s.memberOf(it)
	if m.g != g {
		s.part(it)
	} else if len(s.coming) > 0 {
		s.expect(it.task, nil)
	}
	if g == nil {
		return // that of a later life, so this one has ended
	}
	if m.g == nil {
		m.g, m.spot = g, uint32(len(g.members))
		g.members = append(g.members, it)
	}
	m.life, m.stamp = life, g.stamp
	if g.canceled.Load() {
		it.cancel(s, life, endCanceled)
		s.readAgain = true
	}
}

// joining is the part of a Scheduler that knows of members to come.
type joining struct {
	coming map[*Task]*Group // the group of which each will be a member when its present life has ended
}

// noteJoin notes that t was submitted again in this life, into another group.
func (s *Scheduler) noteJoin(t *Task, life uint32) {
	if w := t.item.word.Load(); lifeOf(w) == life && w&phaseMask != phaseIdle {
		s.expect(t, t.sent.group.Load())
	}
}

// expect notes the group of which t will be a member when its present life has ended; nil is none, or that it is one.
//
// S41. Who submits a running task into another group than it was submitted to last sends a message about that, so it
// is read before what he asks the group later (S4). If the life has ended when it is read, the task has been queued as
// a member, or was canceled. Otherwise the group waits for the end of that life, also if a Cancel has taken the
// submission back: what runs then ends soon, or is unwound. When the life ends, the task is a member before the group
// looks whether to wait any longer (S21). If a life has had such a submission J in its word says so, and stays.
func (s *Scheduler) expect(t *Task, g *Group) {
	old := s.coming[t]
	switch {
	case old == g:
		return
	case g == nil:
		delete(s.coming, t)
	default:
		if s.coming == nil {
			s.coming = make(map[*Task]*Group)
		}
		s.coming[t] = g
		g.coming++
	}
	if old != nil {
		old.coming--
		s.mayHaveEnded(old)
	}
}

// part ends a membership, if there is one, or what was to become one.
func (s *Scheduler) part(it *item) {
	if len(s.coming) > 0 {
		s.expect(it.task, nil) // a posted function has none, and is not in there
	}
	m := s.memberOf(it)
	if m == nil || m.g == nil {
		return
	}
	g := m.g
	last := len(g.members) - 1
	moved := g.members[last]
	g.members[m.spot] = moved
	s.memberOf(moved).spot = m.spot
	g.members[last] = nil
	g.members = g.members[:last]
	*m = member{}
	if last > 0 {
		return
	}
	if cap(g.members) > memberLimit {
		g.members = nil
	}
	s.mayHaveEnded(g)
}

// mayHaveEnded has who waits for the end of g ask again if there are no members. The last one may have submitted
// another just before it ended: ask behind that.
func (s *Scheduler) mayHaveEnded(g *Group) {
	if len(g.members) > 0 || g.coming > 0 {
		return
	}
	for i, f := range g.ended {
		g.ended[i] = nil
		g.ask(askEnded, 0, f)
		s.readAgain = true
	}
	g.ended = g.ended[:0]
}
