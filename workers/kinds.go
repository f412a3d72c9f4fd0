package workers

import (
	"reflect"
	"strings"
	"time"

	"github.com/frameslice/frameslice/internal/costs"
)

// Cost is what the jobs of one kind have cost: one Label, or one function without a label. Jobs that panicked or called
// Goexit are left out. Expected is what RunUntil expects a further job to take.
type Cost = costs.Cost

type (
	kind      = costs.Kind[struct{}]
	kindTable = costs.Table[struct{}]
)

// nameOf returns the label of a kind, which may be nil, or its function's name without the folders.
func nameOf(k *kind) string {
	switch {
	case k == nil:
		return ""
	case k.Label != "":
		return k.Label
	}
	name := k.Name()
	return name[strings.LastIndexByte(name, '/')+1:]
}

// identify returns what tells the kind of it: a label, or else the code of a function. Some ns.
func identify(it item) (label string, code uintptr) {
	switch j := it.job(); {
	case j == nil:
		return "", reflect.ValueOf(it.fn()).Pointer()
	case j.Label != "":
		return j.Label, 0
	case j.exec != nil:
		return "", j.exec.entry()
	default:
		return "", reflect.ValueOf(j.Func).Pointer()
	}
}

// kindOf returns the kind of it.
func (p *Pool) kindOf(it item) *kind {
	k, _ := p.kinds.Get(identify(it))
	return k
}

// nameOf returns the name of its kind.
func (p *Pool) nameOf(it item) string { return nameOf(p.kindOf(it)) }

// costOf returns the predicted cost of it, 0 if it is not known.
func (p *Pool) costOf(it item) time.Duration {
	if it.job() != nil && it.job().Cost > 0 {
		return it.job().Cost
	}
	if k := p.kinds.Find(costs.KeyOf(identify(it))); k != nil {
		return k.Expected()
	}
	return 0
}

// cheap is the mean cost below which a kind's runs are timed only now and then: two clock reads are 50 ns.
const cheap = 20 * time.Microsecond

// A gauge is one worker's own estimate of one kind. It needs no synchronization. The estimate goes into the kind, where
// RunUntil finds it.
type gauge struct {
	kind  *kind
	est   costs.Estimate
	skip  uint8 // runs still to go untimed
	brief bool  // takes less than 1 µs
}

// gauges is a worker's cache of kinds, one place for each hash.
type gauges struct {
	last  *gauge // that find returned
	slots [64]gauge
}

// find returns the gauge of it.
func (g *gauges) find(t *kindTable, it item) *gauge {
	label, code := identify(it)
	key := costs.KeyOf(label, code)
	if e := g.last; e != nil && e.kind.Key == key && t.Knows(e.kind) {
		return e
	}
	e := &g.slots[uint64(key)*0x9e3779b97f4a7c15>>32%uint64(len(g.slots))] // codes are multiples of 32
	g.last = e
	if e.kind == nil || e.kind.Key != key || !t.Knows(e.kind) {
		k, _ := t.Get(label, code)
		*e = gauge{kind: k}
	}
	return e
}

// observe learns that a run took d.
func (e *gauge) observe(d time.Duration) {
	e.est.Observe(d)
	mean := e.est.Mean()
	e.brief = mean < time.Microsecond
	switch {
	case e.brief:
		e.skip = 63
	case mean < cheap:
		e.skip = 15
	}
	cost := max(e.est.High(), 1)
	// The line is shared: write it only when what it says has changed by an eighth.
	if old := e.kind.Expected(); cost > old+old>>3 || cost < old-old>>3 {
		e.kind.Expect(cost)
	}
}
