package taskqueue_test

import (
	"math"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/taskqueue"
)

// The naive queue, and the comparison of all that can be asked of a queue with what this one says.

// forever restates the documented bound of delays and timeouts.
const forever = 1 << 61

// A ref is the naive queue: a slice, searched and sorted at every step, in the caller's coordinates.
type ref struct {
	byPriority bool
	timeouts   deadline.Timeouts
	clock      int64
	seq        int
	nodes      []*refNode // every node that was ever pushed, queued or not
}

type refNode struct {
	id                            int
	prio                          deadline.Priority
	start, exp                    int64
	seq                           int
	queued, aside, cont, own, old bool // old: was pushed once
}

func (r *ref) timeout(p deadline.Priority) int64 { return clamp(r.timeouts.Of(p)) }

func clamp(d time.Duration) int64 { return min(max(int64(d), -forever), forever) }

func (r *ref) push(n *refNode, p deadline.Priority, now int64, delay, timeout time.Duration) {
	if r.seq == 0 {
		r.clock = now // it begins with the first push
	}
	r.clock = max(r.clock, now)
	r.seq++
	n.prio, n.seq, n.queued, n.cont, n.own, n.old = p, r.seq, true, false, timeout != 0, true
	n.start = now + clamp(max(delay, 0))
	n.exp = n.start + r.timeout(p)
	if timeout != 0 {
		n.exp = n.start + clamp(timeout)
	}
}

func (r *ref) ready(n *refNode) bool { return n.queued && (n.cont || n.start <= r.clock) }

func (r *ref) less(a, b *refNode) bool {
	switch {
	case !r.byPriority && a.exp != b.exp:
		return a.exp < b.exp
	case !r.byPriority:
		return a.seq < b.seq
	case a.prio != b.prio:
		return a.prio > b.prio
	case a.cont != b.cont:
		return a.cont
	case !a.cont && a.start != b.start:
		return a.start < b.start
	}
	return a.seq < b.seq
}

func (r *ref) least(ok func(*refNode) bool, less func(a, b *refNode) bool) *refNode {
	var best *refNode
	for _, n := range r.nodes {
		if ok(n) && (best == nil || less(n, best)) {
			best = n
		}
	}
	return best
}

func (r *ref) peek(now int64) *refNode {
	r.clock = max(r.clock, now)
	return r.least(func(n *refNode) bool { return r.ready(n) && !n.aside }, r.less)
}

func (r *ref) expiration(n *refNode) deadline.Instant {
	if n.exp-n.start >= forever {
		return deadline.Never
	}
	return deadline.Instant(n.exp)
}

func (r *ref) overdue() *refNode {
	first := map[deadline.Priority]*refNode{} // of the continuations, which hide those behind them
	for _, p := range deadline.Priorities() {
		first[p] = r.least(func(n *refNode) bool { return r.ready(n) && !n.aside && n.cont && n.prio == p }, r.less)
	}
	return r.least(func(n *refNode) bool {
		return r.ready(n) && !n.aside && n.exp <= r.clock && n.exp-n.start < forever && (!n.cont || n == first[n.prio])
	}, func(a, b *refNode) bool { return a.exp < b.exp || a.exp == b.exp && a.seq < b.seq })
}

func (r *ref) next(now int64) (int64, bool) {
	r.clock = max(r.clock, now)
	at, ok := int64(math.MaxInt64), false
	for _, n := range r.nodes {
		switch {
		case !n.queued:
			continue
		case n.aside || r.ready(n):
			return now, true
		}
		at, ok = min(at, n.start), true
	}
	if !ok {
		at = 0
	}
	return at, ok
}

func compare(t failer, step int, q *taskqueue.Queue[int], r *ref, qn []taskqueue.Node[int], now int64) {
	at := deadline.Instant(now)
	if got, want := q.Peek(at), r.peek(now); id(got) != refID(want) {
		t.Fatalf("step %d: Peek(%d) = %d, want %d", step, now, id(got), refID(want))
	}
	size := 0
	for i, m := range r.nodes {
		if n := &qn[i]; m.old {
			exp := deadline.Instant(m.exp)
			if m.exp-m.start >= forever {
				exp = deadline.Never
			}
			if q.Expiration(n) != exp || q.Start(n) != deadline.Instant(m.start) ||
				n.Priority() != m.prio || n.Queued() != m.queued ||
				q.Expired(n, at) != (exp <= at && exp != deadline.Never) {
				t.Fatalf("step %d: node %d: start %d, expiration %d, %v, queued %v; want %+v", step, i,
					q.Start(n), q.Expiration(n), n.Priority(), n.Queued(), *m)
			}
		}
		if m.queued {
			size++
		}
	}
	if q.Len() != size {
		t.Fatalf("step %d: Len = %d, want %d", step, q.Len(), size)
	}
	for _, p := range deadline.Priorities() {
		all, ready := 0, 0
		for _, m := range r.nodes {
			if m.queued && m.prio == p {
				all++
				if m.aside || r.ready(m) {
					ready++
				}
			}
		}
		if q.LenOf(p) != all || q.LenReady(p, at, math.MaxInt) != ready {
			t.Fatalf("step %d: %v: LenOf, LenReady = %d, %d, want %d, %d",
				step, p, q.LenOf(p), q.LenReady(p, at, math.MaxInt), all, ready)
		}
	}
	if got, want := q.Overdue(at), r.overdue(); id(got) != refID(want) {
		t.Fatalf("step %d: Overdue(%d) = %d, want %d", step, now, id(got), refID(want))
	}
	got, ok := q.Next(at)
	if want, wantOK := r.next(now); got != deadline.Instant(want) || ok != wantOK {
		t.Fatalf("step %d: Next(%d) = %d, %v, want %d, %v", step, now, got, ok, want, wantOK)
	}
	if n := q.Peek(at); n != nil && q.Expiration(n) != r.expiration(r.nodes[n.Value]) {
		want := r.expiration(r.nodes[n.Value])
		t.Fatalf("step %d: the first node expires at %d, want %d", step, q.Expiration(n), want)
	}
	if err := q.Check(); err != nil {
		t.Fatalf("step %d: %v", step, err)
	}
}

type failer interface{ Fatalf(string, ...any) }

func id(n *taskqueue.Node[int]) int {
	if n == nil {
		return -1
	}
	return n.Value
}

func refID(n *refNode) int {
	if n == nil {
		return -1
	}
	return n.id
}
