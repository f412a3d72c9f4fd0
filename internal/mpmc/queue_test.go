package mpmc

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func newQueue[T any](capacity int) *Queue[T] {
	q := new(Queue[T])
	q.Init(capacity)
	return q
}

// A called is one call in a history: when it began and ended, in the order of a common counter.
type called struct {
	begin, end int64
	push       bool
	value      int
	err        error
}

// linear reports whether the calls that are left can be told in one order, in which each lies between its
// begin and end, that a slice would have given. A try that failed says nothing, unless it was alone.
func linear(calls []called, used uint64, model []int, capacity int, seen map[string]bool) bool {
	first := int64(1 << 62)
	all := true
	for i, c := range calls {
		if used&(1<<i) == 0 {
			all = false
			first = min(first, c.end)
		}
	}
	key := fmt.Sprint(used, model)
	if all || seen[key] {
		return all
	}
	seen[key] = true
	for i, c := range calls {
		if used&(1<<i) != 0 || c.begin > first {
			continue
		}
		next := model
		switch {
		case c.err != nil:
			alone := !slices.ContainsFunc(calls, func(o called) bool {
				return o != c && o.begin < c.end && o.end > c.begin
			})
			if alone && (c.push && len(model) < capacity || !c.push && len(model) > 0) {
				continue
			}
		case c.push:
			if len(model) == capacity {
				continue
			}
			next = append(slices.Clone(model), c.value)
		default:
			if len(model) == 0 || model[0] != c.value {
				continue
			}
			next = model[1:]
		}
		if linear(calls, used|1<<i, next, capacity, seen) {
			return true
		}
	}
	return false
}

// Histories of goroutines at work have an order.
func TestQueueIsLinearizable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacity := rapid.IntRange(1, 4).Draw(t, "capacity")
		scripts := rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(0, 3), 1, 8), 2, 4).Draw(t, "scripts")
		q := newQueue[int](capacity)
		var clock atomic.Int64
		var wg sync.WaitGroup
		var begin sync.WaitGroup
		begin.Add(1)
		histories := make([][]called, len(scripts))
		for k, script := range scripts {
			wg.Go(func() {
				begin.Wait()
				for i, op := range script {
					c := called{push: op%2 == 0, value: 100*k + i + 1, begin: clock.Add(1)}
					switch op {
					case 0:
						c.err = q.TryPush(c.value)
					case 1:
						c.value, c.err = q.TryPop()
					case 2:
						ctx, cancel := context.WithTimeout(context.Background(), 10*time.Microsecond)
						c.err = q.Push(ctx, c.value)
						cancel()
					case 3:
						ctx, cancel := context.WithTimeout(context.Background(), 10*time.Microsecond)
						c.value, c.err = q.Pop(ctx)
						cancel()
					}
					c.end = clock.Add(1)
					histories[k] = append(histories[k], c)
				}
			})
		}
		begin.Done()
		wg.Wait()
		calls := slices.Concat(histories...)
		if !linear(calls, 0, nil, capacity, map[string]bool{}) {
			t.Fatalf("capacity %d: no order for %+v", capacity, calls)
		}
	})
}

func TestLinearCanFail(t *testing.T) {
	push := called{begin: 1, end: 2, push: true, value: 1}
	for name, calls := range map[string][]called{
		"out of order": {push, {begin: 3, end: 4, push: true, value: 2}, {begin: 5, end: 6, value: 2}},
		"before":       {{begin: 3, end: 4, push: true, value: 1}, {begin: 1, end: 2, value: 1}},
		"full":         {push, {begin: 3, end: 4, push: true}, {begin: 5, end: 6, push: true}},
		"not empty":    {push, {begin: 3, end: 4, err: ErrEmpty}},
		"twice":        {push, {begin: 3, end: 9, value: 1}, {begin: 4, end: 8, value: 1}},
	} {
		if linear(calls, 0, nil, 2, map[string]bool{}) {
			t.Errorf("%s: an order was found", name)
		}
	}
}

// A pop drops the queue's reference.
func TestQueueKeepsNothingThatWasTaken(t *testing.T) {
	q := newQueue[*[1 << 16]byte](3)
	var freed atomic.Bool
	func() {
		v := new([1 << 16]byte)
		runtime.AddCleanup(v, func(b *atomic.Bool) { b.Store(true) }, &freed)
		_ = q.TryPush(v)
		_, _ = q.TryPop()
	}()
	for !freed.Load() {
		runtime.GC()
	}
	if v, err := q.TryPop(); err == nil {
		t.Errorf("not empty: %v", v)
	}
}
