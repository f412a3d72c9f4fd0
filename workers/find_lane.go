package workers

import "github.com/frameslice/frameslice/internal/runqueue"

// putOlder puts an item back that was taken in vain, into the queue that is looked at first.
func (p *Pool) putOlder(at int, it item) {
	if it.job() != nil {
		at = it.job().Priority.Lane() // a stale entry may have been in another lane
		it.job().unlook(false)        // before the entry is visible: a goroutine that finds it may claim the job
	}
	l := &p.lanes[at]
	l.use(useOlder)
	l.older.Push(it)
	p.classOf[at].wakeForWork()
	p.noneIfGone()
}

// takeFromAnyWorker takes the oldest shared item of a lane from some worker.
func (p *Pool) takeFromAnyWorker(at int) (item, bool) {
	c := p.classOf[at]
	for i := range c.used.Load() {
		v := c.slots[i].Load()
		if v == nil {
			continue
		}
		for {
			it, ok, retry := v.batches[at].Steal()
			if !ok && !retry {
				it, ok, retry = v.deques[at].Steal()
			}
			if ok {
				return it, true
			}
			if !retry {
				break
			}
		}
	}
	return item{}, false
}

// anyQueued reports whether there is anything for RunUntil.
func (p *Pool) anyQueued() bool {
	for at := range p.lanes {
		l := &p.lanes[at]
		if l.extra.Load()&useYielded != 0 && !l.yielded.Empty() || p.queued(at) {
			return true
		}
	}
	return false
}

// inject makes an item visible and has a worker look, or the runners that rest.
func (p *Pool) inject(at int, it item, fromLow bool) {
	p.lanes[at].push(it, fromLow)
	p.classOf[at].wakeForWork()
	p.noneIfGone()
}

// noneIfGone is called after an item has become visible (C1), as the pool may have become gone since the caller looked.
// Either this load sees the state gone. Or the closer, which sweeps the queues after it has set the state, sees the
// item. If no worker takes the item, noneIfGone wakes a runner (O1).
func (p *Pool) noneIfGone() {
	if p.runners.Load() != nil {
		p.wakeRunners()
	}
	if p.state.Load() == gone {
		p.endLate()
	}
}

// stealFrom takes the oldest item out of a deque of another worker: first of the worker that had some last time, then
// of the others in turn, by index. After a search in vain the next one starts at random, so that thieves spread.
// Pool.takeFromAnyWorker is for goroutines that have no place in the class.
func stealFrom[T any](w *Worker, of func(v *Worker) *runqueue.Deque[T]) (it T, ok bool) {
	c := w.class
	n := int(c.used.Load())
	if n < 2 && w.class.slots[0].Load() == w {
		return it, false
	}
	at := w.victim
	if at >= n {
		at = 0
	}
	for range n {
		if v := c.slots[at].Load(); v != nil && v != w {
			for {
				it, ok, retry := of(v).Steal()
				if ok {
					w.victim = at
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
	w.rng = w.rng*1664525 + 1013904223
	w.victim = int(w.rng>>16) % n
	return it, false
}
