package runqueue

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// The deque against a plain slice: one goroutine, all operations.
func TestDequeMatchesASlice(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var d Deque[int]
	var model []int // [0, shared) is shared
	shared, next := 0, 1
	oldest := func() (want int) {
		if shared > 0 {
			want, model = model[0], model[1:]
			shared--
		}
		return want
	}
	newest := func(most int) (want int) {
		if n := len(model); n > 0 {
			want, model = model[n-1], model[:n-1]
			if shared == n { // a reclaim takes the newer half back, or the last one
				shared -= max(min(n/2, most), 1)
			}
		}
		return want
	}
	for next < 100_000 {
		got, want, ok := 0, 0, false
		switch rng.IntN(10) {
		case 0, 1, 2:
			d.Push(next)
			model = append(model, next)
			next++
		case 3:
			d.Publish()
			shared = len(model)
		case 4:
			d.PublishHalf()
			shared += (len(model) - shared + 1) / 2
		case 5:
			got, ok, _ = d.Steal()
			want = oldest()
		case 6:
			got, ok = d.Shift()
			want = oldest()
		case 7:
			got, ok = d.PopOne()
			want = newest(1)
		case 8:
			if got, ok = d.Private(); ok {
				d.Drop()
				want = newest(0)
			}
		default:
			got, ok = d.Pop()
			want = newest(len(model))
		}
		if got != want || ok != (want != 0) {
			t.Fatalf("after %d pushes: got %d, %v, want %d", next, got, ok, want)
		}
		if rng.IntN(100) == 0 {
			d.Tidy()
		}
		if d.Shared() != shared || d.AllTaken() != (shared == 0) || d.AllShared() != (shared == len(model)) {
			t.Fatalf("%d shared, want %d", d.Shared(), shared)
		}
		if d.Empty() != (len(model) == 0) || len(model) > 0 && !d.Used() {
			t.Fatalf("Empty %v, Used %v of %d items", d.Empty(), d.Used(), len(model))
		}
		if d.AllShared() {
			if it, ok := d.Newest(); ok != (len(model) > 0) || ok && it != model[len(model)-1] {
				t.Fatalf("newest %d, %v of %v", it, ok, model)
			}
		}
	}
}

// A deque keeps nothing alive that has been taken.
func TestDequeForgetsWhatWasTaken(t *testing.T) {
	var d Deque[*int]
	for range 3 {
		d.Push(new(int))
	}
	d.Publish()
	d.Steal()
	d.Tidy()
	d.PopOne()
	d.PublishHalf()
	d.Steal()
	d.Push(new(int))
	d.Private()
	d.Drop()
	d.Wipe()
	for i, it := range d.slots {
		if it != nil {
			t.Errorf("slot %d still has an item", i)
		}
	}
}

// Every item is taken once, however much is published.
func TestDequesLoseNothing(t *testing.T) {
	const n = 20_000
	for name, d := range rivals() {
		items := make([]int, n)
		var taken [n]atomic.Int32
		take := func(it *int, ok bool) bool {
			if ok {
				taken[*it].Add(1)
			}
			return ok
		}
		var stop atomic.Bool
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				for !stop.Load() {
					it, ok, _ := d.Steal()
					if !take(it, ok) {
						runtime.Gosched()
					}
				}
			})
		}
		for i := range items {
			items[i] = i
			d.Push(&items[i])
			if i%3 == 2 {
				take(d.Pop())
			}
		}
		for misses := 0; misses < 2; { // a pop that lost the last item to a thief has found nothing once
			if !take(d.Pop()) {
				misses++
			}
		}
		stop.Store(true)
		wg.Wait()
		for i := range taken {
			if c := taken[i].Load(); c != 1 {
				t.Fatalf("%s: item %d taken %d times", name, i, c)
			}
		}
	}
}
