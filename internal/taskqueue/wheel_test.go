package taskqueue_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/race"
	"github.com/frameslice/frameslice/internal/taskqueue"
)

// TestLargeQueueMatchesSortedSlice plays random scripts with so many delayed nodes, and so few slots for them, that
// they meet in the slots, come out of order, are too many for one, and leave from the middle. Without wheels heaps and
// trees are deep.
func TestLargeQueueMatchesSortedSlice(t *testing.T) {
	scripts := uint64(400)
	if testing.Short() || race.Enabled {
		scripts = 40
	}
	for _, byPriority := range policies {
		t.Run(fmt.Sprint("by priority ", byPriority), func(t *testing.T) {
			t.Parallel()
			for seed := range scripts {
				playLarge(seeded{t, seed}, byPriority, rand.New(rand.NewPCG(seed, 0)), seed%4 != 0)
			}
		})
	}
}

func playLarge(t failer, byPriority bool, rng *rand.Rand, wheels bool) {
	nodes := 50 + rng.IntN(3)*1200 // in one slot, the most are more than it sorts
	spread := []int64{1, 5, 1e3, 4e5, 3e6, 2e7, 12e9}[rng.IntN(7)]
	q := &taskqueue.Queue[int]{ByPriority: byPriority}
	if wheels {
		q.UseWheels()
	}
	r := &ref{byPriority: byPriority}
	qn := make([]taskqueue.Node[int], nodes)
	for i := range nodes {
		qn[i].Value = i
		r.nodes = append(r.nodes, &refNode{id: i})
	}
	now := int64(0)
	priorities := 1 + rng.IntN(deadline.NumPriorities)
	push := func(i int) {
		p := deadline.Priorities()[rng.IntN(priorities)]
		delay := time.Duration(1 + rng.Int64N(spread))
		if spread == 1 {
			delay = 7
		}
		own, stamp := time.Duration(0), now
		if !wheels && rng.IntN(3) == 0 {
			own, stamp = time.Duration(rng.Int64N(20e9)), now-rng.Int64N(1e9) // far out of order
		}
		q.Push(&qn[i], p, deadline.Instant(stamp), delay, own)
		r.push(r.nodes[i], p, stamp, delay, own)
	}
	for i := range nodes {
		if rng.IntN(8) > 0 {
			push(i)
		}
	}
	for step := range 2 * nodes {
		i := rng.IntN(nodes)
		n, m := &qn[i], r.nodes[i]
		switch kind := rng.IntN(16); {
		case !m.queued:
			if rng.IntN(2) == 0 {
				push(i)
			}
		case kind < 3:
			q.Remove(n)
			m.queued, m.aside = false, false
		case kind == 3:
			p := deadline.Priorities()[rng.IntN(priorities)]
			q.SetPriority(n, p, deadline.Instant(now))
			if m.prio != p {
				m.prio, m.own, m.exp = p, false, m.start+r.timeout(p)
			}
		case kind == 4:
			q.Defer(n)
			m.aside = true
		case kind == 5:
			q.Recall()
			for _, m := range r.nodes {
				m.aside = false
			}
		case kind == 6:
			now += rng.Int64N(spread)/4 + 1
		default:
			if n := q.Peek(deadline.Instant(now)); n != nil && n.Timed() {
				ahead(t, step, q, r, n)
			}
			got, want := q.Pop(deadline.Instant(now)), r.peek(now)
			if id(got) != refID(want) {
				t.Fatalf("step %d: Pop(%d) = %d, want %d", step, now, id(got), refID(want))
			}
			if want != nil {
				want.queued = false
			}
		}
		if step%64 == 0 {
			compare(t, step, q, r, qn, now)
		}
	}
	compare(t, 2*nodes, q, r, qn, now)
	for range r.nodes {
		got, want := q.Pop(deadline.Never), r.least(func(n *refNode) bool { return n.queued && !n.aside }, r.less)
		if id(got) != refID(want) {
			t.Fatalf("at the end: Pop = %d, want %d", id(got), refID(want))
		}
		if want != nil {
			want.queued = false
		}
	}
}

// ahead checks the hint at what comes after n: queued ones of the same priority, in order.
func ahead(t failer, step int, q *taskqueue.Queue[int], r *ref, n *taskqueue.Node[int]) {
	last := r.nodes[n.Value]
	var known [8]*taskqueue.Node[int]
	for _, n := range known[:q.Ahead(n, known[:])] {
		m := r.nodes[n.Value]
		before := m.start < last.start || m.start == last.start && m.seq < last.seq
		if !m.queued || m.aside || m.prio != last.prio || before {
			t.Fatalf("step %d: node %d is said to come after %d", step, m.id, last.id)
		}
		last = m
	}
}

// TestWheelLimits: what is counted as ready visits no more than the limit, and a node far away in time from
// the slot's does not disturb it.
func TestWheelLimits(t *testing.T) {
	var q taskqueue.Queue[int]
	q.UseWheels()
	nodes := make([]taskqueue.Node[int], 1000)
	for i := range nodes {
		q.Push(&nodes[i], deadline.Normal, 0, time.Duration(1+i%3)+time.Duration(i%2)*time.Hour, 0)
	}
	if err := q.Check(); err != nil {
		t.Fatal(err)
	}
	if got := q.LenReady(deadline.Normal, 5, math.MaxInt); got != 500 {
		t.Errorf("LenReady = %d, want 500", got)
	}
	if got := q.LenReady(deadline.Normal, 5, 100); got < 90 || got > 110 {
		t.Errorf("LenReady within 100 visits = %d", got)
	}
	for i := range nodes {
		if !q.Remove(&nodes[i]) {
			t.Fatalf("node %d was not in the queue", i)
		}
	}
	if err := q.Check(); err != nil || q.Len() != 0 {
		t.Error(q.Len(), err)
	}
}

// TestASlotIsSortedHoweverItsTimersLie: in one slot, spread evenly, all within one portion of it and in the
// worst order, at one instant, and in two heaps far apart; as many as there may be, and few.
func TestASlotIsSortedHoweverItsTimersLie(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	spreads := map[string]func(i, n int) int{
		"even":      func(i, n int) int { return rng.IntN(1 << 22) },
		"backwards": func(i, n int) int { return n - i },
		"one":       func(i, n int) int { return 1000 },
		"two heaps": func(i, n int) int { return i%2*3_900_000 + rng.IntN(500) },
		"forwards":  func(i, n int) int { return 100 * i },
	}
	for name, at := range spreads {
		for _, n := range []int{2, 3, 8, 9, 10, 64, 100, 1023, 1025, 1200} {
			var q taskqueue.Queue[int]
			q.UseWheels()
			nodes := make([]taskqueue.Node[int], n)
			want := make([]int, n)
			starts := make([]int, n)
			for i := range nodes {
				nodes[i].Value, want[i], starts[i] = i, i, at(i, n)
				q.Push(&nodes[i], deadline.Normal, 0, 4<<22+time.Duration(starts[i]), 0)
				if got := nodes[i].Order(); got != uint64(i+1) {
					t.Fatalf("push %d has the number %d", i+1, got)
				}
			}
			slices.SortStableFunc(want, func(a, b int) int { return cmp.Compare(starts[a], starts[b]) })
			pop := func(want []int) {
				for i, id := range want {
					if got := q.Pop(deadline.Never); got == nil || got.Value != id {
						t.Fatalf("%s, %d: place %d of %v", name, n, i, want)
					}
				}
				if err := q.Check(); err != nil {
					t.Fatalf("%s, %d: %v", name, n, err)
				}
			}
			pop(want[:n/2])
			q.Remove(&nodes[want[n-1]]) // one of those that are sorted leaves
			pop(want[n/2 : n-1])
			if q.Len() != 0 {
				t.Errorf("%s, %d: %d are left", name, n, q.Len())
			}
		}
	}
}
