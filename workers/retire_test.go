package workers

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
)

// A worker that is not wanted any more leaves, also if a fork of its own has once been stolen: a job between two of a
// pool that always has more to do asks whether it might.
func TestAWorkerWhoseForksWereStolenMayLeave(t *testing.T) {
	if !threads {
		t.Skip("no threads")
	}
	p := New(Options{Workers: 2})
	defer p.Close(context.Background())
	free := false
	j := Job{Func: func(w *Worker) {
		var stolen atomic.Bool
		fork := Job{Func: func(v *Worker) { stolen.Store(v != w) }}
		for !stolen.Load() {
			w.Fork(&fork)
			runtime.Gosched()
			w.Join(&fork)
		}
		for stolen.Load() { // until one is not: then it was its own until Join
			w.Fork(&fork)
			leaves := w.retire()
			w.Join(&fork)
			if leaves && !stolen.Load() {
				t.Error("a worker would leave with a fork of its own")
			}
		}
		free = w.retire()
	}}
	p.Submit(&j)
	for j.State() != Finished { // no Wait, which might run it here
		runtime.Gosched()
	}
	if err := j.Err(); err != nil || !free {
		t.Errorf("%v; without forks it would leave: %v", err, free)
	}
}
