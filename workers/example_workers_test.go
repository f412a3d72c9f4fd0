//go:build !js

package workers_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// These need workers, which there are none of on one thread, and an example cannot skip.

// A library that must be called from one thread gets a pool of its own, with one pinned worker. Its jobs run on that
// thread, one after the other. Wait for them by Done: Job.Wait may run a job right here.
func ExamplePin_oneThread() {
	p := workers.New(workers.Options{Workers: 2})
	defer p.Close(context.Background())
	gpu := workers.New(workers.Options{Workers: 1, Pin: workers.PinThread})
	defer gpu.Close(context.Background())
	upload := func(pixels string) (int, error) { return len(pixels), nil } // only on the thread of gpu
	texture := make(chan *workers.Future[int], 1)
	p.Go(deadline.Normal, func() {
		pixels := "decoded anywhere"
		texture <- workers.Submit(gpu, deadline.Normal, func(context.Context) (int, error) { return upload(pixels) })
	})
	f := <-texture
	<-f.Done()
	fmt.Println(f.Result())
	// Output: 16 <nil>
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
	g := p.NewGroup(context.Background(), deadline.Normal)
	g.Go(wait)
	g.Go(func(context.Context) error { close(ready); return nil })
	g.Go(wait)
	fmt.Println(g.Wait())
	// Output: <nil>
}
