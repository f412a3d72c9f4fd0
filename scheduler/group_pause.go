package scheduler

import (
	"math"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// Members of paused groups.
//
// S45. No member begins a run while its group or one around it is paused, except to unwind. Pause touches no member. A
// member that is about to be chosen, or that would keep a host from its sleep, is parked instead: in a list of its
// group. So each member is set aside at most once in each pause. Resume gives back what is parked in the group and in
// the groups within, which are in kids (S48).
//
// S46. A pause does not age what is ready. lag is how long a group has been paused in all. It only grows, except that
// Shift takes out what it takes out of the base. A member that is ready has the lag of its group as of the moment that
// its start refers to. If the lag has grown when the member comes first, its start and its expiration move by the
// difference, and the choice begins again. Starts move only towards later ones, so a member that comes first with its
// true start is the first of all. Resume moves no start. A Shift that takes out a part of the lag moves the starts back
// that had that part.

// settle reports whether an item that comes first may be chosen. Otherwise it is parked (S45), or has moved (S46).
func (s *Scheduler) settle(it *item) bool {
	return !s.paused || it.word.Load()&flagMember == 0 || it.fatal || !s.park(it) && !s.rejuvenate(it)
}

// park sets a member aside if its group is paused.
func (s *Scheduler) park(it *item) bool {
	m := s.memberOf(it)
	if m == nil || m.g == nil || m.g.stopped() == nil {
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
	s.setLag(m, lag)
	if d <= 0 || !it.node.Queued() {
		return false
	}
	if it.where == inLate {
		s.late.remove(it)
		it.where = inQueue
		if it.task != nil && it.task.sentWork() == workIdle { // not overdue after all: see S15
			it.where = inIdleTimed
			s.idles.push(it)
		}
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
	for it := g.parked.head; it != nil; it = g.parked.head {
		s.unpark(it)
		it.where = inQueue
		if it.task != nil && it.task.sentWork() == workIdle {
			it.where = inIdle
			s.idles.push(it)
			if it.task.sent.timeout.Load() <= 0 {
				continue
			}
			it.where = inIdleTimed
		}
		s.q.Move(&it.node, &s.q, s.q.Start(&it.node)) // rejuvenate moves its start
		s.unlag(it, g)                                // a Shift may have come during the pause
		s.noteAged(g)
	}
	for _, kid := range g.kids {
		if !kid.still() {
			s.giveBack(kid)
		}
	}
}

// Pause stops the group's time, and that of the groups within it, until Resume. Tasks that are ready do not start,
// coroutines do not go on, and delays, periods, sleeps and timeouts stand still. A task that runs goes on until it ends
// or suspends itself. Everything else goes on: jobs on the pool, other groups, callbacks and microtasks, Cancel and
// Close. A coroutine that awaits a result comes back after Resume.
//
// Pause takes some 150 ns, however many members there are. Later each member whose turn comes is set aside, once in a
// pause, which takes 50 to 100 ns. Paused time does not count for expirations. Frame goroutine, or a task.
//
// Pauses do not count: one Resume ends them, however many calls of Pause there were. If two parts of a program pause
// the same work, give each part a group of its own, one within the other. The work goes on when neither is paused.
func (g *Group) Pause() { g.setPace(true, g.speed) }

// Resume ends all Pauses of this group, at the speed from before. It takes some 150 ns, 50 to 100 ns for each member
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
	if len(g.paces) == 0 {
		s.noteTimed(g)
		g.paces = append(g.paces, pace{dawn, g.times, g.awake})
	}
	stood := g.stopped() != nil // otherwise nothing is parked here or in groups within whose clocks go
	now := s.clock()
	s.ring(now)
	g.paused, g.speed = paused, speed
	rate, awake := speed, 1.0
	if g.still() {
		rate, awake = 0, 0
		s.paused = true
	}
	base := s.base(now)
	outer, outerAwake := base, base
	if g.parent != nil {
		outer, outerAwake = g.parent.timeAt(base), g.parent.awakeAt(base)
	}
	g.times.set(outer, rate)
	g.awake.set(outerAwake, awake)
	g.notePace(pace{base, g.times, g.awake})
	g.shown.put(g.times)
	s.arm(g)
	if stood && g.stopped() == nil {
		s.q.Peek(now) // tells the queue what is ready now
		s.giveBack(g)
	}
}

// rewind has the groups follow a Shift by d (S49).
func (s *Scheduler) rewind(d time.Duration) {
	base, began := s.base(s.lastRead), s.began
	if began > base { // it was after the jump, too
		began, s.began = dawn, began.Add(-d)
	}
	for _, p := range s.timed {
		if g := p.Value(); g != nil {
			g.rewind(base, began, d)
		}
	}
	for _, p := range s.timed {
		if g := p.Value(); g != nil {
			s.recount(g)
		}
	}
	for _, p := range s.timed {
		if g := p.Value(); g != nil {
			s.unage(g)
		}
	}
}

// recount computes the clocks again from the first change that was moved, of g or of a group around it. It returns when
// that was.
func (s *Scheduler) recount(g *Group) (moved deadline.Instant) {
	if g == nil {
		return deadline.Never
	}
	moved = s.recount(g.parent)
	if len(g.paces) == 0 {
		return moved
	}
	if moved = min(moved, g.moved); moved == deadline.Never {
		return moved
	}
	for i := 1; i < len(g.paces); i++ {
		p, before := &g.paces[i], g.paces[i-1]
		if p.from < moved {
			continue
		}
		times, awake := g.parent.clocksAt(p.from)
		before.times.set(times, p.times.rate)
		before.awake.set(awake, p.awake.rate)
		p.times, p.awake = before.times, before.awake
		g.times, g.awake = p.times, p.awake
	}
	g.shown.put(g.times)
	s.arm(g)
	return moved
}
