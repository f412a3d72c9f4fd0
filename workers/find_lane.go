package workers

// A lane, together with what workers have of it in their own queues.

// inject makes an item visible and has a worker look, or the runners that rest.
func (l *lane) inject(it item, fromLow bool) {
	l.push(it, fromLow)
	l.class.wakeForWork()
	l.quiet.afterPush()
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
	l.quiet.afterPush()
}

// putBetween puts a job between two turns into its queue. No worker is woken, because only RunUntil, Wait and Close
// continue such a job. A goroutine that waits for the job may have looked for it in vain, so that goroutine is woken.
func (l *lane) putBetween(it item) {
	j := it.job() // it may be another goroutine's as soon as it is visible
	l.yielded.Push(it)
	l.quiet.afterPush()
	j.latch.Wake()
}

// takeFromAnyWorker takes the oldest shared item of the lane from some worker, by index. It is for goroutines that have
// no place in the class; workers steal by stealFrom.
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

// hasJob reports whether there is a visible job in the lane, or in a worker's queue of it.
func (l *lane) hasJob() bool { return !l.empty() || l.local() > 0 }

// hasFilled reports whether there is a job whose slot is filled, or one in a worker's queue. Another producer wakes
// whom it concerns afterwards, and whoever relied on the job before would only spin.
func (l *lane) hasFilled() bool { return l.filled() || l.local() > 0 }

// queued reports whether a job waits in the lane, also between two turns.
func (l *lane) queued() bool {
	return l.hasJob() || l.extra.Load()&useYielded != 0 && !l.yielded.Empty()
}

// served reports whether the lane has workers.
func (l *lane) served() bool { return l.class.want.Load() > 0 }

// orphaned reports whether there is a job that could be taken now, and that no worker takes. With all, it does not
// matter whether a worker takes the job.
func (l *lane) orphaned(all bool) bool {
	return l.between() || (all || !l.served()) && l.hasFilled()
}

// anyQueued reports whether a job waits anywhere.
func (ls *lanes) anyQueued() bool {
	for at := range ls {
		if ls[at].queued() {
			return true
		}
	}
	return false
}

// anyOrphan reports whether a lane is orphaned.
func (ls *lanes) anyOrphan(all bool) bool {
	for at := range ls {
		if ls[at].orphaned(all) {
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
