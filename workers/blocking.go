package workers

// Blocking calls fn, which is going to wait for something outside (a file, a network, a lock). Another worker takes
// this one's place meanwhile. At most eight do so at once; beyond that, and on a goroutine that is not a worker's, fn
// is just called. Within fn the job must not use its Worker. Blocking takes some µs.
func (w *Worker) Blocking(fn func()) {
	if fn == nil {
		panic("workers: Blocking of a nil function")
	}
	if w.class == nil {
		// A job that runs within another one's wait, or a node of a Graph, keeps a worker too, if it is on one.
		if w = w.blocks(); w == nil {
			fn()
			return
		}
	}
	spare := w.class.addSpare()
	capped := spare && w.holdsCap
	if capped {
		w.releaseCap()
	}
	defer func() {
		if capped {
			w.resumeCap() // before the spare may leave
		}
		if spare {
			w.class.dropSpare()
		}
	}()
	fn()
}

// blocks returns the worker on whose goroutine a job runs that has not got it, or nil. It takes some ns.
func (w *Worker) blocks() *Worker {
	if w.host != nil {
		return w.host
	}
	return w.pool.workerHere()
}

// addSpare raises the number of workers by one, unless there are enough spares. It holds the lock that every change of
// the number takes (E1). After fn, dropSpare lowers the number. The worker with the highest index then leaves when its
// job has ended, and publishes the items of its queues. That counts as making work visible (W1), so sleepers are told.
// H2 and H3 say what happens to the limit of W10.
func (c *class) addSpare() bool {
	p := c.pool
	p.follow.Lock()
	defer p.follow.Unlock()
	spares := int(c.spares.Load())
	if p.state.Load() == gone || spares >= p.spareLimit() || max(int(c.base.Load()), 1)+spares >= MaxWorkers {
		return false
	}
	c.spares.Store(int32(spares + 1))
	c.staff(c.target())
	return true
}

// dropSpare undoes addSpare.
func (c *class) dropSpare() {
	p := c.pool
	p.follow.Lock()
	defer p.follow.Unlock()
	c.spares.Add(-1)
	if p.state.Load() == gone {
		return // nobody is wanted
	}
	before := int(c.want.Load())
	c.setWant(c.target())
	for i := c.target(); i < before; i++ {
		c.slots[i].Load().sleeper.Post() // if it sleeps it leaves now, else after its job
	}
	if !c.low {
		p.lookLater() // E4
	}
}

func (p *Pool) spareLimit() int {
	if n := p.opt.forced.spares; n != 0 {
		return n
	}
	return maxSpares
}

// retire prepares a worker that is between two jobs, and not wanted any more, to leave, and reports whether it
// may. The worker publishes the items that it alone knows of, and tells those who sleep.
func (w *Worker) retire() bool {
	if !w.forks.Empty() {
		return false // of a job that has not joined them: next runs them first
	}
	w.settleAccounts()
	if w.owes() {
		return false // E3
	}
	if w.class.visible(1) > 0 {
		w.class.notify()
	}
	return true
}
