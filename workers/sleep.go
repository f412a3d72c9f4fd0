package workers

import (
	"math/bits"

	"github.com/frameslice/frameslice/internal/park"
)

// serve runs jobs until the worker shall leave, which it reports by true. It is left by a panic too.
func (w *Worker) serve() (leave bool) {
	defer w.rescue()
	for {
		if w.crowding.carried {
			w.crowding.carried = false
		} else if !w.obtain() {
			w.publish() // it need not have slept since its last jobs
			w.clean = true
			return true
		}
		if w.unfit() {
			w.crowding.carried, w.clean = true, true
			return true
		}
		if l := w.joined; l != nil {
			w.joined = nil
			l.help(w)
			w.endInner()
			continue
		}
		if w.lane != forkLane {
			if w.crew.low {
				w.hold()
			}
			if w.pool.allowance.grant.Load() != nil {
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
	if !w.next() {
		return w.sleep()
	}
	if w.searching {
		w.found()
	}
	return true
}

// sleep is for a worker that found nothing: it returns true with work in cur or joined, or false if the
// worker shall leave. The order of its steps is what the proof in doc.go rests on.
func (w *Worker) sleep() bool {
	c, p := w.crew, w.pool
	bit := uint64(1) << w.index
	w.setHungry(true)
	w.pauseBegins()
	for {
		if !w.searching {
			w.searching = true
			c.searching.Add(1) // W3
		}
		if w.linger() {
			w.found()
			return true
		}
		w.settleAccounts()
		w.searching = false
		c.searching.Add(-1) // step 1
		w.epoch.Add(1)
		if w.book != nil {
			w.book.liesDown()
		}
		c.idle.Or(bit) // step 2
		if w.next() {  // step 3
			w.wakeUp(bit)
			w.found()
			return true
		}
		if w.mustLeave() {
			w.wakeUp(bit)
			w.setHungry(false)
			w.searching = false
			if c.searching.Add(-1) == 0 && c.visible(1) > 0 {
				c.notify()
			}
			return false
		}
		w.parked.Add(1)
		p.restless.Add(^uint64(0))
		if p.state.Load() != running {
			p.hint()
		}
		w.sleepOn() // step 4
		if w.book != nil {
			w.book.woke()
		}
		p.restless.Add(awoke)
		w.wakeUp(bit)
		if w.next() {
			w.found()
			return true
		}
	}
}

// sleepOn waits on the worker's parker. The thread that picks up a worker from the runtime's network poller leaves no
// thread there, even with idle Ps, until some goroutine pauses or 10 to 20 ms are over. The next sleeper that is woken
// would wait that long. Starting a goroutine makes the runtime send another thread, which looks into the poller on its
// way, and costs 0.2 µs if no P is idle. In BenchmarkWakeTree three workers then help after 40, 80 and 120 µs at the
// median, and without the goroutine after 35 µs, 0.08 to 5.2 ms and 1.3 to 6.1 ms.
func (w *Worker) sleepOn() {
	w.parker.Wait()
	if w.way == park.Poll && w.crew.want.Load() > 1 {
		go nothing()
	}
}

func nothing() {}

// wakeUp leaves the idle set, as a searcher: from the first of its two steps on, publishers may rely on this
// worker's next sweep, or on found.
func (w *Worker) wakeUp(bit uint64) {
	w.searching = true
	w.crew.searching.Add(1)
	w.crew.idle.And(^bit)
}

// found ends the search of a worker that has work. The last searcher to find some passes the duty on (W3):
// others may have been let sleep because of it.
func (w *Worker) found() {
	c := w.crew
	w.setHungry(false)
	w.pauseEnds()
	w.searching = false
	if c.searching.Add(-1) == 0 && c.idle.Load() != 0 {
		n := c.visible(2)
		if l := w.joined; l != nil && !l.roomy() {
			n-- // what is left of it is for this worker, who has not begun
		}
		if n > 0 {
			c.wakeMore(n)
		}
	}
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

// spin is a short pause that leaves the memory bus alone.
func spin() {
	for i := range 32 {
		_ = bits.Reverse(uint(i))
	}
}
