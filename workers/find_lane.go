package workers

import "github.com/frameslice/frameslice/internal/runqueue"

// A lane, together with what workers have of it in their own queues.

// inject makes an item visible and has a worker look, or the runners that rest.
func (l *lane) inject(it item, fromLow bool) {
	l.push(it, fromLow)
	l.class.wakeForWork()
	l.quiet.noneIfGone()
}

// putOlder puts an item of the lane at back that was taken in vain, into the queue that is looked at first.
func (ls *lanes) putOlder(at int, it item) {
	if it.job() != nil {
		at = it.job().Priority.Lane() // a stale entry may have been in another lane
		it.job().unlook(false)        // before the entry is visible: a goroutine that finds it may claim the job
	}
	l := &ls[at]
	l.use(useOlder)
	l.older.Push(it)
	l.class.wakeForWork()
	l.quiet.noneIfGone()
}

// putBetween puts a job between two turns into its queue. A goroutine that waits for the job
// may have looked for the job in vain.
func (l *lane) putBetween(it item) {
	j := it.job() // it may be another goroutine's as soon as it is visible
	l.yielded.Push(it)
	l.quiet.noneIfGone()
	j.latch.Wake()
}

// takeFromAnyWorker takes the oldest shared item of the lane from some worker.
func (l *lane) takeFromAnyWorker() (item, bool) {
	c := l.class
	for i := range c.used.Load() {
		v := c.slots[i].Load()
		for {
			it, ok, retry := v.batches[l.at].Steal()
			if !ok && !retry {
				it, ok, retry = v.deques[l.at].Steal()
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

// queued reports whether a job waits for its start.
func (l *lane) queued() bool { return l.class.has(l.at) }

// served reports whether the lane has workers.
func (l *lane) served() bool { return l.class.want.Load() > 0 }

// orphaned reports whether there is a job that no worker takes. With all, any job counts.
func (l *lane) orphaned(all bool) bool { return l.between() || (all || !l.served()) && l.queued() }

// anyQueued reports whether there is anything for RunUntil.
func (ls *lanes) anyQueued() bool {
	for at := range ls {
		if ls[at].orphaned(true) {
			return true
		}
	}
	return false
}

// anyOrphan reports whether there is a job that no worker takes.
func (ls *lanes) anyOrphan() bool {
	for at := range ls {
		if ls[at].orphaned(false) {
			return true
		}
	}
	return false
}

// entries returns how many entries the lane has, roughly, those in workers' deques and batches included.
func (l *lane) entries() int { return l.size() + l.local() }

// local returns how many of the lane's entries are in workers' deques and batches.
func (l *lane) local() (n int) {
	if l.extra.Load()&useLocal != 0 {
		c := l.class
		for i := range c.used.Load() {
			n += c.slots[i].Load().shared(l.at)
		}
	}
	return n
}

// stealFrom takes the oldest item out of a deque of another worker: first of the worker that had some last time, then
// of the others in turn, by index. After a search in vain the next one starts at random, so that thieves spread.
// lane.takeFromAnyWorker is for goroutines that have no place in the class.
func stealFrom[T any](f *finder, of func(v *Worker) *runqueue.Deque[T]) (it T, ok bool) {
	c := f.class
	n := int(c.used.Load())
	if n < 2 && f.class.slots[0].Load() == f.w { // nobody else; a Worker of a test is in no slot
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
