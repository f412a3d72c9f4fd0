package frame

import (
	"context"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// Why decodes are held back, and until when. A flight is held while there is no room for it: in the pool, if that is
// bounded, or among those that are ahead, which are the flights that the pool has, and those whose value waits for
// its commits.
//
// What is held is looked at again at every occasion: the pool's room is looked for in every slice (await), and a
// place among those that are ahead becomes free in a task of the loader's own (vacate), which has a look. So nothing
// is held for ever: a place is a flight's as long as somebody wants it and its attempt has not failed, and a flight
// that the pool has ends, and its commits begin, without one that is held.

// defaultAhead is how many values may wait by default: about as many as a frame has time to commit, if each takes as
// long as it takes to make a texture. More would gain nothing, as they would wait there. No bound is no default: a
// folder of pictures, decoded by some workers in a tenth of the time that their commits take, would all be in memory.
const defaultAhead = 32

// aheadOf returns how many flights may be ahead in a pool: at least twice as many as it has workers, as what has been
// decoded between two slices is not heard of until the next, and its worker wants another one. As no less than each of
// them has one, decodes that wait for something come to a stop for want of workers before they do for want of a place.
func aheadOf(p *workers.Pool) int {
	var s workers.Stats
	p.Stats(&s)
	return max(defaultAhead, 2*(s.Workers+s.Background))
}

// submit gives the job to the pool, and returns false if there is no room for it.
func (f *flight[K, T]) submit() bool {
	ld := f.ld
	if ld.o.Ahead > 0 && ld.ahead >= ld.o.Ahead {
		return false // who vacates a place has another look
	}
	f.ahead = true
	ld.ahead++
	switch err := ld.l.pool.SubmitContext(context.Background(), f.job); err {
	case nil:
	case workers.ErrFull, workers.ErrWouldWait:
		f.vacate()
		ld.await(holdFor)
		return false
	default:
		ld.l.pool.Submit(f.job) // which ends it with that error
	}
	return true
}

// vacate gives back the flight's place among those that are ahead, if it has one. Who calls it has another look.
func (f *flight[K, T]) vacate() {
	if f.ahead {
		f.ahead = false
		f.ld.ahead--
	}
}

// unhold gives the pool what was held back, as far as there is room.
func (ld *Loader[K, T]) unhold() {
	for e := ld.held.Front(); e != nil; e = ld.held.Front() {
		f := e.Value.(*flight[K, T])
		if !f.submit() {
			return
		}
		ld.held.Remove(e)
		f.held = nil
	}
}

// await has another look in d, or in the next slice. The end of a job of the loader's own is another occasion, but the
// pool may be full of others'.
func (ld *Loader[K, T]) await(d time.Duration) {
	if ld.awaits {
		return
	}
	ld.awaits = true
	ld.s.After(deadline.Immediate, d, func() {
		ld.awaits = false
		ld.unhold()
	})
}

// holdFor is the least time between two looks that only await has asked for: less than a frame, and in a slice of a
// whole frame not one after the other.
const holdFor = time.Millisecond
