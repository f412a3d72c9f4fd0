package taskqueue_test

import (
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// What is changed about work while it is queued: its priority, whether it is passed over, what time it is.

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

// A delay counts wherever the clock stands when the first node is pushed, as in a bubble, where all is below 0.
func TestDelaysBeforeZero(t *testing.T) {
	for _, policy := range policies {
		for _, begin := range []deadline.Instant{math.MinInt64, bubble, -1, 0} {
			q := queue{Policy: policy}
			q.Pop(begin) // before there is anything
			late, own, now := &node{Value: "late"}, &node{Value: "own"}, &node{Value: "now"}
			q.Push(late, deadline.Immediate, begin, time.Hour, 0)
			q.Push(own, deadline.Immediate, begin, time.Hour+1, 7)
			q.Push(now, deadline.Low, begin, 0, 0)
			if got := drain(&q, begin); got != "now" {
				t.Errorf("%v: at %d %q is ready", policy, begin, got)
			}
			if at, _ := q.Next(begin); at.Sub(begin) != time.Hour || q.LenReady(deadline.Immediate, begin, 9) != 0 {
				t.Errorf("%v: from %d the next is ready in %v", policy, begin, at.Sub(begin))
			}
			if got := drain(&q, begin.Add(time.Hour+1)); got != "late own" {
				t.Errorf("%v: an hour after %d %q is ready", policy, begin, got)
			}
		}
	}
	synctest.Test(t, func(t *testing.T) {
		var q queue
		n := &node{}
		q.Push(n, deadline.Normal, deadline.Now(), time.Hour, 0)
		time.Sleep(time.Hour - 1)
		early := q.Pop(deadline.Now())
		time.Sleep(time.Nanosecond)
		if early != nil || q.Pop(deadline.Now()) != n {
			t.Errorf("in a bubble: early %v, %d left", early, q.Len())
		}
	})
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
