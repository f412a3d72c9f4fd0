package deadline

import (
	"math"
	"math/bits"
)

// lead remembers which source the last pick by expiration took from, and how long that goes on: what was pushed with
// one priority at one time is picked in a row, and to compare all heads each time takes as long as all else.
//
// Q8. No head of another source than this one expires before bound. What can make a head expire sooner, which is the
// insertion at the front of a source, lowers the bound; that of the tree, whose order is not that of its expirations,
// lowers it for good. A head that leaves makes room for one that expires later. Only under ByExpiration; ready or not.
type lead struct {
	source uint8
	bound  Instant
}

// lower notes that n has become the head of its source.
func (l *lead) lower(exp Instant) { l.bound = min(l.bound, exp) }

// leader returns the ready node with the least (exp, seq) under ByExpiration. now is internal.
func (q *Queue[T]) leader(now Instant) *Node[T] {
	if n := q.heads[q.lead.source&31]; n != nil && n.exp < q.lead.bound && n.start <= now {
		return n
	}
	return q.leaderOfAll(now)
}

// leaderOfAll is leader by a look at all heads.
func (q *Queue[T]) leaderOfAll(now Instant) *Node[T] {
	var least *Node[T]
	source, bound := 0, Never
	for m := q.mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		n := q.heads[i&31]
		if i == treeHead {
			bound = math.MinInt64
			if n = treeLeast(n, now); n == nil {
				continue
			}
		} else if n.start > now {
			bound = min(bound, n.exp)
			continue
		}
		if least == nil || n.exp < least.exp || n.exp == least.exp && n.seq < least.seq {
			if least != nil {
				bound = min(bound, least.exp)
			}
			least, source = n, i
		} else {
			bound = min(bound, n.exp)
		}
	}
	q.lead = lead{uint8(source), bound}
	return least
}
