package costs

import (
	"iter"
	"time"
)

// cheap is the mean cost below which a kind's runs are timed only now and then: two clock reads are 50 ns.
const cheap = 20 * time.Microsecond

// A Gauge is one goroutine's own estimate of one kind. It needs no synchronization. The estimate goes into the kind,
// where others find it.
type Gauge[E any] struct {
	Kind  *Kind[E]
	Skip  uint8 // runs still to go untimed
	Brief bool  // takes less than 1 µs
	est   Estimate

	Stretch uint32 // for the owner, which finds the gauges again by Gauges.Of
}

// Gauges is one goroutine's cache of kinds, one place for each hash.
type Gauges[E any] struct {
	last  *Gauge[E] // that Find returned
	slots [slots]Gauge[E]

	// evicted is the gauge whose place was taken last. One is enough for Of: the kind that takes a place has no Skip.
	// So its run is timed, and that ends the stretch.
	evicted Gauge[E]
}

const slots = 64

// Slot returns the place of a kind with that key. Codes are multiples of 32.
func (k Key) Slot() int { return int(uint64(k) * 0x9e3779b97f4a7c15 >> 32 % slots) }

// Find returns the gauge of work with that label or code.
func (g *Gauges[E]) Find(t *Table[E], label string, code uintptr) *Gauge[E] {
	key := KeyOf(label, code)
	if e := g.last; e != nil && e.Kind.Key == key && t.Knows(e.Kind) {
		return e
	}
	e := &g.slots[key.Slot()]
	g.last = e
	if e.Kind == nil || e.Kind.Key != key || !t.Knows(e.Kind) {
		k, _ := t.Get(label, code)
		g.evicted = *e
		*e = Gauge[E]{Kind: k}
	}
	return e
}

// Of returns the gauges whose Stretch has that value, which must not be 0.
func (g *Gauges[E]) Of(stretch uint32) iter.Seq[*Gauge[E]] {
	return func(yield func(*Gauge[E]) bool) {
		for i := range g.slots {
			if e := &g.slots[i]; e.Stretch == stretch && !yield(e) {
				return
			}
		}
		if e := &g.evicted; e.Stretch == stretch {
			yield(e)
		}
	}
}

// Last returns the mean cost of the kind that Find returned last, or 0.
func (g *Gauges[E]) Last() time.Duration {
	if g.last == nil {
		return 0
	}
	return g.last.Mean()
}

// Mean returns what a run has cost in the mean, or 0.
func (e *Gauge[E]) Mean() time.Duration { return e.est.Mean() }

// Observe learns that a run took d.
func (e *Gauge[E]) Observe(d time.Duration) {
	e.est.Observe(d)
	mean := e.est.Mean()
	e.Brief = mean < time.Microsecond
	switch {
	case e.Brief:
		e.Skip = 63
	case mean < cheap:
		e.Skip = 15
	}
	cost := max(e.est.High(), 1)
	// The cache line is shared: write it only when the cost has changed by an eighth.
	if old := e.Kind.Expected(); cost > old+old>>3 || cost < old-old>>3 {
		e.Kind.Expect(cost)
	}
}
