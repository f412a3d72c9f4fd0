package workers

import (
	"cmp"
	"slices"
	"sync/atomic"
	"time"
)

// KindInsight is what the jobs of one kind have cost: all with one Label, or all without a label that have one
// function. A job that panicked or called Goexit is left out.
type KindInsight struct {
	Kind  string // the label, or the function's name
	Run   uint64 // jobs that ended
	Total time.Duration
	Max   time.Duration // the longest job; where the slice runs them in turns, the longest turn
	// Expected is what RunUntil expects a further job to take: a high quantile of what the jobs took lately.
	Expected time.Duration
}

// Add adds what o has counted of the same kind, in another pool for example. Expected is the greater one.
func (k *KindInsight) Add(o KindInsight) {
	k.Run += o.Run
	k.Total += o.Total
	k.Max, k.Expected = max(k.Max, o.Max), max(k.Expected, o.Expected)
}

// told is what all who run jobs of a kind have counted, with Options.Insight.
type told struct {
	runs, ns atomic.Uint64
	most     atomic.Int64
}

// add adds a turn that took d, and the number of jobs that ended with it.
func (t *told) add(d time.Duration, runs uint64) {
	t.runs.Add(runs)
	t.ns.Add(uint64(max(d, 0)))
	for {
		most := t.most.Load()
		if int64(d) <= most || t.most.CompareAndSwap(most, int64(d)) {
			return
		}
	}
}

// told appends what is known of each kind to buf, and returns it sorted. Beyond 256 kinds, or some fewer that fall onto
// one place, a kind that makes room for another is told anew from then on.
func (t *kindTable) told(buf []KindInsight) []KindInsight {
	for i := range t.slots {
		if k := t.slots[i].Load(); k != nil && k.told.ns.Load() > 0 {
			buf = append(buf, KindInsight{
				k.name(), k.told.runs.Load(), time.Duration(k.told.ns.Load()), time.Duration(k.told.most.Load()),
				time.Duration(k.cost.Load()),
			})
		}
	}
	slices.SortFunc(buf, func(a, b KindInsight) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.Kind, b.Kind))
	})
	return buf
}
