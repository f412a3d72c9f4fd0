package workers

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

// rob takes the oldest shared item of a lane from some worker.
func (p *Pool) rob(at int) (item, bool) {
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
