package workers

// serve runs jobs until the worker shall leave, which it reports by true. It is left by a panic too.
func (w *Worker) serve() (leave bool) {
	defer w.rescue()
	for {
		if w.carried {
			w.carried = false
		} else if !w.obtain() {
			w.publish() // it need not have slept since its last jobs
			w.clean = true
			return true
		}
		if w.unfit() {
			w.carried, w.clean = true, true
			return true
		}
		if l := w.joined; l != nil {
			w.joined = nil
			w.help(l, w)
			w.endInner()
			continue
		}
		if w.lane != forkLane {
			if w.class.low {
				w.standBack()
			}
			if w.pool.quota.Bucket.On() {
				w.save()
			}
			if w.pool.state.Load() == gone {
				// Close has given up meanwhile, and could not see what was in these hands; or it is of a job that still
				// runs.
				w.pool.drop(w.cur)
				w.cur = item{}
				if w.holdsCap {
					w.releaseCap()
				}
				continue
			}
		}
		w.run()
		for w.again() {
			w.run()
		}
	}
}

// obtain takes something to do into cur or joined, or reports that the worker shall leave.
func (w *Worker) obtain() bool {
	if w.pool.state.Load() == gone {
		w.dropAll()
		return false
	}
	if w.surplus() && w.retire() {
		return false
	}
	return w.next() || w.sleep()
}

// sleep is for a worker that found nothing: it returns true with work in cur or joined, or false if the worker shall
// leave.
func (w *Worker) sleep() bool {
	w.setHungry(true)
	found := w.sleeper.Sleep()
	w.setHungry(false)
	return found
}

// A searcher is a Worker as its sleeper sees it.
type searcher struct{ *Worker }

func (w searcher) Search() bool { return w.next() }

func (w searcher) Leaving() bool { return w.mustLeave() }

func (w searcher) More(most int) int {
	n := w.class.visible(most)
	if l := w.joined; l != nil && !l.Roomy() {
		n-- // what is left of it is for this worker, who has not begun
	}
	return n
}

func (w searcher) Settle() {
	w.settleAccounts()
	if w.book != nil {
		w.book.liesDown()
	}
}

func (w searcher) Asleep() {
	w.pool.restless.Add(^uint64(0))
	if w.pool.state.Load() != running {
		w.pool.hint()
	}
}

func (w searcher) Awake() {
	if w.book != nil {
		w.book.woke()
	}
	w.pool.restless.Add(awoke)
}

// settleAccounts publishes counters, and drops references, before a sleep.
func (w *Worker) settleAccounts() {
	w.publish()
	if w.wiped != w.runs {
		w.wiped = w.runs
		w.forks.Wipe()
	}
	for i := range w.deques {
		if d := &w.deques[i]; d.Used() {
			// W6: nothing private. A lane that is at its cap may have left something.
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

func (w *Worker) publish() {
	w.statRuns.Store(w.runs)
	w.statStole.Store(w.stolen)
	w.statBusy.Store(w.busyNS)
}

// dropAll ends everything in a worker's own queues. Forks have joiners, who run them; a worker that leaves
// has none.
func (w *Worker) dropAll() {
	for i := range w.deques {
		for {
			it, ok := w.batches[i].Next()
			if !ok {
				it, ok = w.deques[i].Pop()
			}
			if !ok {
				break
			}
			w.pool.drop(it)
		}
	}
}
