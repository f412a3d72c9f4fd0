package scheduler

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/taskqueue"
)

// Delays by the time of a group.
//
// S44. A delayed member waits in the queue later of its group, by the group's time. Suppose that a group has such
// members and that its clock goes. Then its groupEntry waits in the queue around it, for the time at which the
// first of the members is due. The queue around it is later of the parent, or alarms. So alarmAt is when the first of
// all delayed members is due, and a pause takes one entry out of one queue. Each choice of a task is preceded by
// releaseDue, which moves what is due into the scheduler's queue, at most dueChunk members at a time. There a member
// starts at the instant at which it was due, and keeps its order number, so it goes where it would be without a group.
//
// Shift takes the time of all groups back. So the queues are rewound to the present time before they are asked. A queue
// that remembered a later time would give out an entry that is not due. Then arm would put the entry back, without
// end. A member that was released notes in Task.later when its delay has ended, so that delayAgain may delay it again
// (S49).

// timerOrder is the field order of the timer of a coroutine.
const timerOrder = 1

// placePaced is place by the time of g.
func (c *pacing) placePaced(
	it *item, g *Group, p deadline.Priority, now deadline.Instant, delay, timeout time.Duration,
) {
	c.queue(it, p, now, 0, timeout)
	start := c.timeOf(g, now)
	if delay > 0 {
		c.placeLater(it, g, start.Add(min(delay, farthestDelay)))
		return
	}
	if it.index == 0 {
		it.task.behind, it.task.later = time.Duration(start), minTime // behind in case it is periodic
	}
}

// placeLater delays what is in the queue until start, by the time of g.
func (c *pacing) placeLater(it *item, g *Group, start deadline.Instant) {
	c.laterIn(g).Move(&it.node, &c.q, start)
	it.where = inLater
	c.memberOf(it).parkedAt = deadline.Never
	if it.index == 0 {
		it.task.behind, it.task.later = time.Duration(start), start
	}
	c.keep(g)
	c.arm(g)
}

// laterIn returns the queue later of g.
func (c *pacing) laterIn(g *Group) *taskqueue.Queue[*item] {
	if g.later == nil {
		g.later = &taskqueue.Queue[*item]{ByPriority: c.q.ByPriority, Timeouts: c.q.Timeouts}
	}
	return g.later
}

// farthestDelay is 73 years.
const farthestDelay time.Duration = 1 << 61

// arm has the groupEntry of g wait for the first delayed member of g, and so on outwards (S44).
func (c *pacing) arm(g *Group) {
	for ; g != nil; g = g.parent {
		at := deadline.Never
		if g.later != nil && g.later.Len() > 0 {
			due := g.later.Earliest()
			if at = g.times.when(due); at != deadline.Never && due <= g.times.was {
				// due already, also if a Shift has gone back beyond the last change
				at = min(at, g.outerAt(c.base(c.lastRead)))
			}
		}
		if at == g.alarm {
			break
		}
		around := &c.alarms
		if g.parent != nil {
			around = c.laterIn(g.parent)
		}
		n := &g.groupEntry.item.node
		around.Remove(n)
		if g.alarm = at; at != deadline.Never {
			c.q.Push(n, deadline.Immediate, c.lastRead, 0, 0) // for its order number
			around.Move(n, &c.q, at)
		}
		if g.parent != nil {
			c.keepOrNot(g.parent)
		}
	}
	c.setAlarm()
}

// setAlarm computes alarmAt.
func (c *pacing) setAlarm() { c.alarmAt = c.alarms.Earliest().Add(c.lead()) }

// releaseDue moves delayed members that are due into the queue.
func (c *pacing) releaseDue(now deadline.Instant) {
	if now >= c.alarmAt {
		c.releaseDueSlow(now)
	}
}

func (c *pacing) releaseDueSlow(now deadline.Instant) {
	base, left := c.base(now), dueChunk
	c.alarms.Rewind(base) // Shift takes base back
	for left > 0 {
		n := c.alarms.Pop(base)
		if n == nil {
			break
		}
		c.releaseDueOf(n.Value.task.Group, base, &left)
	}
	c.setAlarm()
}

// releaseDueOf moves what is due in a group, whose entry has left the queue around it. outer is the time around it.
func (c *pacing) releaseDueOf(g *Group, outer deadline.Instant, left *int) {
	g.alarm = deadline.Never
	now := g.times.of(outer)
	g.later.Rewind(now)
	for *left > 0 {
		n := g.later.Peek(now)
		if n == nil {
			break
		}
		it := n.Value
		if it.where == isGroupEntry {
			g.later.Remove(n)
			c.releaseDueOf(it.task.Group, now, left)
			continue
		}
		*left--
		start := g.later.Start(n)
		c.q.Move(n, g.later, c.outside(g, start))
		it.where = inQueue
		if !g.released {
			g.released = true
			c.released = append(c.released, g)
		}
	}
	c.keepOrNot(g)
	c.arm(g)
}

// outside returns when the time of g is t, by the scheduler's clock. If t is before the last change of a clock,
// releaseDue has not moved the member by then (see dueChunk). The member keeps its age as of that change, and so its
// order.
func (c *pacing) outside(g *Group, t deadline.Instant) deadline.Instant {
	for ; g != nil; g = g.parent {
		if times := &g.times; t < times.was {
			t = times.at.Add(t.Sub(times.was))
		} else {
			t = times.when(t)
		}
	}
	return t.Add(c.lead())
}

// unlater takes out what is delayed by the time of its group.
func (c *pacing) unlater(it *item) {
	g := c.laterOf(it)
	g.later.Remove(&it.node)
	c.keepOrNot(g)
	c.arm(g)
}

// relabelLater gives another priority to what is delayed by the time of its group.
func (c *pacing) relabelLater(it *item, p deadline.Priority) {
	g := c.laterOf(it)
	g.later.SetPriority(&it.node, p, c.timeOf(g, c.lastRead))
}

// keep notes that a group has delayed or parked members, for Close and Stats.
func (c *pacing) keep(g *Group) {
	if g.kept == 0 {
		c.kept = append(c.kept, g)
		g.kept = len(c.kept)
	}
}

// keepOrNot is keep if the group has such members, and otherwise forgets the group.
func (c *pacing) keepOrNot(g *Group) {
	if g.parked.head != nil || g.later != nil && g.later.Len() > 0 {
		c.keep(g)
		return
	}
	if g.kept == 0 {
		return
	}
	last := len(c.kept) - 1
	moved := c.kept[last]
	c.kept[g.kept-1], c.kept[last] = moved, nil
	moved.kept = g.kept
	c.kept, g.kept = c.kept[:last], 0
}

// delayedBy returns how many members of priority p are delayed by the time of their groups.
func (c *pacing) delayedBy(p deadline.Priority) (n int) {
	for _, g := range c.kept {
		if g.later != nil {
			n += g.later.LenOf(p)
		}
		if p == deadline.Immediate && g.parent != nil && g.alarm != deadline.Never {
			n-- // its entry is in the queue of its parent
		}
	}
	return n
}
