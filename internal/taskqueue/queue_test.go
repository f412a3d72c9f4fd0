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

// What a producer stamps is there for who pushes the node, and gone with the push.
func TestStamp(t *testing.T) {
	var q queue
	n := &node{Value: "n"}
	n.Stamp(42)
	if n.Stamped() != 42 {
		t.Errorf("it says %v", n.Stamped())
	}
	q.Push(n, deadline.Normal, 7, n.Stamped().Sub(7), 0)
	mustPanic(t, "taskqueue: Stamp of a queued Node", func() { n.Stamp(1) })
	if got := q.Pop(41); got != nil {
		t.Errorf("%v came before its time", got.Value)
	}
	if got := q.Pop(42); got != n {
		t.Error("it did not come in time")
	}
}

// A queue orders by its own timeouts where they are set, and by the defaults where they are not.
func TestQueueHasItsOwnTimeouts(t *testing.T) {
	for _, c := range []struct {
		timeouts deadline.Timeouts
		want     string
	}{
		{deadline.Timeouts{}, "normal low"},
		{deadline.Timeouts{Low: 1}, "low normal"},
		{deadline.Timeouts{Low: 1, Normal: 1}, "normal low"}, // both at once: by submission
	} {
		q := taskqueue.Queue[string]{Timeouts: c.timeouts}
		normal, low := taskqueue.Node[string]{Value: "normal"}, taskqueue.Node[string]{Value: "low"}
		q.Push(&normal, deadline.Normal, 0, 0, 0)
		q.Push(&low, deadline.Low, 0, 0, 0)
		first := q.Pop(0)
		if got := first.Value + " " + q.Pop(0).Value; got != c.want {
			t.Errorf("%+v: %s, want %s", c.timeouts, got, c.want)
		}
	}
}
