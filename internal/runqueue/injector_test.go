package runqueue

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// Items come out once, and each consumer sees the items of one producer in their order. One consumer takes many at a
// time, into a batch from which another steals.
func TestInjectorHandsOutEveryItemOnceAndInOrder(t *testing.T) {
	const producers, each = 3, 20_000
	var q Injector[int]
	q.Init()
	var b Batch[int]
	var got [producers * each]atomic.Int32
	var left atomic.Int64
	left.Store(producers * each)
	take := func(it int) {
		got[it].Add(1)
		left.Add(-1)
	}
	var wg sync.WaitGroup
	for k := range producers {
		wg.Go(func() {
			for i := range each {
				q.Push(k*each + i)
				if i%1000 == 0 {
					runtime.Gosched()
				}
			}
		})
	}
	inOrder := func(pop func() (int, bool)) {
		last := [producers]int{}
		for left.Load() > 0 {
			it, ok := pop()
			if !ok {
				runtime.Gosched()
				continue
			}
			take(it)
			if k := it / each; it%each < last[k] {
				t.Errorf("producer %d: item %d came after %d", k, it%each, last[k])
			} else {
				last[k] = it % each
			}
		}
	}
	wg.Go(func() { inOrder(q.Pop) })
	wg.Go(func() {
		inOrder(func() (int, bool) {
			if it, ok := b.Next(); ok {
				return it, true
			}
			b.Settle()
			it, ok := q.PopMany(&b, 64, left.Load()%2 == 0)
			b.Publish()
			return it, ok
		})
	})
	wg.Go(func() {
		for left.Load() > 0 {
			if it, ok, _ := b.Steal(); ok {
				take(it)
			} else {
				runtime.Gosched()
			}
		}
	})
	wg.Wait()
	for i := range got {
		if c := got[i].Load(); c != 1 {
			t.Fatalf("item %d came out %d times", i, c)
		}
	}
	if _, ok := q.Pop(); ok || !q.Empty() || q.Size() != 0 {
		t.Error("the queue is not empty at the end")
	}
}

// A queue that has reached its size does not allocate, until its spare rings go.
func TestInjectorGrowsOnce(t *testing.T) {
	var q Injector[int]
	q.Init()
	fill := func() {
		const n = 3 * ringMax
		for i := range n {
			q.Push(i)
		}
		if q.Size() != n {
			t.Fatalf("size %d, want %d", q.Size(), n)
		}
		for i := range n {
			filled := q.Filled() // also behind a ring that is closed and empty
			if it, ok := q.Pop(); !filled || !ok || it != i {
				t.Fatalf("%d, %v instead of %d; filled: %v", it, ok, i, filled)
			}
		}
		if q.Filled() {
			t.Fatal("filled, and empty")
		}
	}
	fill()
	fill()
	if n := testing.AllocsPerRun(20, fill); n > 4 { // a head for each ring
		t.Errorf("%v allocations after growing", n)
	}
	q.Trim()
	if q.spare.Load() != nil {
		t.Error("spare rings are left")
	}
}
