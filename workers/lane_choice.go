package workers

import (
	"context"

	"github.com/frameslice/frameslice/deadline"
)

// A Lane is a pool at one urgency: whose loops and scopes are helped by the workers that serve that priority, when
// they have nothing more urgent to do. Pool.ParallelFor and Pool.Scope are for what a frame waits for, and go
// before all jobs and before those of Normal; a Lane is for what nobody waits for, so that it does not keep
// workers from a frame. (Where a worker is offered one loop after the other, it begins, before every 15th, an Immediate
// job, or one that has waited for longer than its priority's timeout.) It is a Looper: Map, Reduce, Sort and the like
// take it.
type Lane struct {
	pool *Pool
	prio deadline.Priority
}

// Lane returns p at a priority. It costs nothing. Any goroutine.
func (p *Pool) Lane(prio deadline.Priority) Lane {
	laneOf(prio)
	return Lane{p, prio}
}

// ParallelFor is Pool.ParallelFor, but its helpers are the workers of this lane, and come to it when its turn is
// among the lanes; between two pieces they leave for what is more urgent, and come back. All workers may be within a
// piece at a time, with the priorities Low and Idle too: so a grain should make pieces that may be waited for. With the
// priority Immediate it is Pool.ParallelFor. The caller goes on with it in any case. Any goroutine; it does not
// allocate.
func (l Lane) ParallelFor(n, grain int, body func(lo, hi int)) {
	at := l.prio.Lane()
	l.pool.parallelFor(l.pool.crewOf[at], at, "ParallelFor", n, grain, n, body)
}

// Scope is Pool.Scope with jobs of this lane. Any goroutine.
func (l Lane) Scope(ctx context.Context, body func(s *Scope) error) error {
	s := &Scope{pool: l.pool, prio: l.prio}
	s.low = l.pool.crews[background].used.Load() > 0 && l.pool.onLowThread()
	return s.run(ctx, body)
}

// urgentLoops returns the open loops that go before all lanes.
func (c *crew) urgentLoops() uint64 {
	if open := c.open.Load(); open != 0 {
		return open &^ c.later.Load()
	}
	return 0
}

// above reports whether there is visible work of a more urgent lane than at that this worker may take now, or an urgent
// loop. What it may not take, because others have all places of its cap (W10), it must not leave a loop for: it would
// find nothing, and join that loop again, and so on.
func (w *Worker) above(at int) bool {
	c := w.crew
	if c.urgentLoops() != 0 {
		return true
	}
	for _, lane := range c.lanes {
		if lane >= at {
			break
		}
		if c.has(lane) && (lane < capFrom || !c.full()) {
			return true
		}
	}
	return false
}

// helpLoops is what Yield does for loops that a frame waits for. The loop's pieces run on a carrier, so that a
// runtime.Goexit in one does not end the job that yields, and a graph's nodes get the carrier's Worker: this one, with
// what a Local has given it, is that job's.
func (w *Worker) helpLoops(h **caller) {
	for {
		m := w.crew.urgentLoops()
		if m == 0 || !w.enlist(m) {
			return
		}
		l := w.joined
		w.joined = nil
		if *h == nil {
			*h = w.borrowWithin()
		}
		started, shown, busy := w.started.Load(), w.shown, w.busyNS
		as := &(*h).w
		as.cur = funcItem(func() { l.helpAs(w, as) })
		(*h).loop = true
		if !(*h).after((*h).c.Run("ParallelFor", (*h).body)) {
			*h = nil
		}
		w.started.Store(started)
		w.busyNS = busy // the job's own time has it
		w.show(shown)
	}
}

// endLoop is what follows a helper's part that has run on h.
func (h *caller) endLoop() {
	h.loop = false
	h.w.cur = item{}
	h.w.runLeftForks()
}

// borrowWithin returns a caller for jobs that run within this worker's, which can do without them.
func (w *Worker) borrowWithin() *caller {
	h := w.pool.borrow()
	h.w.until = deadline.Deadline{}
	h.w.lowered = w.Low()
	h.w.host, h.apart = w, true
	return h
}
