package workers_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// Fire and forget: Close waits for what was accepted.
func ExamplePool_Go() {
	p := workers.New(workers.Options{})
	p.Go(deadline.Low, func() { fmt.Println("saved") })
	fmt.Println(p.Close(context.Background()))
	// Output:
	// saved
	// <nil>
}

// A Job that is part of the thing that it works on costs no allocation, however often it runs.
func ExamplePool_Submit() {
	p := workers.New(workers.Options{})
	defer p.Close(context.Background())
	type chunk struct {
		triangles int
		mesh      workers.Job
	}
	c := &chunk{}
	c.mesh = workers.Job{Label: "mesh", Func: func(*workers.Worker) { c.triangles += 100 }}
	for range 3 {
		p.Submit(&c.mesh)
		if err := c.mesh.Wait(context.Background()); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(c.triangles, c.mesh.Finished())
	// Output: 300 true
}

// The frame goroutine runs jobs in what its frame has left; here, where there are no workers, all of them.
func ExamplePool_RunUntil() {
	p := workers.New(workers.Options{Workers: -1}) // as on one processor, and in a browser
	defer p.Close(context.Background())
	p.Go(deadline.Low, func() { fmt.Println("autosave") })
	p.Go(deadline.UserBlocking, func() { fmt.Println("path") })
	fmt.Println(p.RunUntil(deadline.Deadline{}), "jobs") // in a frame: until the slice's deadline
	// Output:
	// path
	// autosave
	// 2 jobs
}

// A long job on a pool without workers takes several frames, as it gives each of them back.
func ExampleWorker_Yield() {
	p := workers.New(workers.Options{Workers: -1})
	defer p.Close(context.Background())
	p.Submit(&workers.Job{Func: func(w *workers.Worker) {
		for part := 1; part <= 3; part++ {
			fmt.Println("part", part)
			w.Yield() // most often: if w.ShouldYield() { w.Yield() }
		}
	}})
	for frame := 1; frame <= 3; frame++ {
		fmt.Print("frame ", frame, ": ")
		p.RunUntil(deadline.In(time.Minute))
	}
	// Output:
	// frame 1: part 1
	// frame 2: part 2
	// frame 3: part 3
}

func fib(w *workers.Worker, n int) int {
	if n < 2 {
		return n
	}
	var other int
	j := workers.Job{Func: func(w *workers.Worker) { other = fib(w, n-2) }}
	w.Fork(&j) // whoever has nothing else to do may take it
	v := fib(w, n-1)
	w.Join(&j)
	return v + other
}

func ExampleWorker_Fork() {
	p := workers.New(workers.Options{})
	defer p.Close(context.Background())
	var v int
	j := workers.Job{Func: func(w *workers.Worker) { v = fib(w, 15) }}
	p.Submit(&j)
	fmt.Println(j.Wait(context.Background()), v)
	// Output: <nil> 610
}

// What has not begun will not; what has is nobody's to stop.
func ExampleFuture_Cancel() {
	p := workers.New(workers.Options{Workers: -1})
	defer p.Close(context.Background())
	path := workers.Submit(p, deadline.Low, func(context.Context) (string, error) { return "to the hill", nil })
	fmt.Println(path.Cancel()) // the unit is gone
	_, err := path.Result()
	fmt.Println(errors.Is(err, workers.ErrCanceled))
	// Output:
	// true
	// true
}

// A Close that does not wait for what has not begun says how much was dropped.
func ExamplePool_Close() {
	p := workers.New(workers.Options{Workers: -1})
	save := workers.Submit(p, deadline.Idle, func(context.Context) (int, error) { return 1, nil })
	now, cancel := context.WithCancel(context.Background())
	cancel()
	fmt.Println(p.Close(now))
	_, err := save.Result()
	fmt.Println(err)
	// Output:
	// workers: Close: 1 job dropped: context canceled
	// workers: closed
}

// What the frame waits for is helped by workers that stay awake between BeginFrame and EndFrame.
func ExamplePool_BeginFrame() {
	p := workers.New(workers.Options{})
	defer p.Close(context.Background())
	units := make([]int, 1000)
	for range 3 { // frames
		p.BeginFrame()
		p.ParallelFor(len(units), 0, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				units[i]++
			}
		})
		p.EndFrame()
	}
	fmt.Println(units[0], units[999])
	// Output: 3 3
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
