//go:build !js

package workers_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/frameslice/frameslice/workers"
)

// These need workers, which there are none of on one thread, and an example cannot skip.

func ExamplePool_Broadcast() {
	p := workers.New(workers.Options{Workers: 3})
	defer p.Close(context.Background())
	var index [3]bool
	n, err := p.Broadcast(func(w *workers.Worker) { index[w.Index()] = true }).Wait(context.Background())
	fmt.Println(n, err, index)
	// Output: 3 <nil> [true true true]
}

func ExampleWorker_Blocking() {
	p := workers.New(workers.Options{Workers: 1})
	defer p.Close(context.Background())
	answer := make(chan string)
	j := workers.Job{Func: func(w *workers.Worker) {
		w.Blocking(func() { fmt.Println(<-answer) }) // a request to a server, say
	}}
	p.Submit(&j)
	// The only worker waits, but there is another.
	p.Submit(&workers.Job{Func: func(*workers.Worker) { answer <- "hello" }})
	_ = j.Wait(context.Background())
	// Output: hello
}

// The functions of a group that wait for another one do so within Worker.Blocking: else all workers might wait, and
// nobody would begin the other one.
func ExamplePool_NewGroup_blocking() {
	p := workers.New(workers.Options{Workers: 1})
	defer p.Close(context.Background())
	ready := make(chan struct{})
	wait := func(ctx context.Context) error {
		var err error
		j := workers.Job{Func: func(w *workers.Worker) {
			w.Blocking(func() {
				select {
				case <-ready:
				case <-ctx.Done():
					err = context.Cause(ctx)
				}
			})
		}}
		p.Submit(&j)
		return errors.Join(j.Wait(context.Background()), err) // Wait runs j here, unless a worker has begun it
	}
	g := p.NewGroup(context.Background(), workers.GroupOptions{})
	g.Go(wait)
	g.Go(func(context.Context) error { close(ready); return nil })
	g.Go(wait)
	fmt.Println(g.Wait())
	// Output: <nil>
}
