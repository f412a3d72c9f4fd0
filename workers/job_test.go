package workers

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/mpmc"
)

// A job is its owner's again as soon as somebody has canceled it, even if Submit has not returned. (The race detector
// sees who does not know that.)
func TestACanceledJobMayBeChanged(t *testing.T) {
	p := New(Options{Workers: 1})
	for range 300 {
		j := Job{Func: func(*Worker) {}}
		changed := make(chan struct{})
		go func() {
			defer close(changed)
			for j.State() == Fresh {
				runtime.Gosched()
			}
			if j.Cancel() {
				j.Priority = deadline.Low
			}
		}()
		p.Submit(&j)
		<-changed
	}
	_ = p.Close(context.Background())
}

// A worker that is not wanted any more leaves, also if a fork of its own has once been stolen: a job between two of a
// pool that always has more to do asks whether it might.
func TestAWorkerWhoseForksWereStolenMayLeave(t *testing.T) {
	NeedsWorkers(t)
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

// What the documentation says of memory, on 64-bit systems.
func TestSizesAreAsDocumented(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("other sizes")
	}
	for _, c := range []struct {
		what           string
		got, low, high uintptr
	}{
		{"a Queue's place, besides a value", unsafe.Sizeof(mpmc.Cell[[8]byte]{}) - 8, 8, 8},
		{"a Queue's place for an empty value", unsafe.Sizeof(mpmc.Cell[struct{}]{}), 16, 16},
		{"a Group's function", unsafe.Sizeof(groupJob{}), 170, 200},
	} {
		if c.got < c.low || c.got > c.high {
			t.Errorf("%s takes %d bytes, not %d to %d", c.what, c.got, c.low, c.high)
		}
	}
}
