package workers

import "github.com/frameslice/frameslice/internal/runqueue"

// Stealing: how a worker takes items, batches and forks of another worker of its class.

// steal takes the oldest shared item of the lane from another worker.
func (f *finder) steal(lane int) (item, bool) {
	it, ok := f.stealBatch(lane)
	if !ok {
		it, ok = stealFrom(f, func(v *Worker) *runqueue.Deque[item] { return &v.deques[lane] })
		f.robbed = ok
	}
	return it, ok
}

// stealBatch takes the oldest item of another worker's batch.
func (f *finder) stealBatch(lane int) (item, bool) {
	it, ok := stealFrom(f, func(v *Worker) *runqueue.Deque[item] { return &v.batches[lane].Deque })
	f.robbed = ok
	return it, ok
}

// countStolen counts an item that the worker has stolen and begins. Stolen items that are stale, or are put back, do
// not count.
func (w *Worker) countStolen() {
	w.find.robbed = false
	w.ledger.stolen++
	if w.profiler != nil {
		w.profiler.stolen[w.lane].Add(1)
	}
}

// stealFork takes a fork of another worker's running job into cur.
func (f *finder) stealFork() bool {
	j, ok := stealFrom(f, func(v *Worker) *runqueue.Deque[*Job] { return &v.forks })
	if !ok {
		return false
	}
	f.w.stole(j)
	f.w.cur, f.w.lane = jobItem(j), forkLane
	return true
}

// stealFrom takes the oldest item out of a deque of another worker: first of the worker that had some last time, then
// of the others in turn, by index. After a search in vain the next one starts at random, so that thieves spread.
// Where one worker has all the work, its thieves find it at the first look.
func stealFrom[T any](f *finder, of func(v *Worker) *runqueue.Deque[T]) (it T, ok bool) {
	c := f.class
	n := int(c.used.Load())
	if n < 2 && f.class.slots[0].Load() == f.w { // nobody else; the Worker of a test is in no slot, and looks
		return it, false
	}
	at := f.victim
	if at >= n {
		at = 0
	}
	for range n {
		if v := c.slots[at].Load(); v != f.w {
			for {
				it, ok, retry := of(v).Steal()
				if ok {
					f.victim = at
					return it, true
				}
				if !retry {
					break
				}
			}
		}
		if at++; at == n {
			at = 0
		}
	}
	f.rng = f.rng*1664525 + 1013904223
	f.victim = int(f.rng>>16) % n
	return it, false
}
