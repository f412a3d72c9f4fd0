package workers

import "github.com/frameslice/frameslice/internal/atomic"

// A job that was canceled, or that its waiter claimed, leaves a stale entry in its lane, in a worker's deque or in a
// batch. Busy workers may not come by, and where there are no workers nobody does. So the goroutine that leaves an
// entry behind looks whether an eighth of the lane's entries may be stale. If so, it sifts the lane: it takes the stale
// entries out. Each stale entry costs eight looks at most, and the stale entries are never more than a seventh of the
// others.
//
//	J6  A sifter takes each entry out of its lane, and then looks at the entry's job. The entry goes if the job
//	    neither waits nor is looked at by another goroutine (J2). A goroutine that makes the job wait later makes
//	    another entry after that. The other entries go into lane.older, in their order. The sifter is counted
//	    meanwhile (C2). At the end it notifies the workers as if it had made all the entries visible (W1), and looks
//	    at the pool's state (C1) and whether a runner rests (O1). One goroutine sifts a lane at a time. Another
//	    goroutine that comes meanwhile leaves its entries to the sifter, which looks again at the end, up to siftTurns
//	    times.
//	J8  count is raised once for each entry that becomes stale in its queue, after the entry has become stale. It is
//	    lowered when a goroutine takes such an entry. It may be wrong for a moment; each sifting sets it right.
//	    The number of jobs that wait is the number of entries less count.
//
// A worker that looked at the lane while the one live entry was in the sifter's hands may sleep. The notify at the end
// comes after the entry is visible again, so the proof of W1 to W6 holds with the sifter for the submitter. A
// background worker's thread may stop for long with an entry in its hands. So it does not sift the lanes of ordinary
// workers, and the next other goroutine does. While a sifter goes through lane.older, which it empties and fills at
// once, another goroutine may take a younger entry before an older one.
type staleEntries struct {
	count   atomic.Int64 // J8
	sifting atomic.Bool  // somebody sifts
}

const (
	siftShare = 8 // a lane is sifted when one of so many entries may be stale
	siftTurns = 8 // how often a sifter looks again

	// trimBelow: a lane with fewer entries is not about to fill big rings again. It is one ring's entries.
	trimBelow = 1 << 13
)

// staleAdded is called by a goroutine that has made n entries of the lane stale without taking them out.
func (l *lane) staleAdded(n int) {
	c, q := l.class, l.quiet
	l.stale.count.Add(int64(n))
	for range siftTurns {
		count := l.stale.count.Load()
		if count <= 0 || siftShare*count < int64(l.entries()) || !c.low && c.pool.onLowThread() ||
			!l.stale.sifting.CompareAndSwap(false, true) {
			return
		}
		q.activity.Add(oneMoreActive)
		l.stale.count.Store(0)
		l.sift()
		l.stale.sifting.Store(false)
		c.wakeForWork()
		q.afterPush()
		q.activityEnds()
	}
}

// sift takes the stale entries out.
func (l *lane) sift() {
	keep := func(n int, pop func() (item, bool)) {
		for range n {
			it, ok := pop()
			if !ok {
				return
			}
			if !it.isStale(l.class) {
				l.use(useOlder)
				l.older.Push(it)
			}
		}
	}
	keep(l.older.Size(), l.older.Pop)
	keep(l.local(), l.takeFromAnyWorker)
	keep(l.outside.Size(), l.outside.Pop)
	keep(l.below.Size(), l.below.Pop)
	if l.size() < trimBelow {
		l.trim()
	}
}

// stale reports whether the entry's job does not wait for c, in whose lane the entry was. The caller has taken the
// entry out, or owns its deque.
func (it item) isStale(c *class) bool {
	if it.job() == nil {
		return false
	}
	word := it.job().state.Load()
	return word != c.queuedFor() && word != uintptr(looking)
}
