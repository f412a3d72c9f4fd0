package scheduler

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/taskqueue"
)

// The time of a group. Outermost is the scheduler's clock, without the jumps that Shift takes out. Each group has a
// clock that goes at some rate of the clock around it: of its parent's, or of the scheduler's. So nested speeds
// multiply, and a change of one clock touches no member and no other clock.
//
// S44. A delayed member waits in the queue later of its group, by the group's time. If a group has such members and its
// clock goes, then the group's anchor waits in the queue around it, at the time at which the first of the members is
// due. The queue around it is later of the parent, or alarms. So alarmAt is when the first of all delayed members is
// due, and a pause takes one anchor out of one queue. Each choice of a task is preceded by ring. It moves what is due
// into the scheduler's queue, at most ringChunk members at a time. There a member starts at the instant at which it was
// due, and keeps its order number, so it goes where it would be without a group.
//
// S45. No member begins a run while its group or one around it is paused, except to unwind. Pause touches no member. A
// member that is about to be chosen, or that would keep a host from its sleep, is parked instead: in a list of its
// group. So each member is set aside at most once in each pause. Resume gives back what is parked in the group and in
// the groups within, which are in kids (S48).
//
// S46. A pause does not age what is ready. lag is how long a group has been paused in all. It only grows. A member that
// is ready has the lag of its group as of the moment that its start refers to. If the lag has grown when the member
// comes first, its start and its expiration move by the difference, and the choice begins again. Starts move only
// towards later ones, so a member that comes first with its true start is the first of all.
//
// S47. Only the frame goroutine changes a clock. Other goroutines read copies: see shown.
type pacing struct {
	alarms  taskqueue.Queue[*item] // the anchors of groups that are in no other
	alarmAt deadline.Instant       // when the first of them is due; Never if there is none
	kept    []*Group               // with delayed or parked members
	paused  bool                   // a group was paused once
	parked  int                    // members of paused groups
	shifted atomic.Int64           // the sum of all calls of Shift
}

// groupClock is the part of a Group that knows its time. The frame goroutine's, except for shown.
type groupClock struct {
	times clock // the group's time, by the time around it
	awake clock // the same with each speed 1
	shown shown // a copy of times
	alarm deadline.Instant
	later *taskqueue.Queue[*item] // nil until needed

	parked list
	kept   int // place in Scheduler.kept plus one; 0 if it is not there
	paused bool
	speed  float64
}

// clock is derived from another one. It showed was when the other showed at, and has gone at that rate since.
type clock struct {
	at, was deadline.Instant
	rate    float64
}

// of returns what the clock shows when the outer one shows outer. Instants before the last change count as the change.
func (c *clock) of(outer deadline.Instant) deadline.Instant {
	d := max(outer.Sub(c.at), 0)
	if c.rate != 1 {
		d = time.Duration(min(float64(d)*c.rate, farAway))
	}
	return c.was.Add(d)
}

// dawn is before any instant that is read. (In a testing/synctest bubble the clock starts decades before 0.)
const dawn deadline.Instant = math.MinInt64 / 2

// farAway bounds products, so that they can be converted.
const farAway = 1 << 62

// when returns the first instant of the outer clock at which this one shows t, or more.
func (c *clock) when(t deadline.Instant) deadline.Instant {
	d := max(t.Sub(c.was), 0)
	switch c.rate {
	case 0:
		return deadline.Never
	case 1:
		return c.at.Add(d)
	}
	quotient := math.Ceil(float64(d) / c.rate)
	if quotient >= farAway {
		return deadline.Never
	}
	outer := c.at.Add(time.Duration(quotient))
	for step := time.Duration(1); c.of(outer) < t; step *= 2 { // the quotient was rounded
		outer = outer.Add(step)
	}
	return outer
}

// set changes the rate when the outer clock shows outer.
func (c *clock) set(outer deadline.Instant, rate float64) {
	c.at, c.was, c.rate = max(outer, c.at), c.of(outer), rate
}

// Pause stops the group's time, and that of the groups within it, until Resume. Tasks that are ready do not start,
// coroutines do not go on, and delays, periods, sleeps and timeouts stand still. A task that runs goes on until it ends
// or suspends itself. Everything else goes on: jobs on the pool, other groups, callbacks and microtasks, Cancel and
// Close. A coroutine that awaits a result comes back after Resume.
//
// Pause takes some 100 ns, however many members there are. Later each member whose turn comes is set aside, once in a
// pause, which takes 50 to 100 ns. Paused time does not count for expirations. Frame goroutine, or a task.
func (g *Group) Pause() { g.setPace(true, g.speed) }

// Resume ends a Pause, at the speed from before. It takes some 100 ns, and 50 to 100 ns for each member that was set
// aside. Frame goroutine, or a task.
func (g *Group) Resume() { g.setPace(false, g.speed) }

// SetSpeed makes the group's time go x times as fast as the time around it: 0.5 is slow motion. The default is 1, and 0
// is as Pause. Delays, periods, sleeps and timeouts of the members follow at once, also those that have begun. It costs
// what Pause costs, or Resume. SetSpeed panics if x is negative, infinite or NaN. Frame goroutine, or a task.
//
// Speeds of nested groups multiply. Runs do not become longer or shorter, and expirations count in the time of the
// scheduler.
func (g *Group) SetSpeed(x float64) {
	if !(x >= 0) || math.IsInf(x, 1) {
		panic("scheduler: Group.SetSpeed of a number that is not a speed")
	}
	g.setPace(g.paused, x)
}

// Now returns the group's time. It is [Scheduler.Now] as long as no group around was paused or changed its speed, and
// leaves out what Shift has left out. Compute animations from it: they stand still with the group. Any goroutine; on
// other goroutines it may be ahead for a moment while the speed changes.
func (g *Group) Now() deadline.Instant {
	now := g.s.Now() // before the clocks are read: see shown
	return g.shownAt(now.Add(-time.Duration(g.s.shifted.Load())))
}

func (g *Group) shownAt(outer deadline.Instant) deadline.Instant {
	if g.parent != nil {
		outer = g.parent.shownAt(outer)
	}
	c := g.shown.get()
	return c.of(outer)
}

// still reports whether the group's own clock stands still.
func (g *Group) still() bool { return g.paused || g.speed == 0 }

// stopped returns the group, or one around it, whose clock stands still; nil if all go.
func (g *Group) stopped() *Group {
	for ; g != nil; g = g.parent {
		if g.still() {
			return g
		}
	}
	return nil
}

// setPace changes how the group's time goes, from now on.
func (g *Group) setPace(paused bool, speed float64) {
	if paused == g.paused && speed == g.speed {
		return
	}
	s := g.s
	now := s.clock()
	s.ring(now)
	outer := s.base(now)
	outerAwake := outer
	if g.parent != nil {
		outer, outerAwake = g.parent.timeAt(outer), g.parent.awakeAt(outer)
	}
	g.paused, g.speed = paused, speed
	rate, awake := speed, 1.0
	if g.still() {
		rate, awake = 0, 0
		s.paused = true
	}
	g.times.set(outer, rate)
	g.awake.set(outerAwake, awake)
	g.shown.put(g.times)
	s.arm(g)
	if g.stopped() == nil {
		s.giveBack(g)
	}
}

// base returns the time that groups count in: the clock without Shift, and in a testing/synctest bubble below 0.
func (s *Scheduler) base(now deadline.Instant) deadline.Instant { return now.Add(-s.lead()) }

// lead is what the frame goroutine's time is ahead of base.
func (s *Scheduler) lead() time.Duration {
	return time.Duration(s.skew) - time.Duration(s.backwards.Load()) + s.q.Shifted()
}

// timeOf returns the group's time.
func (s *Scheduler) timeOf(g *Group, now deadline.Instant) deadline.Instant {
	return g.timeAt(s.base(now))
}

func (g *Group) timeAt(base deadline.Instant) deadline.Instant {
	if g.parent != nil {
		base = g.parent.timeAt(base)
	}
	return g.times.of(base)
}

func (g *Group) awakeAt(base deadline.Instant) deadline.Instant {
	if g.parent != nil {
		base = g.parent.awakeAt(base)
	}
	return g.awake.of(base)
}

// lag returns how long the group was paused until now. The last reading of the clock counts, so it never shrinks.
func (s *Scheduler) lag(g *Group) time.Duration {
	if !s.paused {
		return 0
	}
	base := s.base(s.lastRead)
	return base.Sub(g.awakeAt(base))
}

// stamp notes that the start of a member that is about to be queued refers to this moment.
func (s *Scheduler) stamp(it *item) {
	if m := s.memberOf(it); m != nil && m.g != nil {
		m.lag = s.lag(m.g)
	}
}

// paceOf returns the group by whose time an item is delayed; nil if there is none. The timer of a coroutine is no
// member of its group, so that it is not cancelled, waited for, parked or made less urgent.
func (s *Scheduler) paceOf(it *item) *Group {
	if it.index == 0 {
		t := it.task
		if c := t.c; c != nil && c.timer == t {
			return c.it.task.member.g
		}
		return t.member.g
	}
	if it.word.Load()&flagMember == 0 {
		return nil
	}
	return s.memberOf(it).g
}

// placePaced is place by the time of g.
func (s *Scheduler) placePaced(
	it *item, g *Group, p deadline.Priority, now deadline.Instant, delay, timeout time.Duration,
) {
	s.queue(it, p, now, 0, timeout)
	start := s.timeOf(g, now)
	if delay > 0 {
		s.placeLater(it, g, start.Add(min(delay, farthestDelay)))
		return
	}
	s.stamp(it)
	if it.index == 0 {
		it.task.behind = time.Duration(start) // in case it is periodic
	}
}

// placeLater delays what is in the queue until start, by the time of g.
func (s *Scheduler) placeLater(it *item, g *Group, start deadline.Instant) {
	if g.later == nil {
		g.later = &taskqueue.Queue[*item]{Policy: s.q.Policy, Timeouts: s.q.Timeouts}
	}
	g.later.Move(&it.node, &s.q, start)
	it.where = inLater
	if it.index == 0 {
		it.task.behind = time.Duration(start)
	}
	s.keep(g)
	s.arm(g)
}

// farthestDelay is 73 years.
const farthestDelay time.Duration = 1 << 61

// arm has the anchor of g wait for the first delayed member of g, and so on outwards (S44).
func (s *Scheduler) arm(g *Group) {
	for ; g != nil; g = g.parent {
		at := deadline.Never
		if g.later != nil && g.later.Len() > 0 {
			at = g.times.when(g.later.Earliest())
		}
		if at == g.alarm {
			break
		}
		around := &s.alarms
		if g.parent != nil {
			if g.parent.later == nil {
				g.parent.later = &taskqueue.Queue[*item]{Policy: s.q.Policy, Timeouts: s.q.Timeouts}
			}
			around = g.parent.later
		}
		n := &g.anchor.item.node
		around.Remove(n)
		if g.alarm = at; at != deadline.Never {
			s.q.Push(n, deadline.Immediate, s.lastRead, 0, 0) // for its order number
			around.Move(n, &s.q, at)
		}
		if g.parent != nil {
			s.keepOrNot(g.parent)
		}
	}
	s.setAlarm()
}

// setAlarm computes alarmAt.
func (s *Scheduler) setAlarm() { s.alarmAt = s.alarms.Earliest().Add(s.lead()) }

// ring moves delayed members that are due into the queue.
func (s *Scheduler) ring(now deadline.Instant) {
	if now >= s.alarmAt {
		s.ringSlow(now)
	}
}

func (s *Scheduler) ringSlow(now deadline.Instant) {
	base, left := s.base(now), ringChunk
	for left > 0 {
		n := s.alarms.Pop(base)
		if n == nil {
			break
		}
		s.rouse(n.Value.task.Group, base, &left)
	}
	s.setAlarm()
}

// rouse moves what is due in a group, whose anchor has left the queue around it. outer is the time around it.
func (s *Scheduler) rouse(g *Group, outer deadline.Instant, left *int) {
	g.alarm = deadline.Never
	for now := g.times.of(outer); *left > 0; {
		n := g.later.Peek(now)
		if n == nil {
			break
		}
		it := n.Value
		if it.where == isAnchor {
			g.later.Remove(n)
			s.rouse(it.task.Group, now, left)
			continue
		}
		*left--
		s.q.Move(n, g.later, s.outside(g, g.later.Start(n)))
		it.where = inQueue
		s.stamp(it)
	}
	s.keepOrNot(g)
	s.arm(g)
}

// outside returns when the time of g is t, by the scheduler's clock.
func (s *Scheduler) outside(g *Group, t deadline.Instant) deadline.Instant {
	for ; g != nil; g = g.parent {
		t = g.times.when(t)
	}
	return t.Add(s.lead())
}

// unlater takes out what is delayed by the time of its group.
func (s *Scheduler) unlater(it *item) {
	g := s.paceOf(it)
	g.later.Remove(&it.node)
	s.keepOrNot(g)
	s.arm(g)
}

// relabelLater gives another priority to what is delayed by the time of its group.
func (s *Scheduler) relabelLater(it *item, p deadline.Priority) {
	g := s.paceOf(it)
	g.later.SetPriority(&it.node, p, s.timeOf(g, s.lastRead))
}

// settle reports whether an item that comes first may be chosen. Otherwise it is parked (S45), or has moved (S46).
func (s *Scheduler) settle(it *item) bool {
	return !s.paused || it.word.Load()&flagMember == 0 || it.fatal || !s.park(it) && !s.rejuvenate(it)
}

// park sets a member aside if its group is paused. A member that is cancelled goes on to its end.
func (s *Scheduler) park(it *item) bool {
	m := s.memberOf(it)
	if m == nil || m.g == nil || m.g.stopped() == nil || m.g.isCanceled() {
		return false
	}
	s.unlink(it)
	it.where = inParked
	m.g.parked.push(it)
	s.parked++
	s.keep(m.g)
	return true
}

// rejuvenate moves a member by the time for which its group was paused since the member was queued.
func (s *Scheduler) rejuvenate(it *item) bool {
	m := s.memberOf(it)
	if m == nil || m.g == nil {
		return false
	}
	lag := s.lag(m.g)
	d := lag - m.lag
	m.lag = lag
	if d <= 0 || !it.node.Queued() {
		return false
	}
	if it.where == inLate {
		s.late.remove(it)
		it.where = inQueue
	}
	s.q.Move(&it.node, &s.q, s.q.Start(&it.node).Add(d))
	return true
}

// unpark takes a parked item out of the list of its group.
func (s *Scheduler) unpark(it *item) {
	g := s.memberOf(it).g
	g.parked.remove(it)
	s.parked--
	s.keepOrNot(g)
}

// giveBack returns what is parked in g, and in the groups within it whose clocks go.
func (s *Scheduler) giveBack(g *Group) {
	lag := s.lag(g)
	for it := g.parked.head; it != nil; it = g.parked.head {
		s.unpark(it)
		m := s.memberOf(it)
		start := s.q.Start(&it.node).Add(lag - m.lag)
		m.lag = lag
		it.where = inQueue
		if it.task != nil && it.task.sentWork() == workIdle {
			it.where = inIdle
			s.addIdle(it)
			if it.task.sent.timeout.Load() <= 0 {
				continue
			}
			it.where = inIdleTimed
		}
		s.q.Move(&it.node, &s.q, start)
	}
	for _, kid := range g.kids {
		if !kid.still() {
			s.giveBack(kid)
		}
	}
}

// nextStart is Next of the queue with the delayed members, and without what is paused.
func (s *Scheduler) nextStart(now deadline.Instant) (at deadline.Instant, ok bool) {
	s.ring(now)
	for n := s.foremost(now); n != nil && !s.settle(n.Value); n = s.foremost(now) {
	}
	at, ok = s.q.Next(now)
	if s.alarmAt != deadline.Never && (!ok || s.alarmAt < at) {
		return s.alarmAt, true
	}
	return at, ok
}

// keep notes that a group has delayed or parked members, for Close and Stats.
func (s *Scheduler) keep(g *Group) {
	if g.kept == 0 {
		s.kept = append(s.kept, g)
		g.kept = len(s.kept)
	}
}

// keepOrNot is keep if the group has such members, and otherwise forgets the group.
func (s *Scheduler) keepOrNot(g *Group) {
	if g.parked.head != nil || g.later != nil && g.later.Len() > 0 {
		s.keep(g)
		return
	}
	if g.kept == 0 {
		return
	}
	last := len(s.kept) - 1
	moved := s.kept[last]
	s.kept[g.kept-1], s.kept[last] = moved, nil
	moved.kept = g.kept
	s.kept, g.kept = s.kept[:last], 0
}

// shutPaced cancels what is parked, and what is delayed by the time of a group, because of Close.
func (s *Scheduler) shutPaced() {
	for len(s.kept) > 0 {
		g := s.kept[len(s.kept)-1]
		it := g.parked.head
		if it == nil {
			it = g.later.Peek(deadline.Never).Value
		}
		if it.where == isAnchor {
			g.later.Remove(&it.node)
			it.task.Group.alarm = deadline.Never
			s.keepOrNot(g)
		} else if s.closeOff(it) {
			s.dropped.Add(1)
		}
	}
}

// delayedBy returns how many members of priority p are delayed by the time of their groups.
func (s *Scheduler) delayedBy(p deadline.Priority) (n int) {
	for _, g := range s.kept {
		if g.later != nil {
			n += g.later.LenOf(p)
		}
		if p == deadline.Immediate && g.parent != nil && g.alarm != deadline.Never {
			n-- // its anchor is in the queue of its parent
		}
	}
	return n
}

// shown is a copy of a clock, for other goroutines.
//
// S47. The frame goroutine makes version odd, writes the three values, and makes version even. A reader that finds the
// same even version before and after has read three values of one clock. Nothing waits for a reader. A reader waits
// only while the frame goroutine is between the two, which takes a few nanoseconds. A reader that reads the outer time
// before the copy may find the clock changed since. Then the clock shows the moment of the change, so time does not go
// back.
type shown struct {
	version atomic.Uint32
	at, was atomic.Int64
	rate    atomic.Uint64
}

func (v *shown) put(c clock) {
	v.version.Add(1)
	v.at.Store(int64(c.at))
	v.was.Store(int64(c.was))
	v.rate.Store(math.Float64bits(c.rate))
	v.version.Add(1)
}

func (v *shown) get() clock {
	for {
		version := v.version.Load()
		c := clock{
			deadline.Instant(v.at.Load()), deadline.Instant(v.was.Load()), math.Float64frombits(v.rate.Load()),
		}
		if version&1 == 0 && v.version.Load() == version {
			return c
		}
	}
}
