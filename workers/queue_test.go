package workers_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/frameslice/frameslice/workers"
)

// A script of operations gives what a slice would have given.
func TestQueueMatchesASlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacity := rapid.IntRange(1, 9).Draw(t, "capacity")
		q := workers.NewQueue[int](capacity)
		ops := rapid.SliceOfN(rapid.IntRange(0, 20), 1, 200).Draw(t, "ops")
		if err := playQueue(q, ops); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzQueue(f *testing.F) {
	f.Add(1, []byte{0, 0, 1, 1, 20, 0, 1})
	f.Add(3, []byte("0000111100001111"))
	f.Fuzz(func(t *testing.T, capacity int, script []byte) {
		if capacity < 1 || capacity > 1000 {
			return
		}
		ops := make([]int, len(script))
		for i, b := range script {
			ops[i] = int(b)
		}
		if err := playQueue(workers.NewQueue[int](capacity), ops); err != nil {
			t.Fatal(err)
		}
	})
}

// playQueue runs a script against a slice. None of the calls waits for long, because there is only one
// goroutine.
func playQueue(q *workers.Queue[int], ops []int) error {
	done, cancel := context.WithCancel(context.Background())
	cancel()
	var model []int
	shut := false
	for i, op := range ops {
		var err, want error
		got, due := 0, 0
		pushes := op%2 == 0
		switch {
		case op == 20:
			q.Close()
			shut = true
			continue
		case pushes && shut:
			want = workers.ErrClosed
		case pushes && len(model) == q.Cap():
			want = workers.ErrFull
		case pushes:
			model = append(model, i)
		case len(model) > 0:
			due, model = model[0], model[1:]
		case shut:
			want = workers.ErrClosed
		default:
			want = workers.ErrEmpty
		}
		switch op % 6 {
		case 0:
			err = q.TryPush(i)
		case 2:
			err = q.Push(done, i)
		case 4:
			err = q.PushTimeout(time.Duration(op%3)-1, i)
		case 1:
			got, err = q.TryPop()
		case 3:
			got, err = q.Pop(done)
		case 5:
			got, err = q.PopTimeout(time.Duration(op%3) - 1)
		}
		if want == workers.ErrFull || want == workers.ErrEmpty {
			want = [3]error{want, context.Canceled, context.DeadlineExceeded}[op%6/2]
		}
		if err != want || got != due {
			return fmt.Errorf("operation %d (%d): got %d, %v, want %d, %v", i, op, got, err, due, want)
		}
		if q.Len() != len(model) || q.Closed() != shut {
			return fmt.Errorf("after operation %d: Len %d, Closed %v, want %d, %v",
				i, q.Len(), q.Closed(), len(model), shut)
		}
	}
	return nil
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
		q := workers.NewQueue[int](capacity)
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
						c.err = q.PushTimeout(10*time.Microsecond, c.value)
					case 3:
						c.value, c.err = q.PopTimeout(10 * time.Microsecond)
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
		"not empty":    {push, {begin: 3, end: 4, err: workers.ErrEmpty}},
		"twice":        {push, {begin: 3, end: 9, value: 1}, {begin: 4, end: 8, value: 1}},
	} {
		if linear(calls, 0, nil, 2, map[string]bool{}) {
			t.Errorf("%s: an order was found", name)
		}
	}
}

// Values come out once, in each producer's order for each consumer, whatever waits, is canceled or times out.
func TestQueueUnderStress(t *testing.T) {
	for _, capacity := range []int{1, 2, 3, 64} {
		t.Run(fmt.Sprint("capacity ", capacity), func(t *testing.T) {
			const producers, consumers, each = 4, 4, 10_000
			q := workers.NewQueue[int](capacity)
			var taken [producers * each]atomic.Int32
			var in, out sync.WaitGroup
			for k := range producers {
				in.Go(func() {
					for i, n := 0, k; i < each; n++ {
						if stubborn(n, q.TryPush, q.Push, q.PushTimeout, k*each+i) == nil {
							i++
						}
					}
				})
			}
			for k := range consumers {
				out.Go(func() {
					last := [producers]int{-1, -1, -1, -1}
					for n := k; ; n++ {
						var v int
						err := stubborn(n,
							func(p *int) (err error) { *p, err = q.TryPop(); return err },
							func(ctx context.Context, p *int) (err error) { *p, err = q.Pop(ctx); return err },
							func(d time.Duration, p *int) (err error) { *p, err = q.PopTimeout(d); return err }, &v)
						if errors.Is(err, workers.ErrClosed) {
							return
						}
						if err != nil {
							continue
						}
						taken[v].Add(1)
						if v <= last[v/each] {
							t.Errorf("%d came after %d", v, last[v/each])
						}
						last[v/each] = v
					}
				})
			}
			in.Wait()
			q.Close()
			out.Wait()
			for i := range taken {
				if n := taken[i].Load(); n != 1 {
					t.Fatalf("value %d came out %d times", i, n)
				}
			}
		})
	}
}

// stubborn makes the n-th call in one of the ways.
func stubborn[T any](n int, try func(T) error, wait func(context.Context, T) error,
	timed func(time.Duration, T) error, v T) error {
	switch n % 7 {
	case 0:
		return try(v)
	case 1:
		return timed(time.Microsecond*time.Duration(n%50), v)
	case 2:
		ctx, cancel := context.WithCancel(context.Background())
		go cancel()
		return wait(ctx, v)
	default:
		return wait(context.Background(), v)
	}
}

func TestQueueCloseWakesEveryWaiterAndKeepsWhatIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full, empty := workers.NewQueue[int](2), workers.NewQueue[int](2)
		_, _ = full.TryPush(1), full.TryPush(2)
		var ended atomic.Int32
		for range 5 {
			go func() {
				if err := full.Push(background, 3); err == workers.ErrClosed {
					ended.Add(1)
				}
			}()
			go func() {
				if _, err := empty.Pop(background); err == workers.ErrClosed {
					ended.Add(1)
				}
			}()
		}
		synctest.Wait()
		full.Close()
		empty.Close()
		empty.Close()
		synctest.Wait()
		if n := ended.Load(); n != 10 {
			t.Errorf("%d of 10 waiters were told", n)
		}
		for want := 1; want <= 2; want++ {
			if v, err := full.Pop(background); v != want || err != nil {
				t.Errorf("got %d, %v, want %d", v, err, want)
			}
		}
		if _, err := full.Pop(background); err != workers.ErrClosed {
			t.Errorf("then got %v", err)
		}
	})
}

// The last value goes to one of the waiting consumers, and the end to all others.
func TestQueueEndReachesAllPoppers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := workers.NewQueue[int](1)
		var values, ends atomic.Int32
		for range 6 {
			go func() {
				switch _, err := q.Pop(background); err {
				case nil:
					values.Add(1)
				case workers.ErrClosed:
					ends.Add(1)
				}
			}()
		}
		synctest.Wait()
		_ = q.TryPush(1)
		q.Close()
		synctest.Wait()
		if values.Load() != 1 || ends.Load() != 5 {
			t.Errorf("%d got the value and %d the end, want 1 and 5", values.Load(), ends.Load())
		}
	})
}

func TestQueueTimeoutsAndContexts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := workers.NewQueue[string](1)
		start := time.Now()
		if _, err := q.PopTimeout(3 * time.Second); err != context.DeadlineExceeded {
			t.Errorf("PopTimeout: %v", err)
		}
		_ = q.Push(background, "a")
		if err := q.PushTimeout(2*time.Second, "b"); err != context.DeadlineExceeded {
			t.Errorf("PushTimeout: %v", err)
		}
		cause := errors.New("scene is gone")
		ctx, cancel := context.WithCancelCause(context.Background())
		time.AfterFunc(time.Second, func() { cancel(cause) })
		if err := q.Push(ctx, "c"); err != cause {
			t.Errorf("Push: %v", err)
		}
		if got := time.Since(start); got != 6*time.Second {
			t.Errorf("it took %v, want 6s", got)
		}
		// A wait that has ended leaves nothing behind: the next one gets its own time.
		time.AfterFunc(time.Second, func() { _, _ = q.TryPop() })
		if err := q.PushTimeout(time.Minute, "d"); err != nil {
			t.Errorf("PushTimeout: %v", err)
		}
		if v, err := q.Pop(ctx); v != "d" || err != nil {
			t.Errorf("Pop of what is there: %q, %v", v, err)
		}
	})
}

// Waiters are served in the order of their coming.
func TestQueueServesWaitersInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := workers.NewQueue[int](1)
		var order []int
		for i := range 4 {
			go func() {
				v, _ := q.Pop(background)
				order = append(order, 10*i+v)
			}()
			synctest.Wait()
		}
		for i := range 4 {
			_ = q.Push(background, i)
			synctest.Wait()
		}
		if want := []int{0, 11, 22, 33}; !slices.Equal(order, want) {
			t.Errorf("got %v, want %v", order, want)
		}
	})
}

// A pop drops the queue's reference.
func TestQueueKeepsNothingThatWasTaken(t *testing.T) {
	q := workers.NewQueue[*[1 << 16]byte](3)
	var freed atomic.Bool
	func() {
		v := new([1 << 16]byte)
		runtime.AddCleanup(v, func(b *atomic.Bool) { b.Store(true) }, &freed)
		_ = q.TryPush(v)
		_, _ = q.TryPop()
	}()
	eventually(t, "the value is freed", func() bool { runtime.GC(); return freed.Load() })
	if q.Len() != 0 {
		t.Error("not empty")
	}
}

func TestNewQueueRefusesACapacityThatCannotBe(t *testing.T) {
	for _, n := range []int{-1, 0, 1<<30 + 1} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("NewQueue(%d) did not panic", n)
				}
			}()
			workers.NewQueue[int](n)
		}()
	}
}

func TestQueueDoesNotAllocate(t *testing.T) {
	q := workers.NewQueue[int](1)
	back := workers.NewQueue[int](1)
	go func() {
		for {
			v, err := q.PopTimeout(time.Hour)
			if err != nil {
				back.Close()
				return
			}
			_ = back.Push(context.Background(), v)
		}
	}()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	run := func() {
		for i := range 20 { // both sides sleep in most rounds
			if err := q.Push(ctx, i); err != nil {
				t.Fatal(err)
			}
			if v, err := back.Pop(ctx); v != i || err != nil {
				t.Fatal(v, err)
			}
			_, _ = back.TryPop()
		}
	}
	run()
	if n := testing.AllocsPerRun(50, run); n != 0 {
		t.Errorf("%v allocations for 20 values", n)
	}
	q.Close()
	_, _ = back.Pop(context.Background())
}

func ExampleQueue() {
	q := workers.NewQueue[string](2)
	var consumer sync.WaitGroup
	consumer.Go(func() {
		for {
			name, err := q.Pop(context.Background())
			if err != nil {
				fmt.Println(err)
				return
			}
			fmt.Println("load", name)
		}
	})
	for _, name := range []string{"grass", "stone", "water"} {
		_ = q.Push(context.Background(), name) // waits for room
	}
	q.Close() // what is left is still taken
	consumer.Wait()
	// Output:
	// load grass
	// load stone
	// load water
	// workers: closed
}

func ExampleQueue_TryPush() {
	q := workers.NewQueue[int](1)
	fmt.Println(q.TryPush(1), q.TryPush(2))
	fmt.Println(q.TryPop())
	_, err := q.TryPop()
	fmt.Println(err)
	// Output:
	// <nil> workers: full
	// 1 <nil>
	// workers: queue is empty
}
