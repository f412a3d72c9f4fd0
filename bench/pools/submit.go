package main

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/bench/report"
)

// submitting is work that comes from outside: empty tasks. Each counts itself, which checks the result and finds the
// end.
func submitting(z sizes) []workload {
	with := func(producers int) func(s system, workers int) ([]report.Value, error) {
		return func(s system, workers int) ([]report.Value, error) {
			p := s.open(workers)
			_, err := produce(p, producers, max(producers, z.tasks/10)) // warms up
			if err != nil {
				return nil, err
			}
			took, err := produce(p, producers, z.tasks)
			p.close()
			return ns("ns/task", took, z.tasks), err
		}
	}
	return []workload{
		{name: "submit", about: "empty tasks from one goroutine outside", numbers: []int{z.tasks}, run: with(1)},
		{name: "producers", about: "empty tasks from four goroutines outside", numbers: []int{z.tasks}, run: with(4)},
	}
}

// produce submits n tasks and returns how long it took until all had run.
func produce(p pool, producers, n int) (time.Duration, error) {
	var left atomic.Int64
	left.Store(int64(n))
	done := make(chan struct{})
	f := func() {
		if left.Add(-1) == 0 {
			close(done)
		}
	}
	t0 := now()
	var wg sync.WaitGroup
	for range producers - 1 {
		wg.Go(func() {
			for range n / producers {
				p.submit(f)
			}
		})
	}
	for range n - n/producers*(producers-1) {
		p.submit(f)
	}
	wg.Wait()
	<-done
	took := since(t0)
	if left.Load() != 0 {
		return 0, fmt.Errorf("%d tasks too many", -left.Load())
	}
	return took, nil
}
