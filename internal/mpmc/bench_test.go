package mpmc

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// moved moves n values through a queue and returns ns per value.
func moved(producers, consumers, n int, push func(int), pop func() bool, end func()) float64 {
	var in, out sync.WaitGroup
	start := time.Now()
	for range consumers {
		out.Go(func() {
			for pop() {
			}
		})
	}
	for range producers {
		in.Go(func() {
			for i := range n / producers {
				push(i)
			}
		})
	}
	in.Wait()
	end()
	out.Wait()
	return float64(time.Since(start)) / float64(n)
}

// contenders are the ways to move values, each at a capacity.
var contenders = map[string]func(producers, consumers, capacity, n int) float64{
	"queue": func(producers, consumers, capacity, n int) float64 {
		q := New[int](capacity)
		return moved(producers, consumers, n,
			func(i int) { _ = q.Push(Wait{}, i) },
			func() bool { _, err := q.Pop(Wait{}); return err == nil }, q.Close)
	},
	"channel": func(producers, consumers, capacity, n int) float64 {
		c := make(chan int, capacity)
		return moved(producers, consumers, n, func(i int) { c <- i },
			func() bool { _, ok := <-c; return ok }, func() { close(c) })
	},
	"queue try": func(producers, consumers, capacity, n int) float64 {
		q := New[int](capacity)
		return moved(producers, consumers, n,
			func(i int) {
				for q.TryPush(i) != nil {
					runtime.Gosched()
				}
			},
			func() bool {
				for {
					switch _, err := q.TryPop(); err {
					case nil:
						return true
					case ErrClosed:
						return false
					}
					runtime.Gosched()
				}
			}, q.Close)
	},
	"channel try": func(producers, consumers, capacity, n int) float64 {
		c := make(chan int, capacity)
		return moved(producers, consumers, n,
			func(i int) {
				for {
					select {
					case c <- i:
						return
					default:
						runtime.Gosched()
					}
				}
			},
			func() bool {
				for {
					select {
					case _, ok := <-c:
						return ok
					default:
						runtime.Gosched()
					}
				}
			}, func() { close(c) })
	},
}

// The queue beside Go's channel, in turns within one run: medians of ns for each value that goes through, and
// how often the channel's time goes into the queue's.
func BenchmarkQueueBesideChannel(b *testing.B) {
	const rounds, n = 9, 20_000
	for b.Loop() {
		var table strings.Builder
		fmt.Fprintf(&table, "\n%-22s %9s %9s %6s %9s %9s %6s\n", "producers x consumers", "queue", "channel", "x",
			"queue try", "chan try", "x")
		for _, capacity := range []int{1, 64, 1024} {
			for _, shape := range [][2]int{{1, 1}, {4, 4}, {1, 4}, {4, 1}} {
				got := map[string][]float64{}
				for range rounds {
					for name, f := range contenders { // in an order that differs each time
						got[name] = append(got[name], f(shape[0], shape[1], capacity, n))
					}
				}
				median := func(name string) float64 {
					slices.Sort(got[name])
					return got[name][rounds/2]
				}
				q, c, qt, ct := median("queue"), median("channel"), median("queue try"), median("channel try")
				fmt.Fprintf(&table, "%-22s %9.0f %9.0f %6.2f %9.0f %9.0f %6.2f\n",
					fmt.Sprintf("%dx%d, capacity %d", shape[0], shape[1], capacity), q, c, c/q, qt, ct, ct/qt)
			}
		}
		fmt.Println(table.String())
	}
}

func BenchmarkQueueAlone(b *testing.B) {
	b.Run("queue try", func(b *testing.B) {
		q := New[int](64)
		for b.Loop() {
			_ = q.TryPush(1)
			_, _ = q.TryPop()
		}
	})
	b.Run("queue of 100", func(b *testing.B) {
		q := New[int](100)
		for b.Loop() {
			_ = q.Push(Wait{}, 1)
			_, _ = q.Pop(Wait{})
		}
	})
	b.Run("channel try", func(b *testing.B) {
		c := make(chan int, 64)
		for b.Loop() {
			select {
			case c <- 1:
			default:
			}
			select {
			case <-c:
			default:
			}
		}
	})
	b.Run("channel", func(b *testing.B) {
		c := make(chan int, 64)
		for b.Loop() {
			c <- 1
			<-c
		}
	})
}
