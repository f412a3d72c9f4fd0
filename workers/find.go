package workers

import (
	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/runqueue"
)

const numLanes = deadline.NumPriorities

// next finds work, puts it into cur or joined, and reports whether there was any. It is also the sweep of the sleeping
// protocol: next looks at everything that visible counts.
func (w *Worker) next() bool {
	c := w.class
	w.tick++
	w.streak = 0
	if open := c.loops.Open(); open != 0 && (w.takeBeforeLoop() || w.enlist(open)) {
		return true
	}
	forks := w.forks.Used()
	if forks { // a job has not joined these forks
		if w.leftForks++; w.leftForks%fairness != 0 && w.takeLeftFork() {
			return true
		}
	}
	if lane := w.overdue; lane != 0 {
		w.overdue = 0
		if w.take(lane) {
			return true
		}
	}
	if w.urgent >= floor {
		w.urgent = 0
		if w.takeFloor() {
			return true
		}
	}
	for i, lane := range c.lanes {
		if i == c.fork && c.forked.Load() && w.stealFork() {
			return true
		}
		if w.pool.lanes[lane].any() && w.take(lane) {
			w.urgent++
			return true
		}
	}
	w.urgent = 0
	return forks && w.takeLeftFork()
}

// takeLeftFork takes the newest fork that nobody will join.
func (w *Worker) takeLeftFork() bool {
	j, ok := w.forks.Pop()
	if ok {
		w.cur, w.lane = jobItem(j), forkLane
	}
	return ok
}

// takeFloor takes from another lane than the last job's: the least urgent lane first, and then each lane above in its
// turn. So no lane waits until a less urgent lane is empty (W9).
func (w *Worker) takeFloor() bool {
	lanes := w.class.lanes
	for range len(lanes) - 1 {
		if w.bottom == 0 {
			w.bottom = len(lanes) - 1
		}
		lane := lanes[w.bottom]
		w.bottom--
		if lane != w.lane && w.take(lane) {
			return true
		}
	}
	return false
}

// takeBeforeLoop takes, before every floor-th loop, a job of the first lane, or of a lane that is overdue. Where each
// loop begins before the one before has ended, there is always a loop that goes first (W9).
func (w *Worker) takeBeforeLoop() bool {
	if w.loops++; w.loops%floor != 0 {
		return false
	}
	if lane := w.class.lanes[0]; w.pool.lanes[lane].any() && w.take(lane) {
		return true
	}
	w.age(deadline.Now())
	lane := w.overdue
	w.overdue = 0
	return lane != 0 && w.take(lane)
}

// take finds an item of one lane: the worker's own newest, else the oldest from outside, else another worker's oldest.
func (w *Worker) take(lane int) bool {
	l := &w.pool.lanes[lane]
	extra := l.extra.Load()
	if extra == 0 && l.outside.Empty() {
		return false
	}
	if lane >= capFrom && !w.mayTake(lane) {
		return false
	}
	var it item
	ok := false
	w.robbed = false
	if extra&useLocal == 0 {
		it, ok = w.takeOutside(l, lane)
	} else {
		it, ok = w.takeLocal(l, lane)
	}
	if !ok {
		if w.holdsCap {
			w.releaseCap()
		}
		w.streak = 0 // a streak needs an item that runs
		return false
	}
	if l.waits.Load() != 0 {
		l.waits.Store(0)
	}
	w.cur, w.lane = it, lane
	return true
}

// age looks, now and then, whether a lane has been waiting for longer than its timeout. Such a lane goes first, once
// (W9).
func (w *Worker) age(now deadline.Instant) {
	c := w.class
	if since := now.Sub(w.aged); len(c.lanes) < 2 || since >= 0 && since < ageEvery {
		return
	}
	w.aged = now
	for _, lane := range c.lanes[1:] {
		l := &w.pool.lanes[lane]
		if !c.has(lane) {
			continue
		}
		since := deadline.Instant(l.waits.Load())
		if since == 0 {
			l.waits.CompareAndSwap(0, int64(now))
		} else if now.Sub(since) > l.timeout {
			w.overdue = lane
			return
		}
	}
}

// takeLocal is take for a lane for which workers' deques are in use. The rest of the worker's own items stays shared.
// The job that it begins may wait for one of them in a way that the pool does not know.
func (w *Worker) takeLocal(l *lane, lane int) (it item, ok bool) {
	if w.tick%robFirst == 0 {
		if it, ok = w.steal(lane); ok {
			return it, true
		}
	}
	d := &w.deques[lane]
	w.taken[lane]++
	turn := w.taken[lane] % fairness
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
	if it, ok = w.takeOutside(l, lane); ok {
		return it, true
	}
	if d.Used() {
		if it, ok = d.PopOne(); ok {
			return it, true
		}
	}
	return w.steal(lane)
}

// steal takes the oldest shared item of the lane from another worker.
func (w *Worker) steal(lane int) (item, bool) {
	it, ok := w.stealBatch(lane)
	if !ok {
		it, ok = stealFrom(w, func(v *Worker) *runqueue.Deque[item] { return &v.deques[lane] })
		w.robbed = ok
	}
	return it, ok
}

// countStolen counts an item that the worker has stolen and begins. Stolen items that are stale, or are put back, do
// not count.
func (w *Worker) countStolen() {
	w.robbed = false
	w.stolen++
	if w.book != nil {
		w.book.stolen[w.lane].Add(1)
	}
}

// stealFork takes a fork of another worker's running job into cur.
func (w *Worker) stealFork() bool {
	j, ok := stealFrom(w, func(v *Worker) *runqueue.Deque[*Job] { return &v.forks })
	if !ok {
		return false
	}
	w.stole(j)
	w.cur, w.lane = jobItem(j), forkLane
	return true
}

// forkLane is the lane of a Worker within a stolen fork.
const forkLane = -1
