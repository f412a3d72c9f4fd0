package mpmc

// The model's ring: its cells, the lists of who sleeps, and the calls that do not wait.

func (m queueModel) slot(at int8) int8 { return at % m.cells }

func (m queueModel) free(at int8) int8 { return at / m.cells * 2 }

func (m queueModel) filled(at int8) int8 { return at/m.cells*2 + 1 }

// unlink takes goroutine i off a list.
func (s *queueState) unlink(side, i int8) {
	l := &s.list[side]
	for k := range l {
		if l[k] == i+1 {
			copy(l[k:], l[k+1:])
			l[queueThreads-1] = 0
			break
		}
	}
	s.asleep[side]--
}

func (s *queueState) listed(side, i int8) bool {
	for _, x := range s.list[side] {
		if x == i+1 {
			return true
		}
	}
	return false
}

// pay is the steps of pay, which end in p.afterPay.
func (s *queueState) pay(p *queueProc, m queueModel) bool {
	switch p.pc {
	case qPay:
		p.pc = qPayLock
		if s.owed[p.pay] == 0 {
			p.pc = p.afterPay
		}
	case qPayLock: // TryLock
		if s.lock[p.pay] {
			p.pc = p.afterPay
			return true
		}
		s.lock[p.pay] = true
		p.pc = qPayTake
	case qPayTake:
		p.n, s.owed[p.pay] = s.owed[p.pay], 0
		p.pc = qPayOne
		if s.list[p.pay][0] == 0 {
			p.n, p.pc = 0, qPayUnlock
		}
	case qPayOne:
		x := s.list[p.pay][0] - 1
		s.unlink(p.pay, x)
		s.token[x] = true
		if p.n != everyone {
			p.n--
		}
		if p.n == 0 || s.list[p.pay][0] == 0 {
			p.n, p.pc = 0, qPayUnlock
		}
	case qPayUnlock:
		s.lock[p.pay] = false
		p.pc = qPay
		if m.mutant == noPayAfter {
			p.pc = p.afterPay
		}
	}
	return true
}

// owe is the addition to owed and what follows.
func (s *queueState) owe(p *queueProc, side, n, then int8) {
	if n == everyone || s.owed[side] == everyone {
		s.owed[side] = everyone
	} else {
		s.owed[side]++
	}
	p.pay, p.pc, p.afterPay = side, qPay, then
}

// tell is the steps of Q5, which end in p.afterTell.
func (s *queueState) tell(p *queueProc, m queueModel) bool {
	switch p.pc {
	case qTell:
		p.asleep = [2]bool{s.asleep[0] > 0, s.asleep[1] > 0}
		p.pc = qTellPoppers
		if p.asleep == [2]bool{} {
			p.pc = p.afterTell
		}
	case qTellPoppers:
		p.seen, p.pc = s.head, qTellPoppersTurn
	case qTellPoppersTurn:
		p.pc = qTellPushers
		if m.closes {
			p.pc = qTellDrained
		}
		if s.turn[m.slot(p.seen)] == m.filled(p.seen) {
			s.owe(p, popping, 1, qTellPushers)
		}
	case qTellDrained:
		p.seen, p.pc = s.head, qTellDrainedTail
	case qTellDrainedTail:
		p.pc = qTellPushers
		if s.closed && s.tail == p.seen && m.mutant != endWakesNobody {
			s.owe(p, popping, everyone, qTellPushers)
		}
	case qTellPushers:
		p.pc = p.afterTell
		if !s.closed {
			p.seen, p.pc = s.tail, qTellPushersTurn
		}
	case qTellPushersTurn:
		p.pc = p.afterTell
		if s.turn[m.slot(p.seen)] == m.free(p.seen) {
			s.owe(p, pushing, 1, p.afterTell)
		}
	}
	return true
}

// try is the steps of TryPush and TryPop.
func (s *queueState) try(i int8, p *queueProc, m queueModel) {
	slot := m.slot(p.at)
	right := m.free(p.at)
	if p.side == popping {
		right = m.filled(p.at)
	}
	switch p.pc {
	case qLoadEnd:
		p.at, p.pc = s.tail, qLoadTurn
		if p.side == popping {
			p.at = s.head
		} else if s.closed && m.mutant != pushIgnoresBit {
			p.result, p.pc = 3, qNext
		}
	case qLoadTurn:
		switch d := s.turn[slot]; {
		case d == right, m.mutant == lapOff && p.side == pushing && d == right-1:
			p.pc = qSwap
		case d > right:
			p.pc = qLoadEnd
		case p.side == popping && m.closes:
			p.pc = qDrained
		default:
			p.result, p.pc = 2, qNext
		}
	case qDrained:
		p.result, p.pc = 2, qNext
		if s.closed && s.tail == p.at {
			p.result = 3
		}
	case qSwap:
		p.pc = qLoadEnd
		if p.side == popping && s.head == p.at {
			s.head++
			p.pc = qCell
		}
		if p.side == pushing && s.tail == p.at && (!s.closed || m.mutant == pushIgnoresBit) {
			if s.closed {
				s.wrong = 4
			}
			s.tail++
			p.pc = qCell
		}
		if p.pc == qCell {
			if s.user[slot] != 0 {
				s.wrong = 1
			}
			s.user[slot] = i + 1
			if m.mutant == fillAfterTurn && p.side == pushing || m.mutant == readAfterTurn && p.side == popping {
				p.pc = qTurn
			}
			if m.mutant == tellFirst {
				p.pc, p.afterTell = qTell, qCell
			}
		}
	case qCell, qLateCell:
		if p.side == pushing {
			s.cell[slot] = p.at + 1
			s.given++
		} else {
			if s.cell[slot] != p.at+1 {
				s.wrong = 2
			}
			s.cell[slot] = 0
			s.taken++
		}
		if p.pc == qLateCell {
			p.result, p.pc, p.afterTell = 1, qTell, qNext
			return
		}
		p.pc = qTurn
		s.try(i, p, m) // nobody can tell the two apart: the cell is this goroutine's
	case qTurn:
		s.user[slot] = 0
		s.turn[slot] = right + 1
		p.result, p.pc, p.afterTell = 1, qTell, qNext
		switch {
		case m.mutant == fillAfterTurn && p.side == pushing || m.mutant == readAfterTurn && p.side == popping:
			p.pc = qLateCell
		case m.mutant == tellFirst:
			p.pc = qNext
		}
	}
}
