package scheduler

import "github.com/frameslice/frameslice/deadline"

// The members of a group are a list of the frame goroutine's. The requests of other goroutines are messages in the
// inbox: items of the arena that never were tasks.
//
// S19. Each message has an item of its own, so it has a place of its own, behind what its sender submitted before. So
// SetPriority and Done concern the members that were submitted before.
//
// S20. A member that was chosen runs only if its group is not cancelled and has asked for no other priority. Otherwise
// the member is cancelled, or moved to that priority, first. So a request to a group holds as soon as the frame
// goroutine has read it (a cancellation even before), although the members are handled in portions.
//
// S21. When the last member leaves, the functions that wait for the end are asked for again, by messages behind all
// that the member submitted. The group has ended only if it has no member when such a message is read. A member that
// was cancelled leaves when the message about the cancellation is read, or earlier, when it is taken out of its list.
// Close finds members in the lists only: what is in the inbox then is swept (S8).

// S48. A group that has members, members to come or kids is among the kids of its parent. So the groups within a group
// that have anything are found from it, and others take no memory in their parent. A request to a group is one to its
// kids too, when it is read. A kid that appears later has no member that was submitted before the request. A group has
// ended if it has no members, none to come, and no kids, and its end is the end of a kid for its parent.

// isCanceled reports whether the group or one around it was cancelled. Any goroutine.
func (g *Group) isCanceled() bool {
	for ; g != nil; g = g.parent {
		if g.canceled.Load() {
			return true
		}
	}
	return false
}

// ask sends a message to the frame goroutine. Any goroutine.
func (g *Group) ask(what, arg uint32, f func()) { g.s.message(&g.anchor.item, what, arg, f) }

// message sends a request to a group, or askJoin about a task. Any goroutine.
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

// answer takes the request of a message. The members are looked at when the inbox has been read, so that many requests
// cost one look at each member.
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
		if g.isEmpty() {
			s.tellEnded(f)
		} else {
			g.ended = append(g.ended, f)
		}
		return
	case askRest:
		return // the drain sees s.busy
	}
	s.concern(g, what, arg)
}

// concern has the members of a group, and of those within it, looked at.
func (s *Scheduler) concern(g *Group, what, arg uint32) {
	if what == askPriority {
		g.prio = deadline.Immediate - deadline.Priority(arg)
		g.stamp++
	}
	g.cursor = len(g.members)
	if !g.busy {
		g.busy = true
		s.busy = append(s.busy, g)
	}
	for _, kid := range g.kids {
		if what == askPriority {
			kid.asked.Add(1)
		}
		s.concern(kid, what, arg)
	}
}

// tellEnded calls f, which waits for the end of a group, in the middle of a drain. f may call the scheduler. Such a
// call must not drain: the messages that were taken before come first.
func (s *Scheduler) tellEnded(f func()) {
	s.telling = true
	defer func() { s.telling = false }()
	f()
}

// refused is answer after Close: only the functions that wait for the end are called. Any goroutine.
func (it *item) refused() {
	if it.life == askEnded {
		it.fn()
	}
	it.where, it.fore = nowhere, nil
	it.word.And(^flagMessage)
}

// workOn applies the requests to all members of the groups, from the last to the first. If the deadline comes first,
// workOn sends a message, so that the inbox is read again, and returns false. A member that leaves gives its spot to
// the last member, which was looked at before. So no member is overlooked, and a second look does no harm.
func (s *Scheduler) workOn(now deadline.Instant) (finished bool) {
	n := 0
	for len(s.busy) > 0 {
		last := len(s.busy) - 1
		g := s.busy[last]
		for g.cursor = min(g.cursor, len(g.members)); g.cursor > 0; {
			g.cursor--
			it := g.members[g.cursor]
			if g.isCanceled() {
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

// upToDate gives a member the priority that was asked for its group. It reports whether the member needed no change.
func (s *Scheduler) upToDate(it *item, now deadline.Instant) bool {
	m := s.memberOf(it)
	if m.stamp == m.g.stamp || it.fatal {
		return true
	}
	s.reprioritise(it, m.g.prio, now)
	return false
}

// mayRun reports whether a member that was chosen may run (S20). It may not if its group was cancelled or given another
// priority, and workOn had not come to this member yet. Then mayRun has cancelled or moved the member.
func (s *Scheduler) mayRun(it *item) bool {
	m := s.memberOf(it)
	if m.g == nil || it.fatal {
		return true
	}
	if m.g.isCanceled() {
		s.unlink(it)
		it.cancel(s, m.life, endCanceled)
		if it.word.Load()&phaseMask == phaseIdle {
			s.noteGone(it)
			s.leaveGroup(it) // at once, not when the message is read: Close may come first
		}
		return false
	}
	return s.upToDate(it, s.now)
}

// priorityOf returns the item's priority, after applying a request to its group.
func (s *Scheduler) priorityOf(it *item) deadline.Priority {
	if m := s.memberOf(it); m != nil && m.g != nil && m.stamp != m.g.stamp {
		s.upToDate(it, s.now)
	}
	return it.node.Priority()
}

// enroll gives a member that is about to be queued the priority that was asked for its group.
func (s *Scheduler) enroll(it *item) {
	if m := s.memberOf(it); m != nil && m.g != nil {
		s.upToDate(it, s.now)
	}
}

// join makes an item that is about to be queued for the given life a member of its group.
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
		s.leaveGroup(it)
	} else if len(s.coming) > 0 {
		s.expect(it.task, nil)
	}
	if g == nil {
		return // a later life has written sent.group, so this life has ended
	}
	if m.g == nil {
		m.g, m.spot = g, uint32(len(g.members))
		g.members = append(g.members, it)
		s.appear(g)
	}
	m.life, m.stamp = life, g.stamp
	if g.isCanceled() {
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

// expect notes the group of which t will be a member when its present life has ended. A nil group says that there is
// none, or that t has become its member.
//
// S41. A Submit of a running task into another group than before sends a message, which is read before what the same
// goroutine asks the group later (S4). If the life has ended when the message is read, the task has been queued as a
// member, or was cancelled. Otherwise the group waits for the end of that life, even if a Cancel has taken the
// submission back: what runs then ends soon, or is unwound. When the life ends, the task is a member before the group
// looks whether to wait any longer (S21). J in the word of a life says that it has had such a submission.
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
		s.appear(g)
	}
	if old != nil {
		old.coming--
		s.mayHaveEnded(old)
	}
}

// leaveGroup ends a membership, or the expectation of one.
func (s *Scheduler) leaveGroup(it *item) {
	if len(s.coming) > 0 {
		s.expect(it.task, nil) // a posted function has no task, and coming has no entry for nil
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

// mayHaveEnded sends the functions that wait for the end of g as new messages, if g has no members. The last member may
// have submitted another one just before it ended, and these messages come behind that submission (S21).
func (s *Scheduler) mayHaveEnded(g *Group) {
	if !g.isEmpty() {
		return
	}
	for i, f := range g.ended {
		g.ended[i] = nil
		g.ask(askEnded, 0, f)
		s.readAgain = true
	}
	g.ended = g.ended[:0]
	if up := g.parent; up != nil && g.spot > 0 {
		last := len(up.kids) - 1
		moved := up.kids[last]
		up.kids[g.spot-1], up.kids[last] = moved, nil
		moved.spot = g.spot
		up.kids, g.spot = up.kids[:last], 0
		s.mayHaveEnded(up)
	}
}

// isEmpty reports whether nothing is left that a wait for the group's end waits for.
func (g *Group) isEmpty() bool { return len(g.members) == 0 && g.coming == 0 && len(g.kids) == 0 }

// appear makes a group that has something a kid of its parent, and so on.
func (s *Scheduler) appear(g *Group) {
	for up := g.parent; up != nil && g.spot == 0; g, up = up, up.parent {
		up.kids = append(up.kids, g)
		g.spot = len(up.kids)
	}
}
