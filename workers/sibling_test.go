package workers

import (
	"context"
	"sync"
	"testing"
	"time"
)

// A job that waits for its sibling by means that the pool knows nothing of holds up nothing but its worker: what it
// and its siblings were submitted with is for the others to take.
func TestAJobThatWaitsForASiblingHoldsUpNothingElse(t *testing.T) {
	needsWorkers(t)
	p := New(Options{Workers: 2})
	defer p.Close(context.Background())
	const n = 8
	var all sync.WaitGroup
	all.Add(n)
	next := make(chan struct{})
	root := Job{Func: func(w *Worker) {
		for i := range n {
			w.Go(0, func() {
				defer all.Done()
				switch i {
				case n - 1:
					<-next
				case n - 2:
					close(next)
				}
			})
		}
	}}
	p.Submit(&root)
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(2 * time.Minute):
		t.Fatal("stuck")
	}
}
