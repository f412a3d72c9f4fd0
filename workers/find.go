package workers

import "github.com/frameslice/frameslice/deadline"

const numLanes = deadline.NumPriorities

// A finder chooses what its worker does next. The worker's goroutine uses it, and coroutines of that.
type finder struct {
	w     *Worker
	class *class // the worker's
	lanes *lanes // the pool's

	tick      uint32
	urgent    uint32           // jobs since a less urgent lane last went first
	bottom    int              // the position of the next less urgent lane that goes first
	overdue   int              // the lane that goes first next time, 0 for none
	aged      deadline.Instant // when it last looked for an overdue lane
	rng       uint32           // of victim, after a search in vain
	victim    int              // where the next search for a victim begins
	loops     uint32           // how often it was offered a loop before all lanes
	taken     [numLanes]uint8  // takes from each lane, where deques are in use: see fairness
	leftForks uint8            // searches that found forks: see fairness

	// Of batches.
	brief   bool   // the job that the worker ran last was one of a brief kind
	refills uint32 // how often it has looked for a batch

	robbed bool // what it found last was stolen from another worker's deque or batch
}

func (f *finder) init(w *Worker) {
	f.w, f.class, f.lanes = w, w.class, &w.pool.lanes
	f.rng = uint32(w.index)*2654435761 + 1
}

// findWork puts work into the worker's cur or joined, and reports whether there was any. It is also the sweep of the
// sleeping protocol: findWork looks at everything that visible counts.
func (f *finder) findWork() bool {
	c := f.class
	f.tick++
	if open := c.loops.Open(); open != 0 && (f.takeBeforeLoop() || f.w.joinLoop(open)) {
		return true
	}
	forks := f.w.forks.Used()
	if forks { // a job has not joined these forks
		if f.leftForks++; f.leftForks%fairness != 0 && f.takeLeftFork() {
			return true
		}
	}
	if lane := f.overdue; lane != 0 {
		f.overdue = 0
		if f.takeFromLane(lane) {
			return true
		}
	}
	if f.urgent >= floor {
		f.urgent = 0
		if f.takeFloor() {
			return true
		}
	}
	for i, lane := range c.lanes {
		if i == c.fork && c.forked.Load() && f.stealFork() {
			return true
		}
		if f.lanes[lane].any() && f.takeFromLane(lane) {
			f.urgent++
			return true
		}
	}
	f.urgent = 0
	return forks && f.takeLeftFork()
}

// takeLeftFork takes the newest fork that nobody will join.
func (f *finder) takeLeftFork() bool {
	j, ok := f.w.forks.Pop()
	if ok {
		f.w.cur, f.w.lane = jobItem(j), forkLane
	}
	return ok
}

// takeFloor takes from another lane than the last job's: the least urgent lane first, and then each lane above in its
// turn. So no lane waits until a less urgent lane is empty (W9).
func (f *finder) takeFloor() bool {
	lanes := f.class.lanes
	for range len(lanes) - 1 {
		if f.bottom == 0 {
			f.bottom = len(lanes) - 1
		}
		lane := lanes[f.bottom]
		f.bottom--
		if lane != f.w.lane && f.takeFromLane(lane) {
			return true
		}
	}
	return false
}

// takeBeforeLoop takes, before every floor-th loop, a job of the first lane, or of a lane that is overdue (W9). Loops
// go before lanes, so without this a worker would never come to the lanes while calls of ParallelFor overlap, because
// some loop is always open.
func (f *finder) takeBeforeLoop() bool {
	if f.loops++; f.loops%floor != 0 {
		return false
	}
	if lane := f.class.lanes[0]; f.lanes[lane].any() && f.takeFromLane(lane) {
		return true
	}
	f.markOverdue(deadline.Now())
	lane := f.overdue
	f.overdue = 0
	return lane != 0 && f.takeFromLane(lane)
}

// takeFromLane takes an item of one lane: the worker's own newest, else the oldest from outside, else another worker's
// oldest.
func (f *finder) takeFromLane(lane int) bool {
	l := &f.lanes[lane]
	extra := l.extra.Load()
	if extra == 0 && l.outside.Empty() {
		return false
	}
	if lane >= capFrom && !f.w.mayTake(lane) {
		return false
	}
	var it item
	ok := false
	f.robbed = false
	if extra&useLocal == 0 {
		it, ok = f.takeOutside(l, lane)
	} else {
		it, ok = f.takeLocal(l, lane)
	}
	if !ok {
		if f.w.holdsCap {
			f.w.releaseCap()
		}
		return false
	}
	if l.waits.Load() != 0 {
		l.waits.Store(0)
	}
	f.w.cur, f.w.lane = it, lane
	return true
}

// markOverdue looks, now and then, whether a lane has been waiting for longer than its timeout. Such a lane goes first,
// once (W9).
func (f *finder) markOverdue(now deadline.Instant) {
	c := f.class
	if since := now.Sub(f.aged); len(c.lanes) < 2 || since >= 0 && since < ageEvery {
		return
	}
	f.aged = now
	for _, lane := range c.lanes[1:] {
		l := &f.lanes[lane]
		if !l.hasJob() {
			continue
		}
		since := deadline.Instant(l.waits.Load())
		if since == 0 {
			l.waits.CompareAndSwap(0, int64(now))
		} else if now.Sub(since) > l.timeout {
			f.overdue = lane
			return
		}
	}
}

// takeLocal takes an item of a lane for which workers' deques are in use. The rest of the worker's own items stays
// shared. The job that it begins may wait for one of them in a way that the pool does not know.
func (f *finder) takeLocal(l *lane, lane int) (it item, ok bool) {
	if f.tick%robFirst == 0 {
		if it, ok = f.steal(lane); ok {
			return it, true
		}
	}
	d := &f.w.deques[lane]
	f.taken[lane]++
	turn := f.taken[lane] % fairness
	if turn == fairness/2 && d.Used() {
		if it, ok = d.Shift(); ok {
			return it, true
		}
	}
	if turn != 0 && d.Used() {
		if it, ok = d.PopOne(); ok {
			return it, true
		}
	}
	if it, ok = f.takeOutside(l, lane); ok {
		return it, true
	}
	if d.Used() {
		if it, ok = d.PopOne(); ok {
			return it, true
		}
	}
	return f.steal(lane)
}

// forkLane is the lane of a Worker within a stolen fork.
const forkLane = -1
