package workers_test

import (
	"context"
	"testing"

	"github.com/frameslice/frameslice/workers"
)

// A Wait that sleeps, because its context may end it, finds all it needs beside the job.
func TestWaitDoesNotAllocate(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	asked, gate := make(chan struct{}, 1), make(chan struct{})
	defer close(asked)
	go func() {
		for range asked {
			gate <- struct{}{}
		}
	}()
	j := &workers.Job{Func: func(*workers.Worker) { <-gate }}
	if n := allocsPerRun(500, func() {
		p.Submit(j)
		asked <- struct{}{}
		if err := j.Wait(ctx); err != nil {
			t.Error(err)
		}
	}); n >= 1 {
		t.Errorf("a wait allocates %v times", n)
	}
}
