package taskqueue

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
)

// Bad arguments: a panic in the caller that names the package and the value, and nothing has changed.
func TestMisuse(t *testing.T) {
	const now = deadline.Instant(1e9)
	var q Queue[int]
	var free, queued Node[int]
	q.Push(&queued, deadline.Low, now, 0, time.Second) // in a tree, where an invalid priority would find it
	type misuse struct {
		name, want string
		f          func()
	}
	cases := []misuse{
		{"Push twice", "taskqueue: Push of a queued Node", func() { q.Push(&queued, deadline.Low, now, 0, 0) }},
		{"Stamp", "taskqueue: Stamp of a queued Node", func() { queued.Stamp(now) }},
		{"Continue", "taskqueue: Continue of a Node that was not popped", func() { q.Continue(&free) }},
		{"Defer", "taskqueue: Defer of a Node that is not queued", func() { q.Defer(&free) }},
	}
	for _, p := range []deadline.Priority{3, 17, -3, math.MaxInt8, math.MinInt8} {
		want := fmt.Sprintf("taskqueue: invalid Priority(%d)", int8(p))
		for name, f := range map[string]func(){
			"Push":        func() { q.Push(&free, p, now, 0, 0) },
			"SetPriority": func() { q.SetPriority(&queued, p, now) },
			"SetUrgency":  func() { q.SetUrgency(&queued, p, now) },
			"LenOf":       func() { q.LenOf(p) },
			"LenReady":    func() { q.LenReady(p, now, 1) },
		} {
			cases = append(cases, misuse{name, want, f})
		}
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { testkit.Panics(t, c.want, c.f) })
		if low := q.LenOf(deadline.Low); q.Len() != 1 || low != 1 || free.Queued() {
			t.Fatalf("%s has changed something: %d, %d queued, %v", c.name, q.Len(), low, free.Queued())
		}
	}
	free.Stamp(42) // by a producer; it is there for who pushes the node, and gone with the push
	q.Push(&free, deadline.Normal, now, free.Stamped().Sub(40), 0)
	if at, ok := q.Next(now); !ok || at != now {
		t.Error("the first node is not ready")
	}
	if q.Remove(&free); q.Pop(now) != &queued {
		t.Error("the queue is not what it was")
	}
}

// What is out of range counts as the nearest that is in it, and nothing overflows.
func TestExtremes(t *testing.T) {
	const longest, shortest = time.Duration(math.MaxInt64), time.Duration(math.MinInt64)
	const most = 1 << 59
	for d, want := range map[time.Duration]time.Duration{longest: most, most: most, -most: -most, shortest: -most} {
		var q Queue[int]
		var n, never Node[int]
		q.Push(&n, deadline.Normal, 0, 0, 0)
		q.Shift(d)
		if got := q.Start(&n); got != deadline.Instant(want) {
			t.Errorf("shifted by %d to %d, want %d", d, got, want)
		}
		q.Push(&never, deadline.Normal, 0, longest, 0)
		q.Shift(-want)
		if got := q.Start(&n); got != 0 || q.Pop(0) != &n {
			t.Errorf("shifted by %d and back: start %d", d, got)
		}
		q.Shift(shortest)
		if q.Pop(0) != nil {
			t.Errorf("shifted by %d and then back: what starts never is ready", d)
		}
	}
}
