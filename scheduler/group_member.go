package scheduler

import "github.com/frameslice/frameslice/deadline"

// The members of a group are a list of the frame goroutine's. The requests of other goroutines are group requests:
// messages in the inbox, in items of the arena that never were tasks.
//
// S19. Each group request has an item of its own, so it has a place of its own, behind what its sender submitted
// before. So SetPriority and Done concern the members that were submitted before.
//
// S20. A request to a group is carried out for all its members when the frame goroutine reads it. A cancellation holds
// even before: a member that was chosen runs only if its group is not cancelled.
//
// S21. When the last member leaves, the functions that wait for the end are asked for again, by group requests behind
// all that the member submitted. The group has ended only if it has no member when such a request is read. A member
// that was cancelled leaves when the message about the cancellation is read, or earlier, when it is taken out of its
// list. Close finds members in the lists only: what is in the inbox then is swept (S8).

// S48. A group that has members, members to come or children is among the children of its parent. So the groups within
// a group that have anything are found from it, and others take no memory in their parent. A request to a group is one
// to its children too, when it is read. A child that appears later has no member that was submitted before the request.
// A group has ended if it has no members, none to come, and no children. Its end is the end of a child for its parent.

// memberships is the part of a Scheduler that knows the groups of items, and which groups have ended. The frame
// goroutine's.
type memberships struct {
	posted    []member         // of posted functions, by their index; as long as needed
	coming    map[*Task]*Group // the group of which each will be a member when its present generation has ended
	readAgain bool             // members were cancelled, or groups ended: there are messages about that
	telling   bool             // functions that wait for a group are called, within a reading of the inbox
}

// memberOf returns the item's membership. Posted functions have theirs in a table beside the arena, so that functions
// in no group need no room for it. It returns nil if the table does not reach that far.
func (ms *memberships) memberOf(it *item) *member {
	if it.index == 0 {
		return &it.task.member
	}
	if i := int(it.index) - 1; i < len(ms.posted) {
		return &ms.posted[i]
	}
	return nil
}

// groupOf returns the group of an item whose generation has not ended. It looks at the word first: the membership of a
// Task is in another line of the cache.
func (ms *memberships) groupOf(it *item) *Group {
	if it.word.Load()&flagMember == 0 {
		return nil
	}
	return ms.memberOf(it).g
}

// paceOf returns the group by whose time an item is delayed; nil if there is none. The timer of a coroutine is no
// member of its group, so that it is not cancelled, waited for, parked or made less urgent.
func (ms *memberships) paceOf(it *item) *Group {
	if it.index == 0 && it.order == timerOrder {
		return it.task.c.it.task.member.g
	}
	return ms.groupOf(it)
}

// laterOf returns the group in whose queue later the item is. The item's word may be that of its next generation.
func (ms *memberships) laterOf(it *item) *Group {
	if it.index == 0 && it.order == timerOrder {
		return it.task.c.it.task.member.g
	}
	return ms.memberOf(it).g
}

// isStopped reports whether the clock of the item's group, or of one around it, stands still.
func (ms *memberships) isStopped(it *item) bool { return ms.groupOf(it).stopped() != nil }

// isCanceled reports whether the group or one around it was cancelled. Any goroutine.
func (g *Group) isCanceled() bool {
	for ; g != nil; g = g.parent {
		if g.canceled.Load() {
			return true
		}
	}
	return false
}

// sendRequest sends a group request to the frame goroutine. Any goroutine.
func (g *Group) sendRequest(what, arg uint32, f func()) {
	g.s.sendGroupRequest(&g.groupEntry.item, what, arg, f)
}

// sendGroupRequest sends a request to a group, or requestExpect about a task. Any goroutine.
func (in *intake) sendGroupRequest(of *item, what, arg uint32, f func()) {
	if in.closed.Load() { // nobody would read it, nor give the item back
		if what == requestNotify {
			f()
		}
		return
	}
	it := in.arena.get(noLane)
	it.where, it.number, it.order, it.fore, it.fn = isGroupRequest, what, arg, of, f
	it.word.Or(flagGroupRequest) // for sweep, which may not look at where
	in.push(it)                  // as with an envelope, the rest of its word stays as it is
}

// cancelMembers cancels the members of g, and of the groups within g. They leave when the messages about that are read.
func (ms *memberships) cancelMembers(g *Group) {
	for _, it := range g.members {
		it.cancel(&g.s.intake, ms.memberOf(it).generation, endCanceled)
		ms.readAgain = true
	}
	for _, child := range g.children {
		ms.cancelMembers(child)
	}
}

// tellEnded calls f, which waits for the end of a group, in the middle of a drain. f may call the scheduler. Such a
// call must not drain: the messages that were taken before come first.
func (ms *memberships) tellEnded(f func()) {
	ms.telling = true
	defer func() { ms.telling = false }()
	f()
}

// refused ends a request to a group after Close: only functions that wait for the group's end are called. Any
// goroutine.
func (it *item) refused() {
	if it.number == requestNotify {
		it.fn()
	}
	it.where, it.fore = nowhere, nil
	it.word.And(^flagGroupRequest)
}

// mayRun reports whether a member that was chosen may run. If its group was cancelled, and the message about that is
// unread, mayRun cancels the member (S20).
func (c *pacing) mayRun(it *item) bool {
	m := c.memberOf(it)
	if m.g == nil || it.fatal || !m.g.isCanceled() {
		return true
	}
	c.unlink(it)
	it.cancel(&m.g.s.intake, m.generation, endCanceled)
	if it.word.Load()&stateMask == stateIdle {
		c.noteGone(it)
		c.leaveGroup(it) // at once, not when the message is read: Close may come first
	}
	return false
}

// join makes an item that is about to be queued for the given generation a member of its group.
func (ms *memberships) join(it *item, generation uint32) {
	var g *Group
	if it.index == 0 {
		g = it.task.sent.group.Load()
	} else {
		g = it.fore.task.Group
		it.fore = nil
		if n := int(it.index) - len(ms.posted); n > 0 {
			ms.posted = append(ms.posted, make([]member, n)...)
		}
	}
	m := ms.memberOf(it)
	if m.g != g {
		ms.leaveGroup(it)
	} else if len(ms.coming) > 0 {
		ms.expect(it.task, nil)
	}
	if g == nil {
		return // a later generation has written sent.group, so this generation has ended
	}
	if m.g == nil {
		m.g, m.memberIndex, m.parkedAt = g, uint32(len(g.members)), deadline.Never
		if it.index == 0 {
			it.task.later = minTime
		}
		g.members = append(g.members, it)
		ms.appear(g)
	}
	m.generation = generation
	if g.isCanceled() {
		it.cancel(&g.s.intake, generation, endCanceled)
		ms.readAgain = true
	}
}

// noteJoin notes that t was submitted again in this generation, into another group.
func (ms *memberships) noteJoin(t *Task, generation uint32) {
	if w := t.item.word.Load(); generationOf(w) == generation && w&stateMask != stateIdle {
		ms.expect(t, t.sent.group.Load())
	}
}

// expect notes the group of which t will be a member when its present generation has ended. A nil group says that there
// is none, or that t has become its member.
//
// S41. A Submit of a running task into another group than before sends a group request, which is read before what the
// same goroutine asks the group later (S4). If the generation has ended when the request is read, the task has been
// queued as a member, or was cancelled. Otherwise the group waits for the end of that generation, even if a Cancel has
// taken the submission back: what runs then ends soon, or is unwound. When the generation ends, the task is a member
// before the group looks whether to wait any longer (S21). J in the word of a generation says that it has had such a
// submission.
func (ms *memberships) expect(t *Task, g *Group) {
	old := ms.coming[t]
	switch {
	case old == g:
		return
	case g == nil:
		delete(ms.coming, t)
	default:
		if ms.coming == nil {
			ms.coming = make(map[*Task]*Group)
		}
		ms.coming[t] = g
		g.coming++
		ms.appear(g)
	}
	if old != nil {
		old.coming--
		ms.mayHaveEnded(old)
	}
}

// leaveGroup ends a membership, or the expectation of one.
func (ms *memberships) leaveGroup(it *item) {
	if len(ms.coming) > 0 {
		ms.expect(it.task, nil) // a posted function has no task, and coming has no entry for nil
	}
	m := ms.memberOf(it)
	if m == nil || m.g == nil {
		return
	}
	g := m.g
	last := len(g.members) - 1
	moved := g.members[last]
	g.members[m.memberIndex] = moved
	ms.memberOf(moved).memberIndex = m.memberIndex
	g.members[last] = nil
	g.members = g.members[:last]
	*m = member{}
	if last > 0 {
		return
	}
	if cap(g.members) > memberLimit {
		g.members = nil
	}
	ms.mayHaveEnded(g)
}

// mayHaveEnded sends the functions that wait for the end of g as new group requests, if g has no members. The last
// member may have submitted another one just before it ended, and these requests come behind that submission (S21).
func (ms *memberships) mayHaveEnded(g *Group) {
	if !g.isEmpty() {
		return
	}
	for i, f := range g.ended {
		g.ended[i] = nil
		g.sendRequest(requestNotify, 0, f)
		ms.readAgain = true
	}
	g.ended = g.ended[:0]
	if up := g.parent; up != nil && g.childNumber > 0 {
		last := len(up.children) - 1
		moved := up.children[last]
		up.children[g.childNumber-1], up.children[last] = moved, nil
		moved.childNumber = g.childNumber
		up.children, g.childNumber = up.children[:last], 0
		ms.mayHaveEnded(up)
	}
}

// isEmpty reports whether nothing is left that a wait for the group's end waits for.
func (g *Group) isEmpty() bool { return len(g.members) == 0 && g.coming == 0 && len(g.children) == 0 }

// appear makes a group that has something a child of its parent, and so on.
func (ms *memberships) appear(g *Group) {
	for up := g.parent; up != nil && g.childNumber == 0; g, up = up, up.parent {
		up.children = append(up.children, g)
		g.childNumber = len(up.children)
	}
}
