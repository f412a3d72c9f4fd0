package workers_test

import (
	"context"
	"fmt"
	"sync"

	"github.com/frameslice/frameslice/workers"
)

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
