package taskqueue_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/taskqueue"
)

// Head is Peek, and what it calls not expired is not.
// LeadsInTime answers for a popped node what Continue and Pop would: that it is the next one again, and in time.
func TestLeadsIsContinueAndPop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := &taskqueue.Queue[int]{}
		if rapid.Bool().Draw(t, "policy") {
			q.ByPriority = true
		}
		now := deadline.Instant(1)
		nodes := make([]taskqueue.Node[int], 12)
		if q.LeadsInTime(&nodes[0], now) {
			t.Fatal("a node that was never pushed leads")
		}
		for i := range nodes {
			p := deadline.Priorities()[rapid.IntRange(0, deadline.NumPriorities-1).Draw(t, "prio")]
			delay := time.Duration(rapid.IntRange(0, 3).Draw(t, "delay")) * time.Second
			timeout := time.Duration(rapid.SampledFrom([]int{0, 0, 1, 9}).Draw(t, "timeout")) * time.Second
			q.Push(&nodes[i], p, now, delay, timeout)
			now += deadline.Instant(rapid.IntRange(0, 2).Draw(t, "pause")) * deadline.Instant(time.Second)
		}
		if rapid.Bool().Draw(t, "shift") {
			q.Shift(time.Second)
		}
		for {
			n, expired := q.Head(now)
			if n != q.Peek(now) || n != nil && !expired && q.Expired(n, now) {
				t.Fatalf("Head = %d, %v; Peek = %d", id(n), expired, id(q.Peek(now)))
			}
			if n = q.Pop(now); n == nil {
				break
			}
			now += deadline.Instant(rapid.IntRange(0, 1).Draw(t, "cost")) * deadline.Instant(time.Second)
			leads, inTime := q.LeadsInTime(n, now), n.Priority() == deadline.Immediate || !q.Expired(n, now)
			q.Continue(n)
			again := q.Peek(now) == n
			if leads != (again && inTime && !q.ByPriority) {
				t.Fatalf("LeadsInTime: %v; continued, it is the next: %v, in time: %v", leads, again, inTime)
			}
			if q.LeadsInTime(n, now) {
				t.Fatal("a queued node leads")
			}
			q.Remove(n)
		}
	})
}
