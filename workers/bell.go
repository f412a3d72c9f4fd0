package workers

import (
	"slices"
	"sync/atomic"
)

// A Bell rings when there is a job that no worker takes: in a pool without workers, or between two turns. It is for
// whoever runs such jobs (RunUntil) and would sleep while there are none. See Pool.Bell.
//
// The protocol is Dekker's.
//
//	O1  A submitter makes its job visible, and then looks whether a bell is set.
//	O2  A sleeper sets its bell, and then looks whether a job is visible; only then it sleeps.
//	O3  Whoever finds both unsets the bell by a compare-and-swap, and rings if it was the one who did.
//
// Claim: a sleeper whose bell is set does not sleep over a job. The job became visible before the look of O2, which
// then found it, or after it, so after the bell was set, and then the look of O1 found that. One of them rings by O3,
// unless the job was taken meanwhile. ∎ A ring outlives the moment: what it calls must make the next sleep end, too.
// A job that is behind another submitter's half-filled slot becomes visible with that, whose look comes then. One that
// had workers when its submitter looked has them no more when the last one leaves without it (E3), which then looks.
type Bell struct {
	pool *Pool
	ring func()
	set  atomic.Bool
}

// Bell returns a new Bell, which is not set. It calls ring, on the goroutine that submits the job, after the fact and
// once for each Set. ring must not block or panic, and must not call the pool. As long as the bell is not closed each
// submission costs some ns more. Any goroutine; it allocates.
func (p *Pool) Bell(ring func()) *Bell {
	if ring == nil {
		panic("workers: Bell with a nil function")
	}
	b := &Bell{pool: p, ring: ring}
	p.changeBells(func(bells []*Bell) []*Bell { return append(slices.Clone(bells), b) })
	return b
}

// Set has the bell ring once: now, if there is such a job, or when one comes. Any goroutine; it allocates nothing.
func (b *Bell) Set() {
	b.set.Store(true)
	b.pool.rouse()
}

// Unset takes Set back. A ring may still be under way. Any goroutine.
func (b *Bell) Unset() { b.set.Store(false) }

// Close removes the bell, for good. A ring may still be under way. Any goroutine; idempotent.
func (b *Bell) Close() {
	b.Unset()
	b.pool.changeBells(func(bells []*Bell) []*Bell {
		return slices.DeleteFunc(slices.Clone(bells), func(o *Bell) bool { return o == b })
	})
}

// changeBells replaces the list, which never changes itself.
func (p *Pool) changeBells(f func([]*Bell) []*Bell) {
	for {
		old := p.bells.Load()
		var bells []*Bell
		if old != nil {
			bells = *old
		}
		if bells = f(bells); len(bells) > 0 {
			if p.bells.CompareAndSwap(old, &bells) {
				return
			}
		} else if p.bells.CompareAndSwap(old, nil) {
			return
		}
	}
}

// rouse rings the bells that are set, if there is something to ring for: O3.
func (p *Pool) rouse() {
	bells := p.bells.Load()
	if bells == nil {
		return
	}
	for _, b := range *bells {
		if b.set.Load() && p.anyOrphan() && b.set.CompareAndSwap(true, false) {
			b.ring()
		}
	}
}

// anyOrphan reports whether there is a job that no worker takes.
func (p *Pool) anyOrphan() bool {
	for at := range p.lanes {
		if p.orphaned(at, false) {
			return true
		}
	}
	return false
}
