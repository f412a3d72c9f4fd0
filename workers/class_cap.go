package workers

// How many of a class's workers may be within jobs of the capped lanes, so that one is always there for the others: one
// less than there are to be besides spares.
//
//	H1  Who is about to take such a job adds itself to capped, by compare-and-swap of a value below the limit, and
//	    then looks at the limit once more: if that has become too low for it, it takes itself off again.
//	H2  Whoever takes itself off then notifies, as if it had made the work visible that was left because of it. So
//	    does who blocks and has got a spare (addSpare): its place is another's meanwhile. When it goes on it adds
//	    itself again, be there room or not, before its spare is told to leave.
//	H3  A worker that has no place any more (E1) finds that first, and then looks at capped: it leaves only if that
//	    is within the limit. Who takes capped back to the limit posts to those who have stayed.
//
// Claim: of the workers that do not block with a spare one is not within such a job. There are as many of them as there
// are to be (base), since for each that blocks there is a spare more, and none leaves that has a place. So the
// claim holds where capped is within the limit.
//
// Two things put capped beyond the limit. One is a worker that goes on after Blocking: it was not among those workers
// before and is now, so there is one more of both. The other is a limit that becomes less. Then nobody adds itself by
// H1, and by H3 nobody leaves. For a worker that leaves looked at capped before it was beyond the limit, and had found
// the new number of workers before that. So a worker that adds itself after that look finds the new limit (H1), and a
// worker that goes on has a spare that is still wanted (H2).
//
// And no worker sleeps over a job that it might begin, by H2 and the proof of W2, as a limit that grows wakes all
// (resize). ∎ Jobs that were begun while there was no limit are not counted.
//
// Rejected: a limit of one less than all there are, spares too. It let the others have all places while a job of
// another lane blocked. The end of Blocking left two in the places of one, and the spare went. And when Blocking began,
// workers that slept over jobs which they now might begin were not told.

// mayTake is H1: whether the worker may take a job of the lane.
func (w *Worker) mayTake(lane int) bool {
	c := w.class
	most := c.capAt()
	if most == 0 {
		return true
	}
	if d := &w.deques[lane]; d.AllShared() && !c.has(lane) {
		return false // so that the cap is not held, and others kept away, for nothing
	}
	n := c.capped.Load()
	for n < most && !c.capped.CompareAndSwap(n, n+1) {
		n = c.capped.Load()
	}
	if n >= most {
		return false
	}
	w.holdsCap = true
	if now := c.capAt(); now > 0 && n >= now {
		w.releaseCap()
		return false
	}
	return true
}

// capAt returns how many workers may be within jobs of the capped lanes, 0 for no limit: a single worker serves all
// lanes, also the one that stands in for it while it is within Blocking, and background workers leave nobody waiting.
func (c *class) capAt() int32 {
	if c.low {
		return 0
	}
	return max(c.base.Load()-1, 0)
}

// crowded reports whether more are within jobs of the capped lanes than may.
func (c *class) crowded() bool {
	most := c.capAt()
	return most > 0 && c.capped.Load() > most
}

// releaseCap gives the worker's place in the capped lanes back: H2, H3.
func (w *Worker) releaseCap() {
	w.holdsCap = false
	c := w.class
	if n := c.capped.Add(-1); n > 0 && n == c.capAt() {
		for i := c.want.Load(); i < c.used.Load(); i++ {
			c.slots[i].Load().sleeper.Post()
		}
	}
	for lane := capFrom; lane < numLanes; lane++ {
		if w.pool.classOf[lane] == c && c.has(lane) {
			c.notify()
			return
		}
	}
}

// resumeCap is the end of Blocking for who has given its place back: H2.
func (w *Worker) resumeCap() {
	w.class.capped.Add(1)
	w.holdsCap = true
}

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
	if p.state.Load() == gone || spares >= p.spareLimit() || max(int(c.base.Load()), 1)+spares >= maxWorkers {
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
