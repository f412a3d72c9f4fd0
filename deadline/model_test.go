package deadline_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/frameslice/frameslice/deadline"
)

// forever restates the documented bound of delays and timeouts.
const forever = 1 << 61

// A ref is the naive queue: a slice, searched and sorted at every step, in the caller's coordinates.
type ref struct {
	policy deadline.Policy
	clock  int64
	seq    int
	nodes  []*refNode // every node that was ever pushed, queued or not
}

type refNode struct {
	id                            int
	prio                          deadline.Priority
	start, exp                    int64
	seq                           int
	queued, aside, cont, own, old bool // old: was pushed once
	set                           int  // 0 is none
}

var refTimeouts = map[deadline.Priority]int64{
	deadline.Immediate:    0,
	deadline.UserBlocking: 250e6,
	deadline.Normal:       5e9,
	deadline.Low:          10e9,
	deadline.Idle:         forever,
}

func clamp(d time.Duration) int64 { return min(max(int64(d), -forever), forever) }

func (r *ref) push(n *refNode, p deadline.Priority, now int64, delay, timeout time.Duration) {
	r.clock = max(r.clock, now)
	r.seq++
	n.prio, n.seq, n.queued, n.cont, n.own, n.old = p, r.seq, true, false, timeout != 0, true
	if n.own {
		n.set = 0
	}
	n.start = now + clamp(max(delay, 0))
	n.exp = n.start + refTimeouts[p]
	if timeout != 0 {
		n.exp = n.start + clamp(timeout)
	}
}

func (r *ref) setPriorityOf(set int, p deadline.Priority, now int64) {
	r.clock = max(r.clock, now)
	for _, n := range r.nodes {
		if n.queued && !n.aside && n.set == set && set != 0 && n.prio != p {
			n.prio, n.own, n.exp = p, false, n.start+refTimeouts[p]
		}
	}
}

func (r *ref) ready(n *refNode) bool { return n.queued && (n.cont || n.start <= r.clock) }

func (r *ref) less(a, b *refNode) bool {
	switch {
	case r.policy == deadline.ByExpiration && a.exp != b.exp:
		return a.exp < b.exp
	case r.policy == deadline.ByExpiration:
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

// An op is a step of a script.
type op struct {
	kind       uint8
	node       uint8
	prio       uint8
	delay, own uint8 // indices into durations
	set        uint8
}

var durations = []time.Duration{
	0, 0, 0, 0, 1, 2, 3, 250 * ms, 5 * time.Second, time.Second, ms,
	10*time.Second + 1,
	-1, -time.Second, math.MaxInt64, math.MinInt64, forever - 1, forever, 1 << 62, 7, 8, 9,
}

const opSize = 6

// play runs a script on the queue and on the reference, and compares every answer.
func play(t failer, policy deadline.Policy, script []op) {
	const nodes = 24
	q := deadline.Queue[int]{Policy: policy}
	r := ref{policy: policy}
	qn := make([]deadline.Node[int], nodes)
	for i := range nodes {
		qn[i].Value = i
		r.nodes = append(r.nodes, &refNode{id: i})
	}
	now := int64(0)
	sets := make([]deadline.Set[int], 3) // the first stays empty
	enter := func(i int, set uint8) {
		if set %= 3; set != 0 {
			q.Enter(&sets[set], &qn[i])
		}
		r.nodes[i].set = int(set)
	}
	for step, o := range script {
		i := int(o.node) % nodes
		n, m := &qn[i], r.nodes[i]
		p := deadline.Priorities()[o.prio%deadline.NumPriorities]
		delay, own := durations[int(o.delay)%len(durations)], durations[int(o.own)%len(durations)]
		at := deadline.Instant(now)
		switch kind := o.kind % 16; kind {
		case 0, 1, 2, 3, 4: // plain, delayed, with a timeout of its own, and stamped in the past
			stamp := now
			switch kind {
			case 0, 1:
				delay, own = 0, 0
			case 2:
				own = 0
			case 4:
				stamp -= int64(o.prio) / 8
			}
			if !m.queued {
				enter(i, o.set)
				q.Push(n, p, deadline.Instant(stamp), delay, own)
				r.push(m, p, stamp, delay, own)
			}
		case 5, 6, 7:
			got, want := q.Pop(at), r.peek(now)
			if id(got) != refID(want) {
				t.Fatalf("step %d: Pop(%d) = %d, want %d", step, now, id(got), refID(want))
			}
			if want != nil {
				want.queued, want.set = false, 0
			}
		case 8:
			if got := q.Remove(n); got != m.queued {
				t.Fatalf("step %d: Remove(%d) = %v, want %v", step, i, got, m.queued)
			}
			m.queued, m.aside, m.set = false, false, 0
		case 9:
			if o.set >= 128 {
				q.SetPriorityOf(&sets[o.set%3], p, at)
				r.setPriorityOf(int(o.set%3), p, now)
				break
			}
			keep := m.own && o.set >= 64
			if keep {
				q.SetUrgency(n, p, at)
			} else {
				q.SetPriority(n, p, at)
			}
			if m.old && m.prio != p {
				r.clock = max(r.clock, now)
				if m.prio = p; !keep {
					m.own, m.exp = false, m.start+refTimeouts[p]
				}
			}
		case 10, 11:
			if m.old && !m.queued {
				enter(i, o.set)
				q.Continue(n)
				m.queued = true
				if m.own {
					m.set = 0
				}
				if policy == deadline.ByPriority {
					r.seq++
					m.seq, m.cont = r.seq, true
				}
			}
		case 12:
			if m.queued && o.own%2 == 0 { // a queued node changes its set
				if o.set%3 != 0 && !m.own {
					q.Enter(&sets[o.set%3], n)
					m.set = int(o.set % 3)
				}
				break
			}
			if m.queued {
				q.Defer(n)
				m.aside = true
			}
		case 13:
			q.Recall()
			for _, m := range r.nodes {
				m.aside = false
			}
		case 14: // forward, and sometimes a little backward
			now += int64(delay) % 1e10
		case 15:
			d := int64(delay) % 1e10
			q.Shift(time.Duration(d))
			r.clock += min(d, 0)
			for _, m := range r.nodes {
				m.start += d
				m.exp += d
			}
			if o.prio%2 == 0 {
				now += d // the usual reason for a shift
			}
		}
		compare(t, step, &q, &r, qn, now)
		compareFirsts(t, step, &q, &r, sets, now)
	}
}

func compare(t failer, step int, q *deadline.Queue[int], r *ref, qn []deadline.Node[int], now int64) {
	at := deadline.Instant(now)
	if got, want := q.Peek(at), r.peek(now); id(got) != refID(want) {
		t.Fatalf("step %d: Peek(%d) = %d, want %d", step, now, id(got), refID(want))
	}
	size, ownQueued := 0, false
	for i, m := range r.nodes {
		if n := &qn[i]; m.old {
			exp := deadline.Instant(m.exp)
			if m.exp-m.start >= forever {
				exp = deadline.Never
			}
			if q.Expiration(n) != exp || q.Start(n) != deadline.Instant(m.start) ||
				q.PriorityOf(n) != m.prio || n.Queued() != m.queued ||
				q.Expired(n, at) != (exp <= at && exp != deadline.Never) {
				t.Fatalf("step %d: node %d: start %d, expiration %d, %v, queued %v; want %+v", step, i,
					q.Start(n), q.Expiration(n), n.Priority(), n.Queued(), *m)
			}
		}
		if m.queued {
			size++
			ownQueued = ownQueued || m.own
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
		// Own timeouts under ByPriority are documented to be seen late, but never wrongly.
		late := q.Policy == deadline.ByPriority && ownQueued
		if !late || got != nil && !q.Expired(got, deadline.Instant(r.clock)) {
			t.Fatalf("step %d: Overdue(%d) = %d, want %d", step, now, id(got), refID(want))
		}
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

func id(n *deadline.Node[int]) int {
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

func scriptOf(data []byte) []op {
	var script []op
	for c := range slices.Chunk(data, opSize) {
		if len(c) == opSize {
			script = append(script, op{c[0], c[1], c[2], c[3], c[4], c[5]})
		}
	}
	return script
}

var policies = []deadline.Policy{deadline.ByExpiration, deadline.ByPriority}

// TestQueueMatchesSortedSlice plays many short random scripts, seeded so that a failure names its seed.
func TestQueueMatchesSortedSlice(t *testing.T) {
	scripts := uint64(20_000)
	if testing.Short() || raceEnabled {
		scripts = 1000
	}
	for _, policy := range policies {
		t.Run(policy.String(), func(t *testing.T) {
			t.Parallel()
			for seed := range scripts {
				rng := rand.New(rand.NewPCG(seed, uint64(policy)))
				script := make([]op, 1+rng.IntN(60))
				few := rng.IntN(3) == 0 // few instants, so that many stamps are equal
				for i := range script {
					r := rng.Uint64()
					script[i] = op{uint8(r), uint8(r >> 8), uint8(r >> 16), uint8(r >> 24), uint8(r >> 32),
						uint8(r >> 40)}
					if few {
						script[i].delay %= 7
					}
				}
				play(seeded{t, seed}, policy, script)
			}
		})
	}
}

type seeded struct {
	t    *testing.T
	seed uint64
}

func (s seeded) Fatalf(format string, args ...any) {
	s.t.Helper()
	s.t.Fatalf("seed %d: %s", s.seed, fmt.Sprintf(format, args...))
}

// TestQueueModel does the same with rapid, which shrinks what fails.
func TestQueueModel(t *testing.T) {
	gen := rapid.Custom(func(t *rapid.T) op {
		b := rapid.Uint8()
		return op{
			kind: rapid.Uint8Range(0, 15).Draw(t, "kind"), node: rapid.Uint8Range(0, 23).Draw(t, "node"),
			prio: b.Draw(t, "prio"), delay: rapid.Uint8Range(0, uint8(len(durations)-1)).Draw(t, "delay"),
			own: rapid.Uint8Range(0, uint8(len(durations)-1)).Draw(t, "own"),
			set: b.Draw(t, "set"),
		}
	})
	for _, policy := range policies {
		t.Run(policy.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				play(t, policy, rapid.SliceOfN(gen, 1, 80).Draw(t, "script"))
			})
		})
	}
}

func FuzzQueue(f *testing.F) {
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 0))
		data := make([]byte, opSize*30)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		f.Add(seed%2 == 0, data)
	}
	f.Fuzz(func(t *testing.T, byPriority bool, data []byte) {
		policy := deadline.ByExpiration
		if byPriority {
			policy = deadline.ByPriority
		}
		play(t, policy, scriptOf(data))
	})
}
