package workers

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// The end of a fork's earlier run may come to the waiters late, and call that of a later run: who joins that one sleeps
// on, and is woken by its end all the same.
func TestALateEndOfAnEarlierRunDoesNotStrandAJoiner(t *testing.T) {
	if !threads {
		t.Skip("no threads")
	}
	p := New(Options{Workers: 2})
	defer p.Close(context.Background())
	gate := make(chan struct{})
	var stolen atomic.Bool
	var fork Job
	j := Job{Func: func(w *Worker) {
		fork.Func = func(v *Worker) {
			if v != w {
				stolen.Store(true)
				<-gate
			}
		}
		for !stolen.Load() {
			w.Fork(&fork)
			runtime.Gosched()
			if w.Unfork(&fork) {
				continue
			}
			w.Join(&fork)
		}
	}}
	p.Submit(&j)
	until := func(what string, f func() bool) {
		for end := time.Now().Add(2 * time.Minute); !f(); time.Sleep(100 * time.Microsecond) {
			if time.Now().After(end) {
				t.Fatal(what)
			}
		}
	}
	for range 3 {
		until("the joiner has no waiter", func() bool {
			return fork.waiters.Load() != nil && p.classes[ordinary].joining.Load() != 0
		})
		fork.wake(nil)
	}
	close(gate)
	until("the joiner sleeps on", func() bool { return j.State() == Finished })
}
