package deadline_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/frameslice/frameslice/deadline"
)

type (
	node  = deadline.Node[string]
	queue = deadline.Queue[string]
)

// drain pops everything that is ready and returns the names in order.
func drain(q *queue, now deadline.Instant) string {
	var names []string
	for n := q.Pop(now); n != nil; n = q.Pop(now) {
		names = append(names, n.Value)
	}
	return strings.Join(names, " ")
}

func TestOrder(t *testing.T) {
	const s = deadline.Instant(time.Second)
	type (
		step  func(*queue)
		steps []step
	)
	push := func(name string, p deadline.Priority, now deadline.Instant, delay, own time.Duration) step {
		return func(q *queue) { q.Push(&node{Value: name}, p, now, delay, own) }
	}
	for _, c := range []struct {
		name         string
		steps        steps
		now          deadline.Instant
		byExpiration string
		byPriority   string
	}{
		{"priorities", steps{
			push("i", deadline.Idle, 0, 0, 0), push("l", deadline.Low, 0, 0, 0),
			push("n", deadline.Normal, 0, 0, 0), push("u", deadline.UserBlocking, 0, 0, 0),
			push("!", deadline.Immediate, 0, 0, 0),
		}, 0, "! u n l i", "! u n l i"},
		{"equal stamps are first in, first out", steps{
			push("a", deadline.Normal, s, 0, 0), push("b", deadline.Normal, s, 0, 0),
			push("c", deadline.Normal, s, 0, 0),
		}, s, "a b c", "a b c"},
		{"old normal beats new user-blocking", steps{
			push("n", deadline.Normal, 0, 0, 0), push("u", deadline.UserBlocking, 5*s, 0, 0),
		}, 5 * s, "n u", "u n"},
		{"an equal expiration keeps the order of submission", steps{
			push("l", deadline.Low, 0, 0, 0), push("n", deadline.Normal, 5*s, 0, 0),
		}, 5 * s, "l n", "n l"},
		{"expired normal beats new immediate", steps{
			push("n", deadline.Normal, 0, 0, 0), push("!", deadline.Immediate, 6*s, 0, 0),
		}, 6 * s, "n !", "! n"},
		{"idle is last even when old", steps{
			push("i", deadline.Idle, 0, 0, 0), push("l", deadline.Low, 1000*s, 0, 0),
		}, 1000 * s, "l i", "l i"},
		{"idle sorts by start", steps{
			push("a", deadline.Idle, 0, 2*time.Second, 0), push("b", deadline.Idle, 0, time.Second, 0),
			push("c", deadline.Idle, s, 0, 0),
		}, 3 * s, "b c a", "b c a"},
		{"expiration counts from the start", steps{
			push("d", deadline.Normal, 0, 2*time.Second, 0), push("n", deadline.Normal, s, 0, 0),
		}, 3 * s, "n d", "n d"},
		{"not due", steps{
			push("d", deadline.Immediate, 0, 2*time.Second, 0), push("n", deadline.Normal, 0, 0, 0),
		}, s, "n", "n"},
		{"due exactly now", steps{push("d", deadline.Normal, 0, time.Second, 0)}, s, "d", "d"},
		{"own timeout", steps{
			push("n", deadline.Normal, 0, 0, 0), push("own", deadline.Low, 0, 0, time.Second),
			push("never", deadline.Immediate, 0, 0, math.MaxInt64), push("past", deadline.Idle, 0, 0, -1),
		}, s, "past own n never", "never n own past"},
		{"own timeout, delayed", steps{
			push("a", deadline.Normal, 0, time.Second, 9*time.Second),
			push("b", deadline.Normal, 0, 2*time.Second, 1),
			push("c", deadline.Normal, 0, 3*time.Second, 1), push("n", deadline.Normal, 0, 0, 0),
		}, 2 * s, "b n a", "n a b"},
		{"negative delay is none", steps{
			push("a", deadline.Normal, 0, math.MinInt64, 0), push("b", deadline.Normal, 0, -1, 0),
		}, 0, "a b", "a b"},
		{"endless delay", steps{push("a", deadline.Normal, 0, math.MaxInt64, 0)}, 1000 * s, "", ""},
		{"stamps out of order", steps{
			push("a", deadline.Normal, 10, 0, 0), push("b", deadline.Normal, 30, 0, 0),
			push("c", deadline.Normal, 20, 0, 0), push("d", deadline.Normal, 5, 0, 0),
		}, 30, "d a c b", "d a c b"},
	} {
		for _, policy := range policies {
			q := queue{Policy: policy}
			for _, f := range c.steps {
				f(&q)
			}
			want := c.byExpiration
			if policy == deadline.ByPriority {
				want = c.byPriority
			}
			if got := drain(&q, c.now); got != want {
				t.Errorf("%s, %v: got %q, want %q", c.name, policy, got, want)
			}
		}
	}
}

func TestContinue(t *testing.T) {
	for _, policy := range policies {
		q := queue{Policy: policy}
		a, b := &node{Value: "a"}, &node{Value: "b"}
		q.Push(a, deadline.Normal, 0, 0, 0)
		q.Push(b, deadline.Normal, 0, 0, 0)
		q.Push(&node{Value: "c"}, deadline.Normal, 0, 0, 0)
		q.Push(&node{Value: "u"}, deadline.UserBlocking, 6e9, 0, 0)
		var got []string
		for range 3 {
			n := q.Pop(6e9)
			got = append(got, n.Value)
			if n == a || n == b {
				q.Continue(n)
			}
		}
		want := "a a a" // it expires first, so it goes first, for ever
		if policy == deadline.ByPriority {
			want = "u a a" // before its peers, after what is more urgent
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%v: got %q, want %q", policy, s, want)
		}
	}

	// Two continuations take turns under ByPriority.
	q := queue{Policy: deadline.ByPriority}
	a, b, c := &node{Value: "a"}, &node{Value: "b"}, &node{Value: "c"}
	for _, n := range []*node{a, b, c} {
		q.Push(n, deadline.Normal, 0, 0, 0)
	}
	q.Continue(q.Pop(0))
	q.Remove(b)
	q.Continue(b)
	q.SetPriority(c, deadline.Low, 0)
	if got, want := drain(&q, 0), "a b c"; got != want {
		t.Errorf("continuations: got %q, want %q", got, want)
	}
}

func TestSetPriorityKeepsPlace(t *testing.T) {
	// The web platform's tests: demoting and promoting the middle one of three, or all of them repeatedly,
	// leaves the order of submission.
	for _, policy := range policies {
		q := queue{Policy: policy}
		var nodes []*node
		for _, name := range []string{"1", "2", "3"} {
			n := &node{Value: name}
			nodes = append(nodes, n)
			q.Push(n, deadline.Normal, 7, 0, 0)
		}
		q.SetPriority(nodes[1], deadline.Idle, 8)
		q.SetPriority(nodes[1], deadline.Normal, 9)
		for _, p := range []deadline.Priority{deadline.Immediate, deadline.Low} {
			for _, i := range []int{1, 2, 0} {
				q.SetPriority(nodes[i], p, 9)
			}
		}
		if got, want := drain(&q, 9), "1 2 3"; got != want {
			t.Errorf("%v: got %q, want %q", policy, got, want)
		}
	}
}

func TestSetPriorityRecomputesExpiration(t *testing.T) {
	var q queue
	n := &node{}
	q.SetPriority(n, deadline.Low, 0) // never pushed: nothing to change
	q.Push(n, deadline.Normal, 100, 50, 7)
	if got := q.Expiration(n); got != 157 {
		t.Errorf("expiration = %d, want start 150 + 7", got)
	}
	q.SetPriority(n, deadline.Normal, 100)
	if got := q.Expiration(n); got != 157 {
		t.Errorf("the same priority changed the expiration to %d", got)
	}
	q.SetPriority(n, deadline.UserBlocking, 100)
	if got := q.Expiration(n); got != 150+250e6 {
		t.Errorf("expiration = %d, want start 150 + 250 ms", got)
	}
	q.SetPriority(n, deadline.Idle, 100)
	if got := q.Expiration(n); got != deadline.Never {
		t.Errorf("expiration = %d, want never", got)
	}
	if q.Pop(149) != nil || q.Pop(150) != n {
		t.Error("a change of priority changed the start")
	}
	q.SetPriority(n, deadline.Immediate, 200)
	if n.Queued() || n.Priority() != deadline.Immediate || q.Expiration(n) != 150 {
		t.Errorf("popped: queued %v, %v, expiration %d", n.Queued(), n.Priority(), q.Expiration(n))
	}
	q.Continue(n)
	if q.LenOf(deadline.Immediate) != 1 || q.Len() != 1 {
		t.Error("the continuation does not have the new priority")
	}
}

func TestDeferAndRecall(t *testing.T) {
	for _, policy := range policies {
		q := queue{Policy: policy}
		var nodes []*node
		for i := range 6 {
			n := &node{Value: fmt.Sprint(i)}
			nodes = append(nodes, n)
			q.Push(n, deadline.Normal, deadline.Instant(i), 0, 0)
		}
		for range 4 {
			q.Defer(q.Peek(10))
		}
		q.Defer(nodes[0]) // again: no effect
		if got := q.Peek(10); got != nodes[4] || q.Len() != 6 || q.LenReady(deadline.Normal, 10, math.MaxInt) != 6 {
			t.Errorf("%v: the next candidate is %q of %d", policy, got.Value, q.Len())
		}
		if got := q.Pop(10); got != nodes[4] {
			t.Errorf("%v: popped %q, want 4", policy, got.Value)
		}
		q.Remove(nodes[2])
		q.SetPriority(nodes[3], deadline.UserBlocking, 10)
		if got := q.Peek(10); got != nodes[5] {
			t.Errorf("%v: a change of priority brought %q back", policy, got.Value)
		}
		q.Pop(10)
		if at, ok := q.Next(10); q.Pop(10) != nil || !ok || at != 10 {
			t.Errorf("%v: Next with all set aside = %d, %v, want 10, true", policy, at, ok)
		}
		q.Recall()
		if got, want := drain(&q, 10), "3 0 1"; got != want {
			t.Errorf("%v: after Recall %q, want %q", policy, got, want)
		}
	}
}

func TestNext(t *testing.T) {
	var q queue
	if at, ok := q.Next(5); ok || at != 0 {
		t.Errorf("empty: %d, %v", at, ok)
	}
	own, plain := &node{}, &node{}
	q.Push(own, deadline.Normal, 10, 30, 5)
	q.Push(plain, deadline.Low, 10, 20, 0)
	for _, c := range []struct{ now, want deadline.Instant }{{10, 30}, {29, 30}, {30, 30}, {35, 35}} {
		if at, ok := q.Next(c.now); !ok || at != c.want {
			t.Errorf("Next(%d) = %d, %v, want %d", c.now, at, ok, c.want)
		}
	}
	q.Remove(plain)
	if at, ok := q.Next(35); !ok || at != 40 {
		t.Errorf("after Remove: %d, %v, want 40", at, ok)
	}
}

func TestOverdue(t *testing.T) {
	for _, policy := range policies {
		q := queue{Policy: policy}
		n, u := &node{Value: "n"}, &node{Value: "u"}
		q.Push(n, deadline.Normal, 0, 0, 0)
		q.Push(u, deadline.UserBlocking, 4.9e9, 0, 0)
		q.Push(&node{Value: "i"}, deadline.Idle, 0, 0, 0)
		if got := q.Overdue(5e9 - 1); got != nil {
			t.Errorf("%v: %q is overdue too early", policy, got.Value)
		}
		if got := q.Overdue(5e9); got != n || !q.Expired(n, 5e9) || q.Expired(n, 5e9-1) {
			t.Errorf("%v: want n overdue at 5 s", policy)
		}
		q.Remove(n)
		if got := q.Overdue(6e9); got != u {
			t.Errorf("%v: want u overdue at 6 s", policy)
		}
		q.Remove(u)
		if got := q.Overdue(math.MaxInt64 - 1); got != nil {
			t.Errorf("%v: idle work is overdue", policy)
		}
	}
}

func TestShift(t *testing.T) {
	for _, policy := range policies {
		q := queue{Policy: policy}
		a, d, own := &node{Value: "a"}, &node{Value: "d"}, &node{Value: "own"}
		q.Push(a, deadline.Normal, 0, 0, 0)
		q.Push(d, deadline.Normal, 0, time.Second, 0)
		q.Push(own, deadline.Normal, 0, 2*time.Second, 3)
		hour := deadline.Instant(time.Hour) // the machine slept
		q.Shift(time.Hour)
		if q.Overdue(hour) != nil || q.Expiration(a) != hour+5e9 || q.Start(d) != hour+1e9 {
			t.Errorf("%v: expiration %d, start %d", policy, q.Expiration(a), q.Start(d))
		}
		if at, ok := q.Next(hour); !ok || at != hour {
			t.Errorf("%v: Next = %d, %v", policy, at, ok)
		}
		q.Pop(hour)
		if at, ok := q.Next(hour); !ok || at != hour+1e9 {
			t.Errorf("%v: Next = %d, %v, want one second later", policy, at, ok)
		}
		q.Push(&node{Value: "b"}, deadline.Normal, hour, 0, 0)
		if got, want := drain(&q, hour+2e9-1), "b d"; got != want {
			t.Errorf("%v: got %q, want %q", policy, got, want)
		}
		if got, want := drain(&q, hour+2e9), "own"; got != want {
			t.Errorf("%v: got %q, want %q", policy, got, want)
		}
	}
}

func TestNeverDrainsDelayedWork(t *testing.T) {
	for _, policy := range policies {
		q := queue{Policy: policy}
		q.Push(&node{Value: "far"}, deadline.Normal, 0, math.MaxInt64, 0)
		q.Push(&node{Value: "own"}, deadline.Normal, 0, time.Hour, 1)
		q.Push(&node{Value: "a"}, deadline.Normal, 0, 0, 0)
		q.Defer(q.Peek(0))
		q.Recall()
		if got := len(strings.Fields(drain(&q, deadline.Never))); got != 3 || q.Len() != 0 {
			t.Errorf("%v: %d of 3 drained, %d left", policy, got, q.Len())
		}
		q.Push(&node{Value: "d"}, deadline.Normal, 5, 5, 0)
		if got := drain(&q, 9); got != "" {
			t.Errorf("%v: Never moved the clock: %q ran early", policy, got)
		}
	}
}

func TestMisuse(t *testing.T) {
	var q queue
	n := &node{}
	q.Push(n, deadline.Normal, 0, 0, 0)
	mustPanic(t, "deadline: Push of a queued Node", func() { q.Push(n, deadline.Normal, 0, 0, 0) })
	mustPanic(t, "deadline: invalid Priority(3)", func() { q.Push(&node{}, 3, 0, 0, 0) })
	mustPanic(t, "deadline: invalid Priority(-3)", func() { q.SetPriority(n, -3, 0) })
	mustPanic(t, "deadline: Continue of a Node that was not popped", func() { q.Continue(n) })
	mustPanic(t, "deadline: Continue of a Node that was not popped", func() { q.Continue(&node{}) })
	mustPanic(t, "deadline: Defer of a Node that is not queued", func() { q.Defer(&node{}) })
	if q.Remove(&node{}) || !q.Remove(n) || q.Remove(n) {
		t.Error("Remove does not report what was queued")
	}
}

func TestPolicyString(t *testing.T) {
	if deadline.ByExpiration.String() != "ByExpiration" || deadline.ByPriority.String() != "ByPriority" ||
		deadline.Policy(9).String() != "Policy(?)" {
		t.Error("names of the policies")
	}
}

func TestNodeFillsOneCacheLine(t *testing.T) {
	if size := unsafe.Sizeof(deadline.Node[*int]{}); size > 64 {
		t.Errorf("a Node takes %d bytes, want at most 64", size)
	}
}

// TestQueueMatchesSortedSliceLarge covers deep heaps and trees, and lanes with many misfits.
func TestQueueMatchesSortedSliceLarge(t *testing.T) {
	for _, policy := range policies {
		rng := rand.New(rand.NewPCG(1, uint64(policy)))
		q := deadline.Queue[int]{Policy: policy}
		r := ref{policy: policy}
		nodes := make([]deadline.Node[int], 3000)
		queued := make([]*refNode, 0, len(nodes))
		for i := range nodes {
			nodes[i].Value = i
			r.nodes = append(r.nodes, &refNode{id: i})
		}
		now := int64(1e9)
		for i, m := range r.nodes {
			p := deadline.Priorities()[rng.IntN(5)]
			stamp := now - rng.Int64N(1e9) // far out of order
			var delay, own time.Duration
			if rng.IntN(3) == 0 {
				delay = time.Duration(rng.Int64N(5e9))
			}
			if rng.IntN(3) == 0 {
				own = time.Duration(rng.Int64N(20e9))
			}
			q.Push(&nodes[i], p, deadline.Instant(stamp), delay, own)
			r.push(m, p, stamp, delay, own)
		}
		for i := range nodes[:1500] {
			switch m := r.nodes[i]; rng.IntN(3) {
			case 0:
				q.Remove(&nodes[i])
				m.queued = false
			case 1:
				p := deadline.Priorities()[rng.IntN(5)]
				q.SetPriority(&nodes[i], p, deadline.Instant(now))
				if p != m.prio {
					m.prio, m.own, m.exp = p, false, m.start+refTimeouts[p]
				}
			}
		}
		if err := q.Check(); err != nil {
			t.Fatal(err)
		}
		if q.HeapLen() < 500 {
			t.Fatalf("only %d nodes in heaps: the test misses its subject", q.HeapLen())
		}
		for ; now < 7e9; now += 1e8 {
			r.clock = now
			queued = queued[:0]
			for _, m := range r.nodes {
				if r.ready(m) {
					queued = append(queued, m)
				}
			}
			slices.SortFunc(queued, func(a, b *refNode) int {
				if r.less(a, b) {
					return -1
				}
				return 1
			})
			for i, want := range queued {
				if i%3 == 2 {
					break // leave some for later
				}
				if got := q.Pop(deadline.Instant(now)); id(got) != want.id {
					t.Fatalf("%v at %d: Pop = %d, want %d", policy, now, id(got), want.id)
				}
				want.queued = false
			}
			if err := q.Check(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestEqualStampsAreFirstInFirstOut fills the heaps with few different starts, then the heap of the
// continuations, and checks that ties go by submission all the way.
func TestEqualStampsAreFirstInFirstOut(t *testing.T) {
	for _, policy := range policies {
		rng := rand.New(rand.NewPCG(2, 2))
		q := deadline.Queue[int]{Policy: policy}
		nodes := make([]deadline.Node[int], 2000)
		for i := range nodes {
			nodes[i].Value = i
			q.Push(&nodes[i], deadline.Normal, 0, time.Duration(1+rng.IntN(4)), 0)
		}
		for range 500 {
			q.Remove(&nodes[rng.IntN(len(nodes))])
		}
		if err := q.Check(); err != nil {
			t.Fatal(err)
		}
		start, last := deadline.Instant(0), -1
		for n := q.Pop(9); n != nil; n = q.Pop(9) {
			if q.Start(n) < start || q.Start(n) == start && n.Value < last {
				t.Fatalf("%v: node %d, start %d, comes after node %d, start %d",
					policy, n.Value, q.Start(n), last, start)
			}
			start, last = q.Start(n), n.Value
		}
	}

	q := deadline.Queue[int]{Policy: deadline.ByPriority}
	nodes := make([]deadline.Node[int], 2000)
	for i := range nodes {
		q.Push(&nodes[i], deadline.Normal, deadline.Instant(len(nodes)-i), 0, 0)
		q.Remove(&nodes[i])
	}
	for i := range nodes {
		nodes[i].Value = i
		q.Continue(&nodes[i])
	}
	rng := rand.New(rand.NewPCG(3, 3))
	for range 4000 {
		q.SetPriority(&nodes[rng.IntN(len(nodes))], deadline.Priorities()[1+rng.IntN(3)], 0)
	}
	if err := q.Check(); err != nil {
		t.Fatal(err)
	}
	for i := range nodes {
		q.SetPriority(&nodes[i], deadline.Immediate, 0)
	}
	last := -1
	for n := q.Pop(0); n != nil; n = q.Pop(0) {
		if n.Value < last {
			t.Fatalf("continuation %d comes after %d", n.Value, last)
		}
		last = n.Value
	}
}

// TestTreeHoldsOwnTimeoutsOnly checks that the expensive structure is left as soon as it can be.
func TestTreeHoldsOwnTimeoutsOnly(t *testing.T) {
	var q queue
	a, b := &node{}, &node{}
	q.Push(a, deadline.Normal, 0, 0, 7)
	q.Push(b, deadline.Normal, 0, 3, 7)
	if q.TreeLen() != 2 {
		t.Errorf("%d nodes in the tree, want 2", q.TreeLen())
	}
	q.Remove(a)
	q.Push(a, deadline.Normal, 0, 0, 0)
	q.Defer(a)
	q.Recall()
	q.SetPriority(b, deadline.Low, 0)
	if q.TreeLen() != 0 {
		t.Errorf("%d nodes in the tree after their timeouts became ordinary, want 0", q.TreeLen())
	}
}

// TestSetPriorityStaysCheap changes priorities a million times with ten thousand nodes queued. If one change
// walked a lane this would take 10^10 steps and run into the test's timeout.
func TestSetPriorityStaysCheap(t *testing.T) {
	const n = 10_000
	changes := 1_000_000
	if raceEnabled {
		changes /= 20
	}
	for _, policy := range policies {
		q := deadline.Queue[int]{Policy: policy}
		nodes := make([]deadline.Node[int], n)
		for i := range nodes {
			q.Push(&nodes[i], deadline.Priorities()[i%5], deadline.Instant(i), 0, 0)
		}
		rng := rand.New(rand.NewPCG(1, 1))
		for range changes {
			q.SetPriority(&nodes[rng.IntN(n)], deadline.Priorities()[rng.IntN(5)], n)
		}
		if err := q.Check(); err != nil {
			t.Fatal(err)
		}
		last := deadline.Never
		for m := q.Pop(n); m != nil; m = q.Pop(n) {
			if policy == deadline.ByExpiration && last != deadline.Never && q.Expiration(m) < last {
				t.Fatalf("%v: out of order", policy)
			}
			last = q.Expiration(m)
		}
	}
}

func TestQueueDoesNotAllocate(t *testing.T) {
	for _, policy := range policies {
		q := deadline.Queue[int]{Policy: policy}
		nodes := make([]deadline.Node[int], 500)
		now := deadline.Instant(0)
		round := func() {
			now = now.Add(time.Minute)
			for i := range nodes {
				var delay, own time.Duration
				if i%3 == 1 {
					delay = time.Duration(i)
				}
				if i%5 == 1 {
					own = time.Duration(i)
				}
				q.Push(&nodes[i], deadline.Priorities()[i%5], now-deadline.Instant(i%7), delay, own)
			}
			for i := range nodes {
				switch i % 11 {
				case 0:
					q.Remove(&nodes[i])
				case 1:
					q.SetPriority(&nodes[i], deadline.Low, now)
				case 2:
					q.Defer(&nodes[i])
				}
			}
			q.Next(now)
			q.Overdue(now)
			q.LenReady(deadline.Normal, now, 100)
			q.Shift(time.Second)
			q.Recall()
			once := true
			for n := q.Pop(now.Add(2 * time.Second)); n != nil; n = q.Pop(now.Add(2 * time.Second)) {
				if once {
					q.Continue(n)
				}
				once = !once
			}
		}
		round()
		if allocs := testing.AllocsPerRun(20, round); allocs != 0 {
			t.Errorf("%v: %v allocations per round", policy, allocs)
		}
		if q.Len() != 0 {
			t.Errorf("%v: %d nodes left", policy, q.Len())
		}
	}
	var e deadline.Estimate
	if allocs := testing.AllocsPerRun(100, func() {
		e.Observe(ms)
		e.Observe(time.Duration(e.Count()))
	}); allocs != 0 {
		t.Errorf("Observe: %v allocations", allocs)
	}
	var b deadline.Budget
	var sink bool
	if allocs := testing.AllocsPerRun(100, func() {
		now := deadline.Now()
		sink = b.Slice(now, now, ms).Earlier(deadline.In(ms)).Exceeded()
	}); allocs != 0 || sink {
		t.Errorf("Slice: %v allocations, exceeded %v", allocs, sink)
	}
}

func TestLenReadyStopsCountingAtItsLimit(t *testing.T) {
	var q deadline.Queue[int]
	nodes := make([]deadline.Node[int], 300) // a hundred ready, delayed, and with a timeout too
	for i := range nodes {
		delay, timeout := time.Duration(0), time.Duration(0)
		if i%3 > 0 {
			delay = 5
		}
		if i%3 == 2 {
			timeout = time.Duration(i)
		}
		q.Push(&nodes[i], deadline.Normal, 0, delay, timeout)
	}
	for _, c := range []struct {
		now         deadline.Instant
		limit, want int
	}{
		{0, math.MaxInt, 100}, {10, math.MaxInt, 300}, // all counted
		{10, 0, 200}, {10, 60, 260}, // none or some of those that have come due, all with a timeout
	} {
		if got := q.LenReady(deadline.Normal, c.now, c.limit); got != c.want {
			t.Errorf("LenReady at %d, limit %d: %d, want %d", c.now, c.limit, got, c.want)
		}
	}
}
