package scheduler

import (
	"math"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// Members of paused groups.
//
// S45. No member begins a run while its group or one around it is paused, except to unwind. Pause parks the members
// that are ready, in a list of their group, and a member that becomes ready meanwhile is parked at once. Resume gives
// back what is parked in the group and in the groups within, which are in children (S48).
//
// S46. A pause does not age what is ready. A parked member keeps its age, the time since its start. When it is given
// back it has that age again, so its expiration has moved by the length of the pause.

// parkMembers parks the members of g that are ready, and those of the groups within g. Idle callbacks keep their order.
func (c *pacing) parkMembers(g *Group, now deadline.Instant) {
	for it := c.idles.head; it != nil; {
		next := it.fore
		if c.groupOf(it).isWithin(g) {
			c.park(it, now)
		}
		it = next
	}
	c.parkReady(g, now)
}

func (c *pacing) parkReady(g *Group, now deadline.Instant) {
	for _, it := range g.members {
		switch it.where {
		case inQueue, inOverdue, inPassed:
			if !it.fatal {
				c.park(it, now)
			}
		}
	}
	for _, child := range g.children {
		c.parkReady(child, now)
	}
}

// parkIfStopped parks an item that has just become ready, if its group is paused.
func (c *pacing) parkIfStopped(it *item, now deadline.Instant) {
	if c.isStopped(it) {
		c.park(it, now)
	}
}

// park sets a ready member aside.
func (c *pacing) park(it *item, now deadline.Instant) {
	m := c.memberOf(it)
	m.age, m.parkedAt = now.Sub(c.q.Start(&it.node)), c.base(now)
	c.unlink(it)
	it.where = inParked
	m.g.parked.push(it)
	c.parked++
	c.keep(m.g)
}

// unpark takes a parked item out of the list of its group.
func (c *pacing) unpark(it *item) {
	g := c.memberOf(it).g
	g.parked.remove(it)
	c.parked--
	c.keepOrNot(g)
}

// giveBack makes ready what is parked in g, and in the groups within it whose clocks go.
func (c *pacing) giveBack(g *Group, now deadline.Instant) {
	for it := g.parked.head; it != nil; it = g.parked.head {
		c.unpark(it)
		it.where = inQueue
		if it.task != nil && it.task.sentWork() == workIdle {
			it.where = inIdle
			c.idles.push(it)
			if it.task.sent.timeout.Load() <= 0 {
				continue
			}
			it.where = inIdleTimed
		}
		m := c.memberOf(it)
		c.q.Move(&it.node, &c.q, now.Add(-m.age))
		m.age = c.base(now).Sub(m.parkedAt)
	}
	for _, child := range g.children {
		if !child.still() {
			c.giveBack(child, now)
		}
	}
}

// Pause stops the group's time, and that of the groups within it, until Resume. Tasks that are ready do not start,
// coroutines do not continue, and delays, periods, sleeps and timeouts stand still. A task that runs continues until it
// ends or suspends itself. Everything else continues: jobs on the pool, other groups, callbacks and microtasks, Cancel
// and Close. A coroutine that awaits a result comes back after Resume.
//
// Pause takes 50 to 100 ns for each member that is ready, which it sets aside, and a few for each other member. Paused
// time does not count for expirations. Frame goroutine, or a task.
//
// Pauses do not count: one Resume ends them, however many calls of Pause there were. If two parts of a program pause
// the same work, give each part a group of its own, one within the other. The work continues when neither is paused.
func (g *Group) Pause() { g.setPace(true, g.speed) }

// Resume ends all Pauses of this group, at the speed from before. It takes about 150 ns, 50 to 100 ns for each member
// that was set aside, and 4 ns or more for each group within that has members. Frame goroutine, or a task.
func (g *Group) Resume() { g.setPace(false, g.speed) }

// SetSpeed makes the group's time go x times as fast as the time around it: 0.5 is slow motion. The default is 1, and 0
// is as Pause. Delays, periods, sleeps and timeouts of the members follow at once, also those that have begun. It costs
// what Pause costs, or Resume. A speed above 1,000 counts as 1,000. SetSpeed panics if x is negative, infinite or NaN.
// Frame goroutine, or a task.
//
// Speeds of nested groups multiply. Runs do not become longer or shorter, and expirations count in the time of the
// scheduler.
func (g *Group) SetSpeed(x float64) {
	if !(x >= 0) || math.IsInf(x, 1) {
		panic("scheduler: Group.SetSpeed of a number that is not a speed")
	}
	g.setPace(g.paused, min(x, greatestSpeed))
}

// setPace changes how the group's time goes, from now on.
func (g *Group) setPace(paused bool, speed float64) {
	if paused == g.paused && speed == g.speed {
		return
	}
	s := g.s
	stood := g.stopped() != nil // otherwise nothing is parked here or in groups within whose clocks go
	now := s.clock()
	s.releaseDue(now)
	s.notePace(g)
	g.paused, g.speed = paused, speed
	rate := speed
	if g.still() {
		rate = 0
	}
	g.times.set(g.outerAt(s.base(now)), rate)
	g.shown.put(g.times)
	s.arm(g)
	switch stands := g.stopped() != nil; {
	case stands && !stood:
		s.parkMembers(g, now)
	case stood && !stands:
		s.giveBack(g, now)
	}
}

// rewind has the groups that were changed in this frame follow a Shift by d. The clock of a group that was changed
// after the jump is as if it had been changed now, and once.
func (c *pacing) rewind(d time.Duration) {
	base := c.base(c.lastRead)
	for _, g := range c.changed {
		c.rewindClock(g, base, d)
	}
}

// rewindClock is rewind of g, after the groups around g.
func (c *pacing) rewindClock(g *Group, base deadline.Instant, d time.Duration) {
	if g.parent != nil {
		c.rewindClock(g.parent, base, d)
	}
	outer := g.outerAt(base)
	if g.changed && g.times.at > outer {
		g.times = clock{outer, g.before.of(outer), g.times.rate}
		g.shown.put(g.times)
		c.arm(g)
		c.rewindMembers(g, base, d)
	}
}

// rewindMembers takes a jump by d out of the members of a group that was paused or resumed after the jump. Those that
// were parked after the jump are younger by d. Those that were parked before it and given back after it start earlier.
func (c *pacing) rewindMembers(g *Group, base deadline.Instant, d time.Duration) {
	for _, it := range g.members {
		switch m := c.memberOf(it); {
		case it.where == inParked && m.parkedAt > base:
			m.age -= d
		case m.parkedAt <= base && m.parkedAt.Add(m.age) > base:
			if it.where == inPassed {
				c.unpass(it)
				it.where = inQueue
			}
			if it.where == inQueue || it.where == inIdleTimed {
				c.q.Move(&it.node, &c.q, c.q.Start(&it.node).Add(-d))
			}
		}
	}
	for _, child := range g.children {
		if !child.changed {
			c.rewindMembers(child, base, d)
		}
	}
}

// delayAgain follows a Shift. Members that were released after the jump, and are not due without the jump, wait for the
// time of their group again. So a later Pause or SetSpeed of the group counts. The Shift may come a frame later than
// the release, because a host may have asked Next before the frame began.
func (c *pacing) delayAgain() {
	for _, g := range c.releasedBefore {
		c.delayMembers(g)
	}
	for _, g := range c.released {
		c.delayMembers(g)
	}
}

func (c *pacing) delayMembers(g *Group) {
	now := c.timeOf(g, c.lastRead)
	for _, it := range g.members {
		if it.index != 0 {
			continue // a posted function has no delay
		}
		c.delayIfEarly(it, g, now)
		if t := it.task; t.c != nil && t.c.timer != nil {
			c.delayIfEarly(&t.c.timer.item, g, now)
		}
	}
}

// delayIfEarly delays an item of a Task that was released from the queue later of g, if it is not due when the time of
// g is now.
func (c *pacing) delayIfEarly(it *item, g *Group, now deadline.Instant) {
	due := it.task.later
	if due <= now || it.fatal || it.word.Load()&stateMask != stateReady {
		return
	}
	switch it.where {
	case inQueue, inPassed:
		if c.q.IsReady(&it.node, c.lastRead) {
			return
		}
	case inParked:
		if c.memberOf(it).age >= 0 {
			return
		}
	default:
		return
	}
	c.unlink(it)
	c.placeLater(it, g, due)
}
