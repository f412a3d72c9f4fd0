package workers

import (
	"sync/atomic"
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
// a thread that goes before them all looks every 2 ms, while any background worker is awake, whether each has run at
// all since the last look, and if it has not gives it that priority for 0.1 ms. It needs some 20 µs: as soon as it runs
// it finds the runtime's signal, and stops.
//
//	X1  A worker's reach is the number of its thread from before that is lowered until it has the others' priority
//	    again, because its goroutine is about to end, or to be called back; only the worker sets it, and clears
//	    it, and it does that while it holds it itself.
//	X2  Who changes the priority of a thread in reach, the booster or a worker that raises its own, holds it
//	    meanwhile: from a compare-and-swap that makes the number negative until it makes it positive again, or 0.
//	    The booster holds none while it naps.
//	X3  The booster rests only after it has said so, in resting, and seen no worker awake after that, until there is a
//	    token. A worker that has left idle, or has come into reach, looks at resting, and if it is set sends one.
//
// So it changes no thread that has ended, whose number the system may have given to somebody else's by then, and leaves
// no worker with its boost: one that has left its reach has ended, or lowers itself when it is back in it. No worker is
// low and out of reach: one that was would be kept off as it begins or ends, with nobody to look after it, for as long
// as ever. And the booster does not rest while a worker is awake: either saw the other.
//
// A worker may be kept off in the middle of that, or within its last look before it sleeps. So who posts to one sends a
// token, too, and the booster looks at all workers for another 40 ms before it rests, whether they are in idle or not.
// One that sleeps has not run either, and is lent the priority for nothing, so each time that this makes no difference
// it is left alone for twice as long, for 64 ms at most. One that is kept off by work of that priority, and not waited
// for, is lent it too: for 0.1 ms in 4 ms.
//
// It allocates nothing, so that it never has to help a collection, whose scan may wait for the very worker that it
// holds. It needs a P when it wakes up, which RaiseProcs adds; should all Ps be with threads that mark, it waits as
// they do. (That was not seen.)
//
// Rejected: to do it from the start of a collection to its end (frameslice begins some of them, the runtime the others,
// without a word); workers of the lowest real-time priority, as chrt -r 1 has given that to everybody already.
type booster struct {
	pool    *Pool
	prio    int // of the others
	resting atomic.Bool
	token   chan struct{} // one sticky token
	refused bool
	seen    [MaxWorkers]progress
	lent    [MaxWorkers]int64 // the thread of each that was boosted, or 0
}

const (
	boostEvery = 2 * time.Millisecond
	boostFor   = 100 * time.Microsecond
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
	return !p.opt.NoNudge && p.opt.RaiseProcs && p.lowest == osthread.Batch && osthread.RealTimePriority() > 0
}

func newBooster(p *Pool) *booster {
	return &booster{pool: p, prio: osthread.RealTimePriority(), token: make(chan struct{}, 1)}
}

func (b *booster) start() {
	b.pool.startHelper(func() {
		if err := osthread.Oversee(b.prio); err != nil {
			b.pool.note("no boosts: " + err.Error())
			return
		}
		_ = osthread.Name("fs-boost") // only for people
		b.boosting()
	})
}

// boosting is the booster's life, which ends after the workers'.
func (b *booster) boosting() {
	for rested := 0; !b.refused && (b.pool.state.Load() != gone || b.inReach()); {
		osthread.Nap(boostEvery)
		b.look()
		if rested++; b.anyAwake() {
			rested = 0
		}
		if rested < rests {
			continue
		}
		b.resting.Store(true)
		if b.pool.state.Load() != gone && !b.anyAwake() {
			<-b.token
		}
		b.resting.Store(false)
		rested = 0
	}
}

// tell is the other side of X3. Any goroutine; a load while the booster does not rest.
func (b *booster) tell() {
	if b.resting.Load() {
		select {
		case b.token <- struct{}{}:
		default:
		}
	}
}

// anyAwake reports whether a worker is not in idle.
func (b *booster) anyAwake() bool {
	c := &b.pool.crews[background]
	idle := c.idle.Load()
	for i := range c.used.Load() {
		if c.slots[i].Load().reach.Load() != 0 && idle>>i&1 == 0 {
			return true
		}
	}
	return false
}

func (b *booster) inReach() bool {
	c := &b.pool.crews[background]
	for i := range c.used.Load() {
		if c.slots[i].Load().reach.Load() != 0 {
			return true
		}
	}
	return false
}

// look is what the booster does every 2 ms.
func (b *booster) look() {
	c := &b.pool.crews[background]
	lent := false
	for i := range c.used.Load() {
		w := c.slots[i].Load()
		id := w.reach.Load()
		if id <= 0 {
			continue
		}
		if used, err := osthread.CPUTime(int(id)); err == nil && b.seen[i].stuck(used) && w.grasp(id) {
			err := osthread.Boost(int(id), b.prio)
			w.reach.Store(id)
			if err != nil {
				b.pool.note("no boosts: " + err.Error())
				b.refused = true
				break
			}
			b.pool.boosted.Add(1)
			b.lent[i], lent = id, true
		}
	}
	if !lent {
		return
	}
	osthread.Nap(boostFor)
	for i, id := range b.lent {
		if id == 0 {
			continue
		}
		b.lent[i] = 0
		if w := c.slots[i].Load(); w.grasp(id) {
			_ = osthread.Unboost(int(id)) // which is granted to everybody
			w.reach.Store(id)
		}
	}
}

// grasp is X2, and fails if the worker has left.
func (w *Worker) grasp(id int64) bool { return w.reach.CompareAndSwap(id, -id) }

// comeIntoReach and leaveReach are X1.
func (w *Worker) comeIntoReach() {
	w.reach.Store(int64(osthread.ID()))
	w.tellBooster()
}

func (w *Worker) leaveReach() {
	for id := w.reach.Load(); id != 0; id = w.reach.Load() {
		if id > 0 && w.grasp(id) {
			if b := w.pool.booster; b != nil {
				_ = osthread.Boost(0, b.prio) // it is refused where all boosts are
			}
			w.reach.Store(0)
			return
		}
		osthread.Nap(time.Microsecond) // some 2 µs
	}
}

func (w *Worker) tellBooster() {
	if b := w.pool.booster; b != nil && w.crew.low {
		b.tell()
	}
}
