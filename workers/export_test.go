package workers

import (
	"runtime"
	"time"
)

// OrdinaryFor is how many ordinary workers p ought to have on so many Ps, on this machine.
func (p *Pool) OrdinaryFor(procs int) int { return ordinaryFor(procs, runtime.NumCPU(), p.granted()) }

// Tally is tally for tests.
type Tally struct{ t tally }

func (t *Tally) Record(d time.Duration) { t.t.record(d) }

func (t *Tally) Histogram() (h Histogram) {
	t.t.addTo(&h)
	return h
}
