package workers

// vanish makes the pool gone: workers leave, and queued jobs end. It reports whether this call did it.
func (p *Pool) vanish() bool {
	p.enter()     // C4
	p.live.Add(1) // C3
	first := p.state.Swap(gone) != gone
	if first {
		p.lives.pool.cancel(ErrClosed)
		p.dismiss()
	}
	p.leave()
	p.countOut()
	return first
}

// dismiss ends the queued jobs and tells the workers to leave, when vanish has made the pool gone.
func (p *Pool) dismiss() {
	p.reap()
	p.io.dropIO()
	p.follow.Lock() // a resize may be under way
	for i := range p.classes {
		p.classes[i].setWant(0)
	}
	p.follow.Unlock()
	for i := range p.classes {
		p.classes[i].wakeAll()
	}
}

// sweepLanes is reap for a goroutine that may not be counted yet as one that runs jobs: C4.
func (p *Pool) sweepLanes() {
	p.enter()
	defer p.leave()
	p.reap()
}

// reap ends everything that is visible in the queues.
func (p *Pool) reap() {
	for at := range p.lanes {
		l := &p.lanes[at]
		for {
			it, ok := l.yielded.Pop()
			if !ok {
				break
			}
			it.job().coop.drop()
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
