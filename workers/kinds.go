package workers

import (
	"hash/maphash"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// A kind is a sort of job: all jobs of one label, or all of one function. Kinds are immutable but for their
// cost, and for what Insight tells of them.
type kind struct {
	key   uint64
	label string // empty: the function's name is found through entry when somebody asks
	entry uintptr
	cost  atomic.Int64 // predicted ns, 0 while unknown
	told  told
}

func (k *kind) name() string {
	if k == nil {
		return ""
	}
	if k.label != "" {
		return k.label
	}
	if f := runtime.FuncForPC(k.entry); f != nil {
		name := f.Name()
		return name[strings.LastIndexByte(name, '/')+1:]
	}
	return ""
}

// kindTable is shared by all who run jobs: what one has learned about a kind's cost, RunUntil can use. A
// program has few kinds; if it has more than fit, the newest replaces another and that one is learned anew.
type kindTable struct {
	seed  maphash.Seed
	slots [256]atomic.Pointer[kind]
}

// key returns what identifies the kind of it: 4 ns.
func (t *kindTable) key(it item) (key uint64, entry uintptr) {
	switch j := it.job(); {
	case j == nil:
		entry = reflect.ValueOf(it.fn()).Pointer()
	case j.Label != "":
		return maphash.String(t.seed, j.Label) | 1, 0
	case j.exec != nil:
		entry = j.exec.entry()
	default:
		entry = reflect.ValueOf(j.Func).Pointer()
	}
	return uint64(entry) << 1, entry
}

// mix spreads a key's bits: code pointers are multiples of 32.
func mix(key uint64) uint64 { return key * 0x9e3779b97f4a7c15 >> 32 }

// lookup returns the kind with the key, or nil.
func (t *kindTable) lookup(key uint64) *kind {
	h := mix(key)
	for i := range uint64(4) {
		if k := t.slots[(h+i)%uint64(len(t.slots))].Load(); k != nil && k.key == key {
			return k
		}
	}
	return nil
}

// intern returns the kind with the key, which it makes if there is none.
func (t *kindTable) intern(key uint64, entry uintptr, it item) *kind {
	if k := t.lookup(key); k != nil {
		return k
	}
	k := &kind{key: key, entry: entry}
	if it.job() != nil {
		k.label = strings.Clone(it.job().Label)
	}
	h := mix(key)
	for i := range uint64(4) {
		slot := &t.slots[(h+i)%uint64(len(t.slots))]
		if slot.CompareAndSwap(nil, k) {
			return k
		}
		if old := slot.Load(); old != nil && old.key == key {
			return old
		}
	}
	t.slots[h%uint64(len(t.slots))].Store(k)
	return k
}

// cheap is the mean cost below which a kind's runs are timed only now and then: two clock reads are 50 ns.
const cheap = 20 * time.Microsecond

// A gauge is one worker's own estimate of one kind. It needs no synchronization; what it learns goes into
// kind.cost.
type gauge struct {
	kind  *kind
	est   deadline.Estimate
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
	key, entry := t.key(it)
	if e := g.last; e != nil && e.kind.key == key {
		return e
	}
	e := &g.slots[mix(key)%uint64(len(g.slots))]
	g.last = e
	if e.kind == nil || e.kind.key != key {
		*e = gauge{kind: t.intern(key, entry, it)}
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
	cost := max(int64(e.est.High()), 1)
	// The line is shared: write it only when what it says has changed by an eighth.
	if old := e.kind.cost.Load(); cost > old+old>>3 || cost < old-old>>3 {
		e.kind.cost.Store(cost)
	}
}

func (t *kindTable) init() { t.seed = maphash.MakeSeed() }

// costOf returns the predicted cost of it, 0 if it is not known.
func (p *Pool) costOf(it item) time.Duration {
	if it.job() != nil && it.job().Cost > 0 {
		return it.job().Cost
	}
	key, _ := p.kinds.key(it)
	if k := p.kinds.lookup(key); k != nil {
		return time.Duration(k.cost.Load())
	}
	return 0
}
