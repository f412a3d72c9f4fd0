package workers

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/carrier"
	"github.com/frameslice/frameslice/internal/dice"
)

// sleep is for a worker that found nothing. It returns true with work in cur or joined, or false if the worker shall
// leave.
func (w *Worker) sleep() bool {
	w.setHungry(true)
	found := w.sleeper.Sleep()
	w.setHungry(false)
	return found
}

// A searcher is a Worker as its sleeper sees it.
type searcher struct{ *Worker }

func (w searcher) Search() bool { return w.find.findWork() }

func (w searcher) Leaving() bool { return w.mustLeave() }

func (w searcher) More(most int) int {
	n := w.class.visible(most)
	if l := w.joined; l != nil && !l.Roomy() {
		n-- // what is left of the loop is for this worker, which has not begun
	}
	return n
}

func (w searcher) Settle() {
	w.publishOwn()
	if w.profiler != nil {
		w.profiler.sleepBegins()
	}
}

func (w searcher) Asleep() {
	w.pool.activity.Add(^uint64(0))
	if w.pool.state.Load() != running {
		w.pool.wakeClosers()
	}
}

func (w searcher) Awake() {
	w.standApart()
	if w.profiler != nil {
		w.profiler.sleepEnds()
	}
	w.pool.activity.Add(oneMoreActive)
}

// dropAll drops everything in a worker's own queues, except forks. Their joiners run them, and a worker that leaves has
// none.
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
			w.pool.failures.drop(it, &w.pool.lanes[i])
		}
	}
}

// run runs cur, a job of some lane or a stolen fork.
func (w *Worker) run() {
	it := w.cur
	j := it.job()
	if w.lane == forkLane {
		w.call(it)
		w.cur = item{}
		j.finish(nil)
		return
	}
	var delay dice.Delay
	ok := true
	if w.pool.dice != nil {
		delay, ok = w.holdBack(j)
	}
	if !ok {
		w.cur = item{} // dropped
	} else if j == nil || j.claimFrom(w.class) {
		if w.find.robbed {
			w.countStolen()
		}
		if w.profiler != nil {
			w.profiler.noteBegin(w.lane, it)
		}
		w.call(it)
		w.cur = item{}
		if delay.End > 0 {
			time.Sleep(delay.End)
		}
		if j != nil {
			j.finish(nil)
		}
	} else {
		w.cur = item{} // another goroutine's: rescue must not finish it after a Goexit
		w.pool.lanes[w.lane].staleRemoved()
	}
	if w.holdsCap {
		w.releaseCap()
	}
}

// call runs an item and learns what it cost.
func (w *Worker) call(it item) {
	g := w.ledger.gaugeOf(&w.pool.kinds, it)
	w.show(g.Kind)
	w.find.brief = g.Brief
	w.ledger.runs++
	if g.Skip > 0 {
		g.Skip--
		if w.profiler == nil && !it.waits() {
			w.ledger.goUntimed(g)
			w.invoke(it)
			return
		}
	}
	start := deadline.Now()
	w.ledger.endStretch(start)
	metered := w.class.low && (g.Mean() > worthMetering || w.pool.machine.crowd.On())
	switch {
	case w.pool.machine.virtual && !metered:
	case metered:
		w.ledger.meter.look(start)
		start = deadline.Now()
	default:
		w.ledger.meter.freshen(start)
	}
	w.ledger.clockIn(start)
	if it.waits() {
		w.beginWaiting(start)
	}
	if metered && w.pool.machine.crowds {
		w.reading.Refresh(start)
	}
	w.region = w.trace(it)
	w.invoke(it)
	w.region.End()
	now := deadline.Now()
	d := w.ledger.clockOut(now)
	var cost, latest time.Duration
	if metered {
		if cost, latest = w.ledger.meter.judgeLow(d, now, w.pool.machine.virtual); w.pool.machine.crowds {
			w.pool.machine.crowd.Ran(now, d, d-cost, &w.reading, w.isLowest(), w.pool.machine.processors())
		}
	} else {
		cost, latest = w.ledger.meter.judge(d, now)
	}
	g.Kind.Latest.Note(latest)
	w.learn(g, it, start, now, cost, carrier.Returned)
	if w.profiler != nil {
		g.Skip = 0 // the time of each is wanted, however short
	}
	if w.waiting.Load() != 0 {
		g.Skip = 0 // a job that may wait is seen to run
		w.endWaiting()
	}
	w.ledger.endTimed(g, now)
	w.find.markOverdue(now)
	w.pool.follow.followProcs(now)
}
