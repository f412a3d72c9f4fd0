package taskqueue

import (
	"math"
	"math/bits"

	"github.com/frameslice/frameslice/deadline"
)

// lead remembers which source the last picks by expiration took from, and how long that goes on. Work that is pushed
// with one priority at one time is picked in a row. To compare all heads each time takes 3 of the 45 ns of a posted
// function.
//
// Q8. No head of another source than this one expires before bound. An insertion at the front of a source can make a
// head expire sooner, and lowers the bound. Nothing else can, except in the tree, whose order is not that of its
// expirations. A head that leaves makes room for one that expires later. Only under ByExpiration; ready or not.
type lead struct {
	bound  deadline.Instant
	source uint8
	row    uint8 // picks from it in a row by a look at all heads
}

// leadFrom is how many picks in a row make it worth knowing how long that goes on. Where priorities take turns it is
// never known, and what is lost is the look at it: 2 of 20 ns of a push and a pop. (To know it always took 5.)
const leadFrom = 4

// lower notes that a node that expires at exp has become the head of a source.
func (l *lead) lower(source uint8, exp deadline.Instant) {
	if source != l.source {
		l.bound = min(l.bound, exp)
	}
}

// leader returns the ready node with the least (exp, seq) under ByExpiration. now is internal.
func (q *Queue[T]) leader(now deadline.Instant) *Node[T] {
	if n := q.heads[q.lead.source&31]; n != nil && n.exp < q.lead.bound && n.start <= now {
		return n
	}
	var least *Node[T]
	source := 0
	for m := q.mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		n := q.heads[i&31]
		if i == treeHead {
			if n = treeLeast(n, now); n == nil {
				continue
			}
		} else if n.start > now {
			continue
		}
		if least == nil || n.exp < least.exp || n.exp == least.exp && n.seq < least.seq {
			least, source = n, i
		}
	}
	if l := &q.lead; source != int(l.source) {
		*l = lead{math.MinInt64, uint8(source), 0}
	} else if l.row++; l.row >= leadFrom {
		l.bound, l.row = q.follower(source), 0
	}
	return least
}

// follower returns when the first of the heads of other sources expires, or no time at all beside the tree.
func (q *Queue[T]) follower(source int) deadline.Instant {
	if q.mask&treeBit != 0 {
		return math.MinInt64
	}
	bound := deadline.Never
	for m := q.mask &^ (1 << (source & 31)); m != 0; m &= m - 1 {
		bound = min(bound, q.heads[bits.TrailingZeros32(m)&31].exp)
	}
	return bound
}
