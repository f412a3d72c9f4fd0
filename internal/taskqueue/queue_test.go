package taskqueue_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/taskqueue"
)

// What a Queue hands out and when, by examples. The random scripts are in model_test.go.

type (
	node  = taskqueue.Node[string]
	queue = taskqueue.Queue[string]
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

// Work with a timeout of its own neither hides what is overdue behind it nor is hidden.
func TestOverdueAmongOwnTimeouts(t *testing.T) {
	for _, policy := range policies {
		q := queue{Policy: policy}
		a, b, c, never := &node{Value: "a"}, &node{Value: "b"}, &node{Value: "c"}, &node{Value: "never"}
		q.Push(never, deadline.Normal, 0, 0, forever)
		q.Push(a, deadline.Normal, 0, 0, 0)
		q.Push(b, deadline.Normal, 0, 0, ms)
		q.Push(c, deadline.Low, 0, 2*ms, 3*ms)
		for _, want := range []struct {
			at deadline.Instant
			n  *node
		}{{1e6 - 1, nil}, {1e6, b}, {5e6, c}, {5e9, a}, {20e9, nil}} {
			n := q.Overdue(want.at)
			if n != want.n {
				t.Errorf("%v: at %d: %v is overdue, want %v", policy, want.at, n, want.n)
			}
			if n != nil {
				q.Remove(n)
			}
		}
		if n := q.Pop(20e9); n != never || q.Len() != 0 {
			t.Errorf("%v: %v is left, want never", policy, n)
		}
	}
}

// Under ByPriority they are in the order of submission all the same, also when their priority changes.
func TestOwnTimeoutsInTheOrderOfPriority(t *testing.T) {
	q := queue{Policy: deadline.ByPriority}
	nodes := make([]node, 60)
	for i := range nodes {
		own := time.Duration(i * 7 % 11)
		q.Push(&nodes[i], deadline.Priorities()[i%3], 0, time.Duration(i%2), own)
	}
	for i := range nodes {
		if i%3 == 2 {
			q.SetUrgency(&nodes[i], deadline.Low, 1)
		}
	}
	var last *node
	for n := q.Pop(1); n != nil; n = q.Pop(1) {
		if last != nil && !q.Before(last, n) || q.Check() != nil {
			t.Fatalf("%v %d comes after %v %d: %v", n.Priority(), n.Order(), last.Priority(), last.Order(), q.Check())
		}
		last = n
	}
	if q.Len() != 0 {
		t.Errorf("%d are left", q.Len())
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

func TestLenReadyStopsCountingAtItsLimit(t *testing.T) {
	var q taskqueue.Queue[int]
	nodes := make([]taskqueue.Node[int], 300) // a hundred ready, delayed, and with a timeout too
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
