package workers

import (
	"math"
	"strings"
	"sync/atomic"

	"github.com/frameslice/frameslice/internal/carrier"
)

// A spot says on which goroutine jobs run that are on no worker: on the carrier of a caller, the goroutine of a sliced
// job, or the coroutine of a fork within either. So a job that asks whether it is one of this pool's (inside) is not
// taken for one because the pool happens to have a caller somewhere else, while it is another pool's.
//
// The spots of a pool are a stock (V2, V3). The number is written by the goroutine itself, which is also the only one
// to whom it means anything: so it finds what it has written, and nobody finds his own where another has written.
// Asking for it takes a microsecond, so as long as there is no other pool that is left out, and the spot is anybody's.
type spot struct {
	goid atomic.Uint64 // or anyGoroutine, or 0 for none
}

const anyGoroutine = math.MaxUint64

// spot returns a spot that is the caller's until it gives it back, which is after leave.
func (p *Pool) spot() *lent[spot] {
	if s := p.spots.free(); s != nil {
		return s
	}
	return p.spots.add(new(lent[spot]))
}

// leave says that no goroutine is there.
func (s *spot) leave() { s.goid.Store(0) }

// arrive says that the calling goroutine is there, unless that has been said.
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
	for s := p.spots.first.Load(); s != nil; s = s.next {
		if at := s.it.goid.Load(); at == id || at == anyGoroutine {
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
	return onStack("workers.(*caller).carry", "workers.(*caller).report", "workers.(*sliced).main",
		"workers.(*Worker).carryFork")
}

// report ends an item that panicked. It does so on the goroutine that called RunUntil or Wait, and not on the carrier;
// but what OnPanic does, Close for instance, it does within the job, as on a worker. So the spot moves here meanwhile.
func (h *caller) report(it item, pe *PanicError) {
	p, s := h.w.pool, h.w.spot
	p.panicked.Add(1)
	if p.opt.OnPanic != nil {
		carrier := s.it.goid.Load()
		s.it.goid.Store(numberHere())
		defer s.it.goid.Store(carrier)
	}
	if it.job != nil {
		it.job.finish(pe)
	} else {
		p.unhandled(pe)
	}
}

// lift runs cur on the carrier, which may be a new goroutine.
func (h *caller) lift(label string) carrier.Outcome {
	if !h.c.Made() {
		h.w.spot.it.leave()
	}
	return h.c.Run(label, h.body)
}

// withinJob reports whether the calling goroutine runs a job of some pool.
func withinJob() bool {
	return onStack("workers.(*caller).carry", "workers.(*caller).report", "workers.(*sliced).main",
		"workers.(*Worker).serve", "workers.(*Worker).carryFork")
}

// onStack reports whether a function whose name ends in one of the suffixes is among the calling goroutine's
// callers.
func onStack(suffixes ...string) bool {
	return carrier.Within(func(name string) bool {
		for _, s := range suffixes {
			if strings.HasSuffix(name, s) {
				return true
			}
		}
		return false
	})
}
