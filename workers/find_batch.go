package workers

// How workers take several brief jobs at once. The jobs that a worker does not run at once are in its batch of that
// lane (runqueue.Batch).
//
//	M4  A worker that takes several items from an injector keeps M1. After the items are visible again it also looks
//	    whether the pool is gone, as everybody does who makes work visible (C1). A worker takes from its batch before
//	    it takes from the injector.
//
// Between the claim of the items and their publication no other goroutine sees the items. The worker is counted in
// activity, so for C2 somebody runs. If the pool became gone meanwhile, either the closer's sweep finds the items, or
// M4's look finds the pool gone.

// takeOutside takes the oldest item from outside the workers: from this worker's batch, or else from the lane's queues.
// Items of lane.older go before both.
func (f *finder) takeOutside(l *lane, lane int) (it item, ok bool) {
	if extra := l.extra.Load(); extra&useExtra != 0 {
		if extra&useBelow != 0 && f.tick%robFirst == 1 {
			if it, ok = l.below.Pop(); ok {
				return it, true
			}
		}
		if it, ok = l.older.Pop(); ok {
			return it, true
		}
	}
	b := &f.w.batches[lane]
	if b.Used() {
		if it, ok = b.Next(); ok {
			return it, true
		}
	}
	if f.brief {
		if it, ok = f.refill(l, lane); ok {
			return it, true
		}
	}
	return l.pop()
}

// refill takes several items from outside, or an item of another worker's batch.
func (f *finder) refill(l *lane, lane int) (it item, ok bool) {
	if f.refills++; f.refills%robBatches == 0 && l.extra.Load()&useLocal != 0 {
		if it, ok = f.stealBatch(lane); ok {
			return it, true
		}
	}
	b := &f.w.batches[lane]
	b.Settle()
	it, ok = l.outside.PopMany(b, 2*batchMost, f.class.want.Load() == 1)
	if !b.AllShared() {
		l.use(useLocal) // before the items are visible
		b.Publish()
		f.class.wakeForWork()
		l.quiet.afterPush()
	}
	return it, ok
}

// dropNewest takes stale entries off the newest end of the worker's own deque, and returns how many. The caller is the
// worker's goroutine, or a coroutine of it, and has made an entry stale.
func (w *Worker) dropNewest(lane int) (n int) {
	d := &w.deques[lane]
	for {
		if it, ok := d.Newest(); !ok || !it.isStale(w.class) {
			break
		}
		it, ok := d.PopOne() // another entry, if a thief was faster
		if !ok {
			break
		}
		if !it.isStale(w.class) {
			d.Push(it)
			d.Publish()
			w.class.wakeForWork()
			break
		}
		n++
	}
	if n > 0 {
		d.Tidy()
	}
	return n
}

// publishOwn publishes counters, and drops references, before a sleep.
func (w *Worker) publishOwn() {
	w.ledger.publish()
	w.ledger.breakStretch()
	if w.wiped != w.ledger.runs {
		w.wiped = w.ledger.runs
		w.forks.Wipe()
	}
	for i := range w.deques {
		if d := &w.deques[i]; d.Used() {
			// W6: nothing stays private. In a lane that is at its cap (W10) there may still be items.
			d.Publish()
			d.Tidy()
		}
		if b := &w.batches[i]; b.Used() {
			b.Settle()
			b.Tidy()
		}
	}
	w.show(nil)
}
