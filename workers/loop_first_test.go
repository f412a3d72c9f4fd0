package workers

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/frameslice/frameslice/internal/where"
)

// The first panic is raised also if it is a helper's, and the caller's own piece panics after it.
func TestTheFirstPanicMayBeAHelpers(t *testing.T) {
	needsWorkers(t)
	p := New(Options{Workers: 1})
	defer p.Close(context.Background())
	caller := where.ID()
	var begun atomic.Bool // the caller's piece
	defer func() {
		if pe, ok := recover().(*PanicError); !ok || pe.Value != "helper" {
			t.Errorf("raised %v", pe)
		}
		if l := p.classes[ordinary].loops[0].Load(); l.body != nil || p.classes[ordinary].busy.Load() != 0 {
			t.Error("the loop is not given back")
		}
	}()
	p.ParallelFor(2, 1, func(int, int) {
		if where.ID() != caller {
			for !begun.Load() {
				runtime.Gosched()
			}
			panic("helper")
		}
		begun.Store(true)
		for p.classes[ordinary].loops[0].Load().fail.Load() == nil {
			runtime.Gosched()
		}
		panic("caller")
	})
}
