package workers

import (
	"math"
	"sync/atomic"

	"github.com/frameslice/frameslice/internal/carrier"
)

// A spot says on which goroutine jobs run that are on no worker: on the carrier of a caller, the goroutine of a sliced
// job, or the coroutine of a fork within either. So a job that asks whether it is one of this pool's (inside) is not
// taken for one because the pool happens to have a caller somewhere else, while it is another pool's.
//
// Spots are in a list that only grows, as V2 has it, and each belongs to whoever swapped its mark, as V3 has it. The
// number is written by the goroutine itself, which is also the only one to whom it means anything: so it finds what it
// has written, and nobody finds his own where another has written. Asking for it takes a microsecond, so as long as
// there is no other pool that is left out, and the spot is anybody's.
type spot struct {
	taken atomic.Bool
	goid  atomic.Uint64 // or anyGoroutine, or 0 for none
	next  *spot
}

const anyGoroutine = math.MaxUint64

// spot returns a spot that is the caller's until leave.
func (p *Pool) spot() *spot {
	for s := p.spots.Load(); s != nil; s = s.next {
		if !s.taken.Load() && s.taken.CompareAndSwap(false, true) {
			return s
		}
	}
	s := new(spot)
	s.taken.Store(true)
	for {
		s.next = p.spots.Load()
		if p.spots.CompareAndSwap(s.next, s) {
			return s
		}
	}
}

func (s *spot) leave() {
	s.goid.Store(0)
	s.taken.Store(false)
}

// arrive says that the calling goroutine has the spot, unless that has been said.
func (s *spot) arrive() {
	if at := s.goid.Load(); at == 0 || at == anyGoroutine && procs.pools.Load() > 1 {
		s.goid.Store(numberHere())
	}
}

// numberHere returns the calling goroutine's number, or anyGoroutine if there is only one pool.
func numberHere() uint64 {
	if procs.pools.Load() > 1 {
		return goid()
	}
	return anyGoroutine
}

// carries reports whether the calling goroutine, which is a carrier's or the like, may be one of this pool's.
func (p *Pool) carries() bool {
	id := goid()
	for s := p.spots.Load(); s != nil; s = s.next {
		if at := s.goid.Load(); at == id || at == anyGoroutine {
			return true
		}
	}
	return false
}

// inside reports whether the calling goroutine runs a job of this pool: whether it is one of its workers, or
// the carrier of one of its callers. It takes some 20 µs.
func (p *Pool) inside() bool {
	if !withinJob() {
		return false
	}
	return p.lent.Load() > 0 && withinCaller() && p.carries() || p.workerHere() != nil
}

// withinCaller reports whether the calling goroutine is the carrier of some caller (RunUntil, Wait, Close), a
// sliced job's, or a fork's.
func withinCaller() bool {
	return onStack("workers.(*caller).carry", "workers.(*sliced).main", "workers.(*Worker).carryFork")
}

// lift runs cur on the carrier, which may be a new goroutine.
func (h *caller) lift(label string) carrier.Outcome {
	if !h.c.Made() {
		h.w.spot.goid.Store(0)
	}
	return h.c.Run(label, h.body)
}
