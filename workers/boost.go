package workers

import (
	"time"

	"github.com/frameslice/frameslice/internal/osthread"
)

// A booster lends background workers the priority of who waits for them, in a program that is at real-time priority as
// a whole (chrt -r). There a thread of Go's runtime that waits for a background worker does so in a loop, with
// sched_yield: one that marks, until the worker has stopped to have its stack scanned; one whose own stack a worker's
// job is scanning, until it has. But that call lets nobody run who has a lower priority. So where there are as many
// such threads as processors the system stops them all only when they have used up what it grants real-time threads,
// 0.95 s in each second: a window stood still for 0.9 s or longer in seven of ten runs of 30 and 40 s, with two mark
// workers in runtime.suspendG.
//
// It is an inversion of priorities, and the cure is the classic one: inheritance (Sha, Rajkumar and Lehoczky, "Priority
// Inheritance Protocols", IEEE Transactions on Computers 39-9, 1990). The runtime does not tell who waits for whom, so
// a thread of the next higher priority looks every 2 ms, while any background worker is awake, whether each has run at
// all since the last look, and if it has not gives it that priority for 0.2 ms. It needs some 20 µs: as soon as it runs
// it finds the runtime's signal, and stops.
//
//	X1  A worker's reach is the number of its thread from when it has been prepared until its goroutine is about to
//	    end; only the worker sets and clears it, by a compare-and-swap that waits while it is held.
//	X2  The booster changes a thread only while it holds it: from a compare-and-swap that makes the number negative
//	    until it makes it positive again. It holds none while it naps.
//	X3  The booster rests only after it has seen, rests times in a row, that all workers are asleep. A worker that has
//	    left idle, or has come into reach, tells it, as in U1, and it rests as in U2.
//
// So it changes no thread that has ended, whose number the system may have given to somebody else's by then (a worker
// that has ended with its boost needs no undoing); and it does not rest while a worker is awake: that one has left idle
// after the booster's last look, and told it after that. A worker may be kept off before it has told it; so who posts
// to one tells it too, and it looks for another 40 ms.
//
// A worker that sleeps within a job has not run either, and is lent the priority for nothing, so each time that this
// makes no difference it is left alone for twice as long, for 64 ms at most.
//
// Rejected: to do it from the start of a collection to its end (frameslice begins some of them, the runtime the others,
// without a word); workers of the lowest real-time priority, as chrt -r 1 has given that to everybody already.
type booster struct {
	pool *Pool
	v    *nudger // for its token
	prio int     // of the others
	seen [MaxWorkers]progress
	lent []loaned
}

type loaned struct {
	w    *Worker
	id   int64
	undo func()
}

const (
	boostEvery = 2 * time.Millisecond
	boostFor   = 200 * time.Microsecond
	boostRests = 31 // looks
)

// A progress is what the booster knows of one worker.
type progress struct {
	used       time.Duration
	wait, left uint8 // looks without a boost after the last one, and what is left of them
}

// stuck learns what a worker has used up by now, and reports whether to boost it.
func (g *progress) stuck(used time.Duration) bool {
	switch {
	case used != g.used:
		*g = progress{used: used}
		return false
	case g.left > 0:
		g.left--
		return false
	}
	g.wait = min(2*g.wait+1, boostRests)
	g.left = g.wait
	return true
}

// boosts reports whether the pool has a booster, which wants a P when it wakes up: so not without RaiseProcs.
func (p *Pool) boosts() bool {
	return !p.opt.NoNudge && p.opt.RaiseProcs && osthread.RealTimePriority() > 0
}

func newBooster(p *Pool) *booster {
	return &booster{pool: p, prio: osthread.RealTimePriority(), v: newNudger()}
}

func (b *booster) start() {
	b.pool.startHelper(func() {
		if _, err := osthread.Boost(0, b.prio+1); err != nil {
			b.pool.note("no boosts: " + err.Error())
			return
		}
		_ = osthread.Name("fs-boost") // only for people
		b.boosting()
	})
}

// boosting is the booster's life.
func (b *booster) boosting() {
	for rested := 0; b.pool.state.Load() != gone; {
		if rested++; b.anyAwake() {
			rested = 0
		}
		if rested < rests {
			osthread.Nap(boostEvery)
			b.look()
			continue
		}
		b.v.rest()
		rested = 0
	}
}

// anyAwake looks for X3.
func (b *booster) anyAwake() bool {
	c := &b.pool.crews[background]
	idle := c.idle.Load()
	for i := range c.used.Load() {
		if w := c.slots[i].Load(); w.reach.Load() != 0 && idle>>i&1 == 0 {
			return true
		}
	}
	return false
}

// look is what the booster does every 2 ms.
func (b *booster) look() {
	c := &b.pool.crews[background]
	idle := c.idle.Load()
	for i := range c.used.Load() {
		w := c.slots[i].Load()
		id := w.reach.Load()
		if id <= 0 || idle>>i&1 != 0 {
			continue
		}
		if used, err := osthread.CPUTime(int(id)); err == nil && b.seen[i].stuck(used) {
			b.lend(w, id)
		}
	}
	if len(b.lent) == 0 {
		return
	}
	osthread.Nap(boostFor)
	for _, l := range b.lent {
		if l.w.reach.CompareAndSwap(l.id, -l.id) {
			l.undo()
			l.w.reach.Store(l.id)
		}
	}
	clear(b.lent)
	b.lent = b.lent[:0]
}

// lend boosts a worker, unless it has gone meanwhile.
func (b *booster) lend(w *Worker, id int64) {
	if !w.reach.CompareAndSwap(id, -id) {
		return
	}
	undo, err := osthread.Boost(int(id), b.prio)
	w.reach.Store(id)
	if err != nil {
		b.pool.note("no boost: " + err.Error())
		return
	}
	b.pool.boosted.Add(1)
	b.lent = append(b.lent, loaned{w, id, undo})
}

// comeIntoReach and leaveReach are X1.
func (w *Worker) comeIntoReach() {
	w.reach.Store(int64(osthread.ID()))
	w.tellBooster()
}

func (w *Worker) leaveReach() {
	for id := w.reach.Load(); id != 0; id = w.reach.Load() {
		if id > 0 && w.reach.CompareAndSwap(id, 0) {
			return
		}
		osthread.Nap(time.Microsecond) // some 2 µs
	}
}

func (w *Worker) tellBooster() {
	if b := w.pool.booster; b != nil && w.crew.low {
		b.v.tell()
	}
}
