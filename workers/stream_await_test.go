package workers_test

import (
	"context"
	"fmt"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// A coroutine on the frame goroutine takes the results of jobs out in order, as they come.
func ExampleStream_Notify() {
	p := workers.New(workers.Options{})
	defer p.Close(context.Background())
	frame := scheduler.New(scheduler.Options{})
	defer frame.Close()

	s := workers.NewStream[int](p, workers.StreamOptions{Window: 2})
	go func() {
		defer s.Close()
		for i := range 4 {
			_ = s.Submit(context.Background(), func(out *int) error { *out = i * i; return nil })
		}
	}()
	done := false
	frame.Go(deadline.Normal, func(co *scheduler.Co) {
		for {
			v, err := scheduler.Await(co, s)
			if v == nil {
				fmt.Println(err)
				done = true
				return
			}
			fmt.Println(*v)
		}
	})
	for !done {
		frame.BeginFrame(deadline.Now())
		frame.RunUntil(deadline.In(time.Millisecond))
		p.RunUntil(deadline.In(time.Millisecond))
		time.Sleep(100 * time.Microsecond)
	}
	// Output:
	// 0
	// 1
	// 4
	// 9
	// workers: closed
}
