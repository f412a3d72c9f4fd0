package workers

// vanish makes the pool gone: workers leave, and queued jobs end. It reports whether this call did it.
func (q *quiet) vanish() bool {
	q.callerEnters() // C4
	q.live.Add(1)    // C3
	first := q.state.Swap(gone) != gone
	if first {
		q.dismiss()
	}
	q.callerLeaves()
	q.countOut()
	return first
}

// dismissAll ends contexts, functions of IO that wait, and queued jobs, and tells the workers to leave.
func (p *Pool) dismissAll() {
	p.lives.pool.cancel(ErrClosed)
	p.reapLanes()
	p.io.dropIO()
	p.sendHome()
}

// sendHome tells the workers to leave.
func (p *Pool) sendHome() {
	p.follow.Lock() // a resize may be under way
	for i := range p.classes {
		p.classes[i].setWant(0)
	}
	p.follow.Unlock()
	for i := range p.classes {
		p.classes[i].wakeAll()
	}
}

// reapLanes ends everything that is visible in the queues.
func (p *Pool) reapLanes() {
	for at := range p.lanes {
		p.reapLane(&p.lanes[at])
	}
}

func (p *Pool) reapLane(l *lane) {
	for {
		it, ok := l.yielded.Pop()
		if !ok {
			break
		}
		it.job().yielder.dropYielder()
	}
	for {
		it, ok := l.pop()
		if !ok {
			it, ok = l.takeFromAnyWorker()
		}
		if !ok {
			break
		}
		p.failures.drop(it, l)
	}
	l.trim()
}

// releaseAll gives back what the system lent.
func (p *Pool) releaseAll() {
	for i := range p.classes {
		for k := range p.classes[i].used.Load() {
			p.classes[i].slots[k].Load().sleeper.Close()
		}
	}
	p.procs.Down()
}
