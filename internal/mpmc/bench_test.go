package mpmc

import (
	"context"
	"fmt"
	"sync"
	"testing"
)

// moved moves b.N values from producers to consumers.
func moved(b *testing.B, producers, consumers int, push func(int), pop func() bool, end func()) {
	var in, out sync.WaitGroup
	for range consumers {
		out.Go(func() {
			for pop() {
			}
		})
	}
	for range producers {
		in.Go(func() {
			for i := range b.N / producers {
				push(i)
			}
		})
	}
	in.Wait()
	end()
	out.Wait()
}

// The queue beside Go's channel.
func BenchmarkQueueBesideChannel(b *testing.B) {
	for _, capacity := range []int{1, 64, 1024} {
		for _, shape := range [][2]int{{1, 1}, {4, 4}, {1, 4}, {4, 1}} {
			name := fmt.Sprintf("%dx%d, capacity %d/", shape[0], shape[1], capacity)
			b.Run(name+"queue", func(b *testing.B) {
				q := newQueue[int](capacity)
				push := func(i int) { _ = q.Push(context.Background(), i) }
				pop := func() bool { _, err := q.Pop(context.Background()); return err == nil }
				moved(b, shape[0], shape[1], push, pop, q.Close)
			})
			b.Run(name+"channel", func(b *testing.B) {
				c := make(chan int, capacity)
				pop := func() bool { _, ok := <-c; return ok }
				moved(b, shape[0], shape[1], func(i int) { c <- i }, pop, func() { close(c) })
			})
		}
	}
}
