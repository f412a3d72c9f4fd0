package scheduler

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
			s.addIdle(it)
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
			s.addIdle(it)
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
