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
	gauge     = costs.Gauge[struct{}]
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

// gaugeOf returns w's own estimate of the kind of it.
func (w *Worker) gaugeOf(it item) *gauge {
	label, code := identify(it)
	return w.gauges.Find(&w.pool.kinds, label, code)
}
