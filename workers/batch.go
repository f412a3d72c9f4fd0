package workers

// Taking from a lane's injector one by one costs a worker the line of each slot, which the producer has written, the
// line of head, which other workers write, and a read-modify-write of either; so a worker takes several jobs at once
// where they are brief: then what is paid once for all of them counts, and one that waits behind another does not
// wait long. What it does not run at once is its batch of that lane, a deque that only ever has a shared end.
//
//	M1  A worker that takes several items from an injector pushes all but the first to its batch, which is empty,
//	    publishes them, calls notify and looks whether the pool is gone, as everybody does who makes work visible
//	    (W1, C1), before it runs the first.
//	M2  Nothing in a batch is private: its owner takes the oldest by the swap of head by which thieves take it, so
//	    every search of others finds what the owner does not get to, because a job of it takes long, or waits for
//	    one behind it.
//	M3  Owner and thieves take the oldest, so what came from one goroutine begins in the order in which it came, as
//	    far as one worker runs it. A worker takes from its batch before it takes from the injector.
//
// Between the claim of the items and their publication nobody else sees them; the worker is awake, counted in
// restless, and will notify: so for the proof of W1 to W6 the items have not been there before, and for C2 somebody
// runs. If the pool became gone meanwhile, either the closer's sweep finds them, or M1's look does.
//
// Measured with a million empty functions from one goroutine and from four, medians of 48 runs on two processors, ns
// each: 70 and 84 one by one, 43 and 51 in batches. Rejected: a batch whose newer half its owner makes private again,
// as deques do (36 and 47), because what is private waits behind a job that waits for it.
type batch struct {
	deque[item]
	owed uint64 // items that the owner has taken and read, but not counted in taken
}

const (
	// batchMost is how many jobs a worker takes from outside at once, if they are brief.
	batchMost = 32

	// robBatches is after how many looks for a batch a worker first takes from those of others, so that what they do
	// not get to does not wait until nothing comes from outside any more.
	robBatches = 4

	// inARow is how many jobs of its batch a worker runs before it looks at everything again, which takes as long as
	// the briefest of them: see again.
	inARow = 8
)

// next takes the oldest item. Owner only.
func (b *batch) next() (it item, ok bool) {
	for {
		head := b.head.Load()
		if head == b.split {
			return item{}, false
		}
		if b.head.CompareAndSwap(head, head+1) {
			b.owed++ // the owner writes slots, so nobody need know before it does
			return b.slots[head&b.mask], true
		}
	}
}

// settle says what the owner has read. It comes before the owner pushes, or sleeps.
func (b *batch) settle() {
	if b.owed != 0 {
		b.taken.Add(b.owed)
		b.owed = 0
	}
}

// takeOutside takes the oldest item from outside the workers: one of those that this worker has taken before, or
// else of the lane's queues.
func (w *Worker) takeOutside(l *lane, lane int) (it item, ok bool) {
	if extra := l.extra.Load(); extra&useExtra != 0 {
		if extra&useBelow != 0 && w.tick%robFirst == 1 {
			if it, ok = l.below.pop(); ok {
				return it, true
			}
		}
		if it, ok = l.popOlder(); ok {
			return it, true
		}
	}
	b := &w.batches[lane]
	if b.top != 0 {
		if it, ok = b.next(); ok {
			w.streak = rowAt(w.tick)
			return it, true
		}
	}
	if w.brief {
		if it, ok = w.refill(l, lane); ok {
			return it, true
		}
	}
	return l.pop()
}

// rowAt returns how many jobs of the batch may follow the one that this look has found, without a look that would have
// begun elsewhere: see robFirst.
func rowAt(tick uint32) uint8 {
	if at := tick % robFirst; at != 0 {
		return uint8(min(inARow-1, robFirst-1-at))
	}
	return 0
}

// again takes the next item of the batch that the last one came from, if that is what next would find by a longer look:
// jobs are still brief, and nothing that goes before has turned up, but for forks of other workers, which may wait for
// the rest of the row. Without it submitting and running a million empty functions takes 34 ns each, with it 32 (no
// garbage collection; 43 and 38 with).
func (w *Worker) again() bool {
	if w.streak == 0 || !w.brief {
		return false
	}
	w.streak--
	p, c := w.pool, w.crew
	if w.lane < 0 || w.lane >= capFrom || c.low || // forks have no batch, the others are counted or held back (W10, N2)
		p.state.Load() == gone || w.surplus() ||
		c.open.Load() != 0 || w.forks.top != 0 || w.deques[w.lane].top != 0 ||
		w.overdue != 0 || w.urgent >= floor {
		return false
	}
	for _, lane := range c.lanes {
		if lane == w.lane {
			break
		}
		if p.lanes[lane].any() {
			return false
		}
	}
	l := &p.lanes[w.lane]
	if extra := l.extra.Load(); extra&useHeld != 0 && !l.held.empty() || extra&useSifted != 0 && !l.sifted.empty() {
		return false
	}
	it, ok := w.batches[w.lane].next()
	if ok {
		w.cur = it
		w.tick++
		w.taken[w.lane]++
		w.urgent++
	}
	return ok
}

// refill takes several items, if there are.
func (w *Worker) refill(l *lane, lane int) (it item, ok bool) {
	if w.refills++; w.refills%robBatches == 0 && l.extra.Load()&useLocal != 0 {
		if it, ok = w.robBatch(lane); ok {
			return it, true
		}
	}
	b := &w.batches[lane]
	b.settle()
	it, ok = l.outside.popMany(&b.deque, 2*batchMost, w.crew.want.Load() == 1)
	if b.top != b.split {
		l.use(useLocal) // before they are visible
		b.publish()
		w.crew.notify()
		w.pool.noneIfGone()
	}
	return it, ok
}

// robBatch takes the oldest of another worker's batch.
func (w *Worker) robBatch(lane int) (item, bool) {
	it, ok := rob(w, func(v *Worker) *deque[item] { return &v.batches[lane].deque })
	w.robbed = ok
	return it, ok
}

// dropNewest takes stale entries off the newest end of the worker's own deque, and returns how many. The caller is the
// worker's goroutine, or a coroutine of it, and has made one stale.
func (w *Worker) dropNewest(lane int) (n int) {
	d := &w.deques[lane]
	for {
		if it, ok := d.newest(); !ok || !it.stale() {
			break
		}
		it, ok := d.popOne() // another one, if a thief was faster
		if !ok {
			break
		}
		if !it.stale() {
			d.push(it)
			d.publish()
			w.crew.notify()
			break
		}
		n++
	}
	if n > 0 {
		d.tidy()
	}
	return n
}

// shared returns how many items of a lane others could take from this worker. Any goroutine.
func (w *Worker) shared(lane int) int { return w.deques[lane].shared() + w.batches[lane].shared() }
