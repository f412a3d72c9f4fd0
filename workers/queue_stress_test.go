package workers

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// tagged makes n items that can be told apart.
func tagged(n int) ([]Job, map[*Job]int) {
	jobs := make([]Job, n)
	at := make(map[*Job]int, n)
	for i := range jobs {
		at[&jobs[i]] = i
	}
	return jobs, at
}

// The deque against a plain slice: one goroutine, all operations.
func TestDequeMatchesASlice(t *testing.T) {
	jobs, _ := tagged(100_000)
	rng := rand.New(rand.NewPCG(1, 2))
	var d deque[item]
	var model []*Job // [0, shared) is shared
	shared, next := 0, 0
	check := func(got item, ok bool, want *Job) {
		if ok != (want != nil) || got.job() != want {
			t.Fatalf("after %d pushes: got %v, %v", next, got.job(), ok)
		}
	}
	for next < len(jobs) {
		switch rng.IntN(8) {
		case 0, 1, 2:
			d.push(jobItem(&jobs[next]))
			model = append(model, &jobs[next])
			next++
		case 3:
			d.publish()
			shared = len(model)
		case 4:
			d.publishHalf()
			shared += (len(model) - shared + 1) / 2
		case 5:
			var want *Job
			if shared > 0 {
				want = model[0]
				model = model[1:]
				shared--
			}
			it, ok, _ := d.steal()
			check(it, ok, want)
		default:
			var want *Job
			if n := len(model); n > 0 {
				want = model[n-1]
				model = model[:n-1]
				if shared == n { // a reclaim takes the newer half back, or the last one
					shared -= max(n/2, 1)
				}
			}
			it, ok := d.pop()
			check(it, ok, want)
		}
		if rng.IntN(100) == 0 {
			d.tidy()
		}
		if got := d.shared(); got != shared {
			t.Fatalf("%d shared, want %d", got, shared)
		}
	}
}

// Every item is taken once, whoever takes it; each thief gets items in the order in which they were pushed,
// since the owner here never takes back what it has shared.
func TestDequeUnderThieves(t *testing.T) {
	const n, thieves = 50_000, 3
	jobs, at := tagged(n)
	var taken [n]atomic.Int32
	var d deque[item]
	var stop atomic.Bool
	var wg sync.WaitGroup
	for range thieves {
		wg.Go(func() {
			for !stop.Load() || d.shared() > 0 {
				if it, ok, retry := d.steal(); ok {
					taken[at[it.job()]].Add(1)
				} else if !retry {
					runtime.Gosched()
				}
			}
		})
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range jobs {
		d.push(jobItem(&jobs[i]))
		switch rng.IntN(6) {
		case 0, 1:
			d.publish()
		case 2:
			d.publishHalf()
		case 3, 4:
			if it, ok := d.pop(); ok {
				taken[at[it.job()]].Add(1)
			}
		}
		if i%512 == 0 {
			d.tidy()
			runtime.Gosched()
		}
	}
	for {
		it, ok := d.pop()
		if !ok {
			break
		}
		taken[at[it.job()]].Add(1)
	}
	stop.Store(true)
	wg.Wait()
	for i := range taken {
		if c := taken[i].Load(); c != 1 {
			t.Fatalf("item %d taken %d times", i, c)
		}
	}
}

// Producers' items come out once, and for each producer in order, as one consumer at a time can tell.
func TestInjectorKeepsEachProducersOrder(t *testing.T) {
	const producers, each = 3, 20_000
	jobs, at := tagged(producers * each)
	var q injector
	q.init()
	var wg sync.WaitGroup
	for k := range producers {
		wg.Go(func() {
			for i := range each {
				q.push(jobItem(&jobs[k*each+i]))
				if i%1000 == 0 {
					runtime.Gosched()
				}
			}
		})
	}
	var next [producers]int
	for got := 0; got < producers*each; {
		it, ok := q.pop()
		if !ok {
			runtime.Gosched()
			continue
		}
		got++
		i := at[it.job()]
		if k := i / each; i%each != next[k] {
			t.Fatalf("producer %d: item %d came when %d was due", k, i%each, next[k])
		}
		next[i/each]++
	}
	wg.Wait()
	if _, ok := q.pop(); ok || !q.empty() || q.size() != 0 {
		t.Error("the queue is not empty at the end")
	}
}

func TestInjectorUnderConsumers(t *testing.T) {
	const producers, consumers, each = 2, 3, 20_000
	jobs, at := tagged(producers * each)
	var taken [producers * each]atomic.Int32
	var got atomic.Int64
	var q injector
	q.init()
	var wg sync.WaitGroup
	for k := range producers {
		wg.Go(func() {
			for i := range each {
				q.push(jobItem(&jobs[k*each+i]))
			}
		})
	}
	for range consumers {
		wg.Go(func() {
			for got.Load() < producers*each {
				if it, ok := q.pop(); ok {
					taken[at[it.job()]].Add(1)
					got.Add(1)
				} else {
					runtime.Gosched()
				}
			}
		})
	}
	wg.Wait()
	for i := range taken {
		if c := taken[i].Load(); c != 1 {
			t.Fatalf("item %d came out %d times", i, c)
		}
	}
}

// A queue that has reached its size does not allocate, and its rings are bounded.
func TestInjectorGrowsOnce(t *testing.T) {
	var q injector
	q.init()
	fill := func() {
		for range 3000 {
			q.push(funcItem(func() {}))
		}
		for range 3000 {
			if _, ok := q.pop(); !ok {
				t.Fatal("empty too early")
			}
		}
	}
	fill()
	if n := testing.AllocsPerRun(20, fill); n != 0 {
		t.Errorf("%v allocations after growing", n)
	}
}

func BenchmarkQueues(b *testing.B) {
	it := funcItem(func() {})
	b.Run("deque push+pop", func(b *testing.B) {
		var d deque[item]
		for b.Loop() {
			d.push(it)
			d.pop()
		}
	})
	b.Run("deque push+publish+pop", func(b *testing.B) {
		var d deque[item]
		for b.Loop() {
			d.push(it)
			d.publish()
			d.pop()
		}
	})
	b.Run("injector push+pop", func(b *testing.B) {
		var q injector
		q.init()
		for b.Loop() {
			q.push(it)
			q.pop()
		}
	})
	b.Run("channel send+receive", func(b *testing.B) {
		c := make(chan func(), 64)
		for b.Loop() {
			c <- it.fn()
			<-c
		}
	})
}
