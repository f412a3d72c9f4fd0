package workers

// start starts the worker's goroutine unless it has one, or the pool is gone: C3.
func (p *Pool) start(w *Worker) {
	if !w.alive.CompareAndSwap(false, true) {
		return
	}
	p.live.Add(1)
	p.restless.Add(awoke)
	if p.state.Load() != gone {
		w.launch()
		return
	}
	w.alive.Store(false)
	p.settle()
	if p.live.Add(-1) == 0 {
		p.lastOut()
	}
}

// depart ends a worker. If the worker is wanted again meanwhile, depart keeps it and reports true.
func (p *Pool) depart(w *Worker) (stay bool) {
	w.moveOut()
	// Last: from here on the worker may be another goroutine's.
	w.alive.Store(false)
	wanted := w.class.want.Load() > int32(w.index)
	if wanted && w.alive.CompareAndSwap(false, true) {
		return true
	}
	if w.class.want.Load() == 0 {
		p.wakeSeats() // the worker may have left a job: E3
	}
	p.settle()
	if p.live.Add(-1) == 0 && p.state.Load() == gone {
		p.lastOut()
	}
	return false
}

// lastOut gives back what the system lent, once.
func (p *Pool) lastOut() {
	if !p.out.CompareAndSwap(false, true) {
		return
	}
	for i := range p.classes {
		for k := range p.classes[i].used.Load() {
			p.classes[i].slots[k].Load().sleeper.Close()
		}
	}
	p.procs.Down()
	close(p.ended)
}

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
	if p.live.Add(-1) == 0 {
		p.lastOut()
	}
	return first
}

// dismiss ends the queued jobs and tells the workers to leave, when vanish has made the pool gone.
func (p *Pool) dismiss() {
	p.reap()
	p.dropIO()
	p.follow.Lock() // a resize may be under way
	for i := range p.classes {
		p.classes[i].setWant(0)
	}
	p.follow.Unlock()
	for i := range p.classes {
		p.classes[i].sleep.PostAll()
	}
}

// sweep is reap for a goroutine that may not be counted yet as one that runs jobs: C4.
func (p *Pool) sweep() {
	p.enter()
	defer p.leave()
	p.reap()
}

// reap ends everything that is visible in the queues.
func (p *Pool) reap() {
	for at := range p.lanes {
		for {
			it, ok := p.lanes[at].yielded.Pop()
			if !ok {
				break
			}
			it.job().coop.drop()
		}
		for {
			it, ok := p.lanes[at].pop()
			if !ok {
				it, ok = p.rob(at)
			}
			if !ok {
				break
			}
			p.drop(it)
		}
		p.lanes[at].trim()
	}
}

// drop ends an item that will not run.
func (p *Pool) drop(it item) {
	if it.job() == nil || it.job().claimFrom(p, nil) {
		p.lose(it)
	}
}

// lose ends an item that has been claimed and will not run.
func (p *Pool) lose(it item) {
	p.dropped.Add(1)
	p.lost.Add(1)
	if it.job() != nil {
		it.job().finish(ErrClosed)
	}
}
