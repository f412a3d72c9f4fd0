package mpmc

// The model's goroutines: calls that sleep, give up or are canceled, and Close.

// step is one step of goroutine i, and what follows that concerns nobody else.
func (s *queueState) step(i int8, m queueModel) bool {
	if !s.move(i, m) {
		return false
	}
	p := &s.p[i]
	for {
		switch {
		case p.pc == qNext:
			p.next()
		case p.pc == qIdle:
			left := p.left - 1
			if p.result == 3 {
				left = 0
			}
			*p = queueProc{side: p.side, left: left}
		case p.pc == qStart && p.left > 0:
			p.pc = qLoadEnd
		case p.pc == qTellPoppers && (!p.asleep[popping] || m.mutant == noChain && p.side == popping):
			p.pc = qTellPushers
		case p.pc == qTellPushers && (!p.asleep[pushing] || m.mutant == noChain && p.side == pushing):
			p.pc, p.asleep = p.afterTell, [2]bool{}
		default:
			p.forget()
			return true
		}
	}
}

// forget clears what the goroutine will not look at any more, so that states which differ in it are one.
func (p *queueProc) forget() {
	if p.pc < qLoadTurn || p.pc > qLateCell && (p.pc < qTell || p.pc > qPayUnlock || p.afterTell != qCell) {
		p.at = 0
	}
	if p.pc < qPay || p.pc > qPayUnlock {
		p.pay, p.n, p.afterPay = 0, 0, 0
		if p.pc < qTell || p.pc > qTellPushersTurn {
			p.afterTell, p.asleep = 0, [2]bool{}
		}
	}
	if p.pc != qTellPoppersTurn && p.pc != qTellPushersTurn && p.pc != qTellDrainedTail {
		p.seen = 0
	}
}

// next is what follows a try.
func (p *queueProc) next() {
	switch {
	case p.result == 2 && p.entered && !p.again:
		p.pc = qWait
	case p.result == 2:
		p.pc = qEnterLock
	case p.entered:
		p.pc = qLeaveLock
	default:
		p.pc = qIdle
	}
	if p.result != 3 {
		p.result = 0
	}
}

// move is one step of goroutine i.
func (s *queueState) move(i int8, m queueModel) bool {
	p := &s.p[i]
	switch {
	case p.pc >= qLoadEnd && p.pc <= qLateCell:
		s.try(i, p, m)
		return true
	case p.pc >= qTell && p.pc <= qTellPushersTurn:
		return s.tell(p, m)
	case p.pc >= qPay && p.pc <= qPayUnlock:
		return s.pay(p, m)
	}
	switch p.pc {
	case qStart:
		return false
	case qEnterLock, qLeaveLock:
		if s.lock[p.side] {
			return false
		}
		s.lock[p.side] = true
		p.pc++
	case qEnter: // link, count, unlock: what others see of it is the count and the lock
		l := &s.list[p.side]
		if p.again {
			copy(l[1:], l[:queueThreads-1])
			l[0] = i + 1
		} else {
			for k := range l {
				if l[k] == 0 {
					l[k] = i + 1
					break
				}
			}
		}
		s.asleep[p.side]++
		s.lock[p.side] = false
		p.entered, p.again = true, false
		p.pay, p.pc, p.afterPay = p.side, qPay, qLoadEnd
		if m.mutant == noRecheck {
			p.afterPay = qWait
		}
		if m.mutant == noPayAfter {
			p.pc = p.afterPay
		}
	case qWait:
		if !s.token[i] {
			return false
		}
		s.token[i] = false
		p.again, p.pc = true, qLoadEnd
	case qLeave:
		if s.listed(p.side, i) {
			s.unlink(p.side, i)
		} else if s.token[i] {
			s.token[i] = false
			p.handOn = m.mutant != keepWake
		}
		s.lock[p.side] = false
		p.entered = false
		p.pay, p.pc, p.afterPay = p.side, qPay, qIdle
		if p.handOn {
			p.handOn = false
			p.afterPay, p.afterTell = qTell, qIdle
		}
		if m.mutant == noPayAfter {
			p.pc = p.afterPay
		}
	}
	return true
}

// close is one step of the goroutine that closes.
func (s *queueState) close(m queueModel) bool {
	p := &s.closer
	n := int8(everyone)
	if m.mutant == closeWakesOne {
		n = 1
	}
	switch {
	case s.closing == 0:
		return false
	case s.closing == 1:
		s.closed = true
		s.closing, p.pc = 2, qIdle
	case p.pc != qIdle:
		return s.pay(p, m)
	case s.closing == 2:
		s.closing = 3
		s.owe(p, pushing, n, qIdle)
	case s.closing == 3:
		s.closing = 4
		s.owe(p, popping, n, qIdle)
	default:
		*p = queueProc{}
		s.closing = 0
		return true
	}
	return true
}

// cancel ends the wait of the first goroutine that waits, whether or not it has a token: a select may choose
// either.
func (s *queueState) cancel(i int8) bool {
	p := &s.p[i]
	if s.cancels == 0 || p.pc != qWait {
		return false
	}
	s.cancels--
	p.left, p.pc = 1, qLeaveLock
	return true
}
