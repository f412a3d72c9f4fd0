package workers

// How many of a class's workers may run jobs of the capped lanes, so that one worker is always there for the other
// lanes: one less than there are to be besides spares.
//
//	H1  A worker that is about to take such a job adds itself to capped, by compare-and-swap of a value below the
//	    limit. Then it looks at the limit once more. If the limit has become too low for it, the worker takes itself
//	    off again.
//	H2  A worker that takes itself off then notifies, as if it had made the work visible that was left because of it.
//	    So does a worker that blocks and has got a spare (addSpare): its place is another's meanwhile. When it
//	    continues it adds itself again, whether there is room or not, before its spare is told to leave. An item whose
//	    producer has not filled its slot yet does not count, because that producer notifies later. Otherwise workers
//	    that cannot get the item would wake one another until then.
//	H3  A worker that has no place any more (E1) finds that first, and then looks at capped. It leaves only if capped
//	    is within the limit. The worker that takes capped back to the limit posts to the workers that have stayed.
//
// Claim: at least one of the workers that do not block with a spare is not within such a job. There are base such
// workers, since each worker that blocks has a spare, and no worker leaves that has a place. So the claim holds where
// capped is within the limit.
//
// Two things put capped beyond the limit. One is a worker that continues after Blocking. It did not count among those
// workers before and does now, so both numbers grow by one. The other is a limit that falls. Then nobody adds itself by
// H1, and nobody leaves by H3. For a worker that leaves has found the new number of workers first, and then has looked
// at capped before it was beyond the limit. So a worker that adds itself after that look finds the new limit (H1), and
// a worker that continues has a spare that is still wanted (H2).
//
// And no worker sleeps over a job that it may begin, by H2 and the proof of W2, as a limit that grows wakes all
// (resize, WA4). ∎ Jobs that began while there was no limit are not counted.
//
// Rejected: a limit of one less than all workers, spares included. The capped jobs could then have all other places
// while a job of another lane blocked. After Blocking two such jobs ran in the places of one, and the spare left. And
// when Blocking began, workers that slept over jobs which they now might begin were not told.

// mayTake reports whether the worker may take a job of the lane (H1).
func (w *Worker) mayTake(lane int) bool {
	c := w.class
	most := c.capAt()
	if most == 0 {
		return true
	}
	if d := &w.deques[lane]; d.AllShared() && !c.pool.lanes[lane].hasJob() {
		return false // a place that is held for nothing would keep others away
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

// capAt returns how many workers may be within jobs of the capped lanes, 0 for no limit. There is no limit for a single
// worker, nor for the spare that stands in for it within Blocking, because it serves all lanes. There is none for
// background workers, because nobody waits for them.
func (c *class) capAt() int32 {
	if c.low {
		return 0
	}
	n := c.base.Load() - 1
	if n <= 0 {
		return 0
	}
	return n + c.lent.Load()
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
		c.wakeUnwanted(c.want.Load(), c.used.Load())
	}
	c.wakeForRoom()
}

// resumeCap counts a worker again that gave its place back for a Blocking (H2).
func (w *Worker) resumeCap() {
	w.class.capped.Add(1)
	w.holdsCap = true
}

// Blocking calls fn, which is going to wait for something outside (a file, a network, a lock). Another worker takes
// this worker's place meanwhile. At most eight workers are replaced at once, and jobs that wait for jobs are among
// them. Beyond that, and on a goroutine that is not a worker's, Blocking just calls fn. Within fn the job must not use
// its Worker. Blocking takes some µs.
func (w *Worker) Blocking(fn func()) {
	if fn == nil {
		panic("workers: Blocking of a nil function")
	}
	if w.class == nil {
		// A job within another job's wait keeps the worker that it is on.
		if w = w.outerWorker; w == nil {
			fn()
			return
		}
	}
	defer w.lend().TakeBack()
	fn()
}

// A loan is the place that a worker has lent to a spare: H2. The zero loan is none.
type loan struct {
	of     *Worker // nil where there was no spare
	capped bool
}

// lend has a spare take the worker's place, unless a spare has it already, or there are too many.
func (w *Worker) lend() loan {
	if w.hasSpare || !w.class.addSpare() {
		return loan{}
	}
	w.hasSpare = true
	lent := loan{w, w.holdsCap}
	if lent.capped {
		w.releaseCap()
	}
	return lent
}

// TakeBack ends a loan.
func (l loan) TakeBack() {
	w := l.of
	if w == nil {
		return
	}
	w.hasSpare = false
	if l.capped {
		w.resumeCap() // before the spare may leave
	}
	w.class.dropSpare()
}

// addSpare raises the number of workers by one, unless there are enough spares. It holds the lock that every change of
// the number takes (E1). After fn, dropSpare lowers the number. The worker with the highest index then leaves when its
// job has ended, and publishes the items of its queues. To publish is to make work visible (W1), so sleepers are told.
// H2 and H3 say what happens to the limit of W10.
func (c *class) addSpare() bool {
	p := c.pool
	p.follow.Lock()
	defer p.follow.Unlock()
	spares := int(c.spares.Load())
	if p.state.Load() == gone || spares >= p.opt.forced.spares || max(int(c.base.Load()), 1)+spares >= maxWorkers {
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
		return // no worker is wanted
	}
	before := c.want.Load()
	c.setWant(c.target())
	c.wakeUnwanted(int32(c.target()), before)
	if !c.low {
		p.follow.lookLater() // E4
	}
}

// mustLeave reports whether a worker that has found nothing must leave, because the pool is gone or has fewer workers
// now.
func (w *Worker) mustLeave() bool {
	return w.pool.state.Load() == gone || w.isUnwanted() && !w.mustDrainFirst()
}

// isUnwanted reports whether there is no place for the worker, and it is not kept by H3.
func (w *Worker) isUnwanted() bool {
	return int32(w.index) >= w.class.want.Load() && !w.class.crowded()
}
