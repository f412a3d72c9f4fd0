// Package costs is the table of what each kind of work costs: tasks of a scheduler, jobs of a pool.
//
// A kind is all work with one label, or without a label all work with one function. The package keeps for each kind
// what the next run is expected to take, and counts what the runs took. The table does not learn: its
// owner feeds an [Estimate], and stores the result with Expect. A scheduler has one Estimate for each kind. A pool has
// one for each kind and worker.
//
//	var t costs.Table[struct{}]
//	k, _ := t.Get("decode", 0)
//	k.Expect(3 * time.Millisecond)
//	k.Count(2*time.Millisecond, 1)
//	for _, c := range t.Report(nil) {
//		fmt.Println(c.Kind, c.Runs, c.Total, c.Max, c.Expected)
//	}
package costs

import (
	"cmp"
	"context"
	"hash/maphash"
	"iter"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/internal/words"
)

// Limit is the number of kinds that a table knows. A program with more labels names each piece of work, and names that
// come once teach nothing. So with one kind more the table forgets all kinds, and begins with that one.
const Limit = 1024

// A Key stands for a label or a function. Keys are the same in all tables of the process.
type Key uint64

var seed = maphash.MakeSeed()

// KeyOf returns the key of work with that label or, if the label is empty, with a function of that code. It takes some
// ns. Two labels have one key once in 2^63 times.
func KeyOf(label string, code uintptr) Key {
	if label == "" {
		return Key(code) << 1
	}
	return Key(maphash.String(seed, label) | 1)
}

// A Kind is one kind of work. Any goroutine may call its methods. Label, Code and Key never change.
type Kind[E any] struct {
	Key   Key
	Label string
	Code  uintptr // 0 if there is a label

	Extra E // for the owner of the table, which also guards it

	name        string
	labels      atomic.Pointer[context.Context] // of Tag
	home        *generation[E]
	expected    atomic.Int64
	longest     atomic.Int64
	runs, total atomic.Uint64

	_      [64]byte // each run of any worker begins with a look at Key, and ends with a Note
	Latest Latest
}

// Name returns the label, or the function's name.
func (k *Kind[E]) Name() string {
	return cmp.Or(k.Label, k.name)
}

// Short is the label, or the function's name without folders.
func (k *Kind[E]) Short() string {
	if k.Label != "" {
		return k.Label
	}
	return words.Short(k.Name())
}

// Tag gives the calling goroutine the label key=Short for Go's CPU profiles, in place of its others, and a nil k takes
// them away. It takes about 10 ns, and allocates once for a Kind.
func (k *Kind[E]) Tag(key string) {
	if k == nil {
		pprof.SetGoroutineLabels(context.Background())
		return
	}
	labels := k.labels.Load()
	if labels == nil {
		ctx := pprof.WithLabels(context.Background(), pprof.Labels(key, k.Short()))
		labels = &ctx
		k.labels.Store(labels)
	}
	pprof.SetGoroutineLabels(*labels)
}

// NameOf returns the label, or if that is empty the name of the function with that code.
func NameOf(label string, code uintptr) string {
	if label == "" && code != 0 {
		if f := runtime.FuncForPC(code); f != nil {
			return f.Name()
		}
	}
	return label
}

// Expected returns what a run is expected to take. It is 0 as long as nothing is known.
func (k *Kind[E]) Expected() time.Duration { return time.Duration(k.expected.Load()) }

// Expect sets Expected. It writes only if d has changed, as other processors read the same cache line.
func (k *Kind[E]) Expect(d time.Duration) {
	if k.expected.Load() != int64(d) {
		k.expected.Store(int64(d))
	}
}

// Count adds d to the total, and runs to the number of runs that have ended. runs is 0 for a part of a run.
func (k *Kind[E]) Count(d time.Duration, runs uint64) {
	k.runs.Add(runs)
	k.total.Add(uint64(max(d, 0)))
	for {
		longest := k.longest.Load()
		if int64(d) <= longest || k.longest.CompareAndSwap(longest, int64(d)) {
			return
		}
	}
}

// cost returns what Count has counted.
func (k *Kind[E]) cost() Cost {
	return Cost{
		Kind: k.Name(), Runs: k.runs.Load(), Total: time.Duration(k.total.Load()),
		Max: time.Duration(k.longest.Load()), Expected: k.Expected(),
	}
}

// A Table knows kinds of work. The zero Table is ready. Any goroutine may call its methods, which take no lock.
type Table[E any] struct{ now atomic.Pointer[generation[E]] }

// generation is what a table knows until it forgets all.
//
// CT1. A slot is written once, by a compare-and-swap from nil. A kind is looked for from the slot of its hash on, up to
// the first empty slot, and goes there. A goroutine that loses this slot to another one looks at the new kind, and goes
// on. So a kind is in a generation once: when it came, all slots before its own were full of other kinds.
//
// CT2. A search ends. The number of kinds stops growing at Limit, except that each goroutine that has read the number
// before may add one kind. That leaves empty slots, as long as fewer than Limit goroutines meet there.
type generation[E any] struct {
	n     atomic.Int32
	slots [2 * Limit]atomic.Pointer[Kind[E]]
}

// find returns the kind with the key, or nil, and the slot where the look ended.
func (g *generation[E]) find(key Key) (*Kind[E], *atomic.Pointer[Kind[E]]) {
	// Fibonacci hashing: the top bits of a product, because codes are multiples of 32.
	for i := uint64(key) * 0x9e3779b97f4a7c15 >> 32; ; i++ {
		slot := &g.slots[i%uint64(len(g.slots))]
		if k := slot.Load(); k == nil || k.Key == key {
			return k, slot
		}
	}
}

// Find returns the kind with the key, or nil.
func (t *Table[E]) Find(key Key) *Kind[E] {
	g := t.now.Load()
	if g == nil {
		return nil
	}
	k, _ := g.find(key)
	return k
}

// Get returns the kind of work with that label or, if the label is empty, that code. A new kind becomes known. Get
// reports whether the table has forgotten all other kinds for that.
func (t *Table[E]) Get(label string, code uintptr) (_ *Kind[E], forgot bool) {
	key := KeyOf(label, code)
	if label != "" {
		code = 0
	}
	var fresh *Kind[E]
	for {
		g := t.now.Load()
		if g == nil {
			t.now.CompareAndSwap(nil, new(generation[E]))
			continue
		}
		k, slot := g.find(key)
		if k != nil {
			return k, forgot
		}
		if g.n.Load() >= Limit {
			forgot = t.now.CompareAndSwap(g, new(generation[E])) || forgot
			continue
		}
		if fresh == nil {
			fresh = &Kind[E]{Key: key, Label: strings.Clone(label), Code: code, name: NameOf("", code)}
		}
		if fresh.home = g; slot.CompareAndSwap(nil, fresh) {
			g.n.Add(1)
			return fresh, forgot
		}
	}
}

// Knows reports whether the table has k, and has not forgotten it.
func (t *Table[E]) Knows(k *Kind[E]) bool { return k.home == t.now.Load() }

// All returns the kinds, in no order.
func (t *Table[E]) All() iter.Seq[*Kind[E]] {
	return func(yield func(*Kind[E]) bool) {
		g := t.now.Load()
		if g == nil {
			return
		}
		for i := range g.slots {
			if k := g.slots[i].Load(); k != nil && !yield(k) {
				return
			}
		}
	}
}

// Reset sets to zero what Count has counted.
func (t *Table[E]) Reset() {
	for k := range t.All() {
		k.runs.Store(0)
		k.total.Store(0)
		k.longest.Store(0)
	}
}

// Report appends what the kinds have cost to buf, and returns it, the new part sorted: the greatest total first. Kinds
// without a run are left out.
func (t *Table[E]) Report(buf []Cost) []Cost {
	begin := len(buf)
	for k := range t.All() {
		if c := k.cost(); c.Runs > 0 || c.Total > 0 {
			buf = append(buf, c)
		}
	}
	sortCosts(buf[begin:])
	return buf
}

// A Cost is what the runs of one kind have taken.
type Cost struct {
	Kind     string        `json:"kind"` // the label, or the function's name
	Runs     uint64        `json:"runs"`
	Total    time.Duration `json:"time_ns"`     // of all runs
	Max      time.Duration `json:"max_ns"`      // the longest run
	Expected time.Duration `json:"expected_ns"` // what a further run is expected to take; 0 if that is not known
}

// Merge adds to a what b has counted, kind by kind, and returns a, sorted as Report does. Expected is the greater one.
func Merge(a, b []Cost) []Cost {
	for _, o := range b {
		i := slices.IndexFunc(a, func(c Cost) bool { return c.Kind == o.Kind })
		if i < 0 {
			a = append(a, o)
			continue
		}
		c := &a[i]
		c.Runs += o.Runs
		c.Total += o.Total
		c.Max, c.Expected = max(c.Max, o.Max), max(c.Expected, o.Expected)
	}
	sortCosts(a)
	return a
}

func sortCosts(c []Cost) {
	slices.SortFunc(c, func(a, b Cost) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.Kind, b.Kind))
	})
}
