package mpmc

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Values come out once, in each producer's order for each consumer, whatever waits, is canceled or times out.
func TestQueueUnderStress(t *testing.T) {
	for _, capacity := range []int{1, 2, 3, 64} {
		t.Run(fmt.Sprint("capacity ", capacity), func(t *testing.T) {
			const producers, consumers, each = 4, 4, 10_000
			q := newQueue[int](capacity)
			var taken [producers * each]atomic.Int32
			var in, out sync.WaitGroup
			for k := range producers {
				in.Go(func() {
					for i, n := 0, k; i < each; n++ {
						if stubborn(n, q.TryPush, q.Push, k*each+i) == nil {
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
							func(w context.Context, p *int) (err error) { *p, err = q.Pop(w); return err }, &v)
						if errors.Is(err, ErrClosed) {
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
func stubborn[T any](n int, try func(T) error, wait func(context.Context, T) error, v T) error {
	switch n % 6 {
	case 0:
		return try(v)
	case 1:
		ctx, cancel := context.WithTimeout(context.Background(), time.Microsecond*time.Duration(1+n%50))
		defer cancel()
		return wait(ctx, v)
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
		full, empty := newQueue[int](2), newQueue[int](2)
		_, _ = full.TryPush(1), full.TryPush(2)
		var ended atomic.Int32
		for range 5 {
			go func() {
				if err := full.Push(context.Background(), 3); err == ErrClosed {
					ended.Add(1)
				}
			}()
			go func() {
				if _, err := empty.Pop(context.Background()); err == ErrClosed {
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
			if v, err := full.Pop(context.Background()); v != want || err != nil {
				t.Errorf("got %d, %v, want %d", v, err, want)
			}
		}
		if _, err := full.Pop(context.Background()); err != ErrClosed {
			t.Errorf("then got %v", err)
		}
	})
}

// The last value goes to one of the waiting consumers, and the end to all others.
func TestQueueEndReachesAllPoppers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue[int](1)
		var values, ends atomic.Int32
		for range 6 {
			go func() {
				switch _, err := q.Pop(context.Background()); err {
				case nil:
					values.Add(1)
				case ErrClosed:
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

func TestQueueWaitsEndWithTheirContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue[string](1)
		start := time.Now()
		timed := func(d time.Duration) context.Context {
			ctx, cancel := context.WithTimeout(context.Background(), d)
			t.Cleanup(cancel)
			return ctx
		}
		if _, err := q.Pop(timed(3 * time.Second)); err != context.DeadlineExceeded {
			t.Errorf("Pop: %v", err)
		}
		_ = q.Push(context.Background(), "a")
		if err := q.Push(timed(2*time.Second), "b"); err != context.DeadlineExceeded {
			t.Errorf("Push: %v", err)
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
		if err := q.Push(timed(time.Minute), "d"); err != nil {
			t.Errorf("Push: %v", err)
		}
		if v, err := q.Pop(ctx); v != "d" || err != nil {
			t.Errorf("Pop of what is there: %q, %v", v, err)
		}
	})
}

// Waiters are served in the order of their coming.
func TestQueueServesWaitersInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue[int](1)
		var order []int
		for i := range 4 {
			go func() {
				v, _ := q.Pop(context.Background())
				order = append(order, 10*i+v)
			}()
			synctest.Wait()
		}
		for i := range 4 {
			_ = q.Push(context.Background(), i)
			synctest.Wait()
		}
		if want := []int{0, 11, 22, 33}; !slices.Equal(order, want) {
			t.Errorf("got %v, want %v", order, want)
		}
	})
}
